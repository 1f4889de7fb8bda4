// /schedules: making, changing and removing weekly plans. They are devices as well.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Schedule as HeldSchedule, Schedules } from "../../../house/state/virtual/schedules.ts";
import type { VirtualDevices } from "../../../house/state/virtual/virtual-devices.ts";
import { WeekPlan } from "../../../house/state/virtual/week-plan.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { GivenName, Id } from "../../../kit/schema/ids.ts";
import { etagOf } from "../../../kit/text/etag.ts";
import { jsonBody } from "../body.ts";
import { created, crudDocs, noContent } from "../crud.ts";
import type { RouteDoc } from "../doc.ts";

const closed = { additionalProperties: false } as const;
const nullable = Type.Union([Type.String(), Type.Null()]);
const Schedule = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    area: nullable,
    enabled: Type.Boolean(),
    plan: WeekPlan,
    on: Type.Boolean(),
    next_change: { ...nullable, description: "UTC; null where it stays as it is" },
  },
  { $id: "Schedule" },
);
const AreaGiven = Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()]);
const WholeSchedule = Type.Object(
  {
    name: GivenName,
    area: Type.Optional(AreaGiven),
    enabled: Type.Optional(Type.Boolean({ description: "false: it stays off; true when absent" })),
    plan: WeekPlan,
  },
  closed,
);
const NewSchedule = Type.Object(
  { id: Type.Optional({ ...Id, description: "Made from the name when absent" }), ...WholeSchedule.properties },
  closed,
);
const ScheduleEdit = Type.Partial(WholeSchedule, { ...closed, minProperties: 1 });

const changing: Pick<RouteDoc, "refusals" | "readsElsewhere"> = {
  refusals: { conflict: "It was changed meanwhile" },
  readsElsewhere: [{ in: "header", name: "If-Match", description: "The ETag it was read with", schema: Type.String() }],
};

type Answer = { headers: Record<string, unknown> };

export function scheduleRoutes({ virtual: { schedules } }: { virtual: Pick<VirtualDevices, "schedules"> }) {
  const docs = crudDocs({ noun: "schedule", plural: "schedules", schema: Schedule });

  function answered(set: Answer, schedule: HeldSchedule) {
    set.headers.etag = etagFor(schedule);
    return scheduleBody(schedule);
  }

  function edited(request: Request, id: string, edit: Parameters<Schedules["edit"]>[1]): HeldSchedule {
    const etag = request.headers.get("if-match");
    if (etag !== null && etag !== "*" && etag !== etagFor(schedules.get(id)))
      throw new HubError("conflict", "the schedule was changed meanwhile: read it again");
    return schedules.edit(id, edit);
  }

  return new Elysia({ prefix: "/schedules" })
    .get("", () => schedules.list().map(scheduleBody), docs.list("The schedules"))
    .post("", ({ body, set }) => created(set, answered(set, schedules.create(body))), {
      ...jsonBody(NewSchedule),
      ...docs.create({ conflict: "There is a device of that id already, or there are too many schedules" }),
    })
    .get("/:id", ({ params, set }) => answered(set, schedules.get(params.id)), docs.get())
    .put(
      "/:id",
      ({ params, body, request, set }) =>
        answered(set, edited(request, params.id, { area: null, enabled: true, ...body })),
      {
        ...jsonBody(WholeSchedule),
        ...docs.edit("Replace all of a schedule; with If-Match 409 where it was changed meanwhile", changing),
      },
    )
    .patch("/:id", ({ params, body, request, set }) => answered(set, edited(request, params.id, body)), {
      ...jsonBody(ScheduleEdit),
      ...docs.edit("Change some of a schedule; with If-Match 409 where it was changed meanwhile", changing),
    })
    .delete("/:id", ({ params }) => noContent(() => schedules.remove(params.id)), docs.remove());
}

function scheduleBody({ device: { id, name, area, attributes }, enabled, plan }: HeldSchedule) {
  const { on, next_change } = attributes;
  const next = typeof next_change === "string" ? next_change : null;
  return { id, name, area: area ?? null, enabled, plan, on: on === true, next_change: next };
}

/** Of what people edit: it stays when the schedule goes on or off. */
function etagFor({ device: { name, area }, enabled, plan }: HeldSchedule): string {
  return etagOf(JSON.stringify([name, area, enabled, plan]));
}
