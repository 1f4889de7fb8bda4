// /timers: making, naming and removing virtual timers. They are commanded as devices.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { GivenName, Id } from "../../core/ids.ts";
import type { Device } from "../../state/device.ts";
import type { Timers } from "../../state/virtual/timers.ts";
import { jsonBody } from "../body.ts";
import { doc } from "../doc.ts";

const closed = { additionalProperties: false } as const;
const nullable = Type.Union([Type.String(), Type.Null()]);
const seconds = Type.Union([Type.Number(), Type.Null()]);
const Timer = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    area: nullable,
    state: Type.Union(["idle", "started", "paused", "expired", "cancelled"].map((state) => Type.Literal(state))),
    duration_secs: seconds,
    ends_at: nullable,
    remaining_secs: seconds,
  },
  { $id: "Timer" },
);
const NewTimer = Type.Object({ id: Id, name: Type.Optional(GivenName) }, closed);
const TimerEdit = Type.Object({ name: GivenName }, closed);

export function timerRoutes({ timers }: { timers: Omit<Timers, "start" | "prepare"> }) {
  const tag = "timers";
  const answers = { 200: { description: "The timer", schema: Timer } };

  function timerBody(device: Device) {
    const { state, duration_secs, ends_at } = device.attributes;
    return {
      id: device.id,
      name: device.name,
      area: device.area ?? null,
      state: state ?? "idle",
      duration_secs: duration_secs ?? null,
      ends_at: ends_at ?? null,
      remaining_secs: timers.remainingSecs(device) ?? null,
    };
  }

  return new Elysia({ prefix: "/timers" })
    .get(
      "",
      () => timers.list().map(timerBody),
      doc({
        access: "viewer",
        summary: "All timers",
        tag,
        answers: { 200: { description: "The timers", schema: Type.Array(Timer) } },
      }),
    )
    .post(
      "",
      function createTimer({ body, set }) {
        const device = timers.create(body);
        set.status = 201;
        return timerBody(device);
      },
      {
        ...jsonBody(NewTimer),
        ...doc({
          access: "user",
          summary: "Make a timer",
          tag,
          answers: { 201: { description: "The timer", schema: Timer } },
          refusals: { conflict: "There is a device of that id already, or there are too many timers" },
        }),
      },
    )
    .get(
      "/:id",
      ({ params }) => timerBody(timers.get(params.id)),
      doc({ access: "viewer", summary: "One timer", tag, answers }),
    )
    .patch("/:id", ({ params, body }) => timerBody(timers.edit(params.id, body)), {
      ...jsonBody(TimerEdit),
      ...doc({ access: "user", summary: "Give a timer a name", tag, answers }),
    })
    .delete(
      "/:id",
      function removeTimer({ params }) {
        timers.remove(params.id);
        return new Response(null, { status: 204 });
      },
      doc({
        access: "user",
        audit: "timer.remove",
        summary: "Remove a timer",
        tag,
        answers: { 204: { description: "Removed" } },
      }),
    );
}
