// /timers: making, naming and removing virtual timers. They are commanded as devices.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Device } from "../../../house/state/device.ts";
import type { VirtualDevices } from "../../../house/state/virtual/virtual-devices.ts";
import { GivenName, Id } from "../../../kit/schema/ids.ts";
import { jsonBody } from "../body.ts";
import { created, crudDocs, noContent } from "../crud.ts";

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
    label: nullable,
    repeat: Type.Boolean({ description: "It starts again at its end" }),
  },
  { $id: "Timer" },
);
const NewTimer = Type.Object({ id: Id, name: Type.Optional(GivenName) }, closed);
const TimerEdit = Type.Object({ name: GivenName }, closed);

export function timerRoutes({ virtual: { timers } }: { virtual: Pick<VirtualDevices, "timers"> }) {
  const docs = crudDocs({ noun: "timer", plural: "timers", schema: Timer });

  function timerBody(device: Device) {
    const { state, duration_secs, ends_at, label, repeat } = device.attributes;
    return {
      id: device.id,
      name: device.name,
      area: device.area ?? null,
      state: state ?? "idle",
      duration_secs: duration_secs ?? null,
      ends_at: ends_at ?? null,
      remaining_secs: timers.remainingSecs(device) ?? null,
      label: label ?? null,
      repeat: repeat === true,
    };
  }

  return new Elysia({ prefix: "/timers" })
    .get("", () => timers.list().map(timerBody), docs.list("The timers"))
    .post("", ({ body, set }) => created(set, timerBody(timers.create(body))), {
      ...jsonBody(NewTimer),
      ...docs.create({ conflict: "There is a device of that id already, or there are too many timers" }),
    })
    .get("/:id", ({ params }) => timerBody(timers.get(params.id)), docs.get())
    .patch("/:id", ({ params, body }) => timerBody(timers.edit(params.id, body)), {
      ...jsonBody(TimerEdit),
      ...docs.edit("Give a timer a name"),
    })
    .delete("/:id", ({ params }) => noContent(() => timers.remove(params.id)), docs.remove());
}
