// /modes: reading the modes of the house, and turning them on and off. They are declared in modes.toml.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import type { Commands } from "../../../house/state/commands/commands.ts";
import type { Mode as ModeState } from "../../../house/state/virtual/modes.ts";
import type { VirtualDevices } from "../../../house/state/virtual/virtual-devices.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import { jsonBody } from "../body.ts";
import type { Callers } from "../callers.ts";
import { crudDocs } from "../crud.ts";

const closed = { additionalProperties: false } as const;
const nullable = Type.Union([Type.String(), Type.Null()]);
const minutes = Type.Union([Type.Integer(), Type.Null()]);
const Mode = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    kind: Type.Union([Type.Literal("manual"), Type.Literal("solar")]),
    on: Type.Boolean(),
    overridden: Type.Boolean({ description: "A solar mode was switched by hand; lasts until its next moment" }),
    available: Type.Boolean(),
    on_event: nullable,
    off_event: nullable,
    on_offset_minutes: minutes,
    off_offset_minutes: minutes,
    next_on: nullable,
    next_off: nullable,
  },
  { $id: "Mode" },
);
const ModeSetting = Type.Object({ on: Type.Boolean() }, closed);

export interface ModeRoutesDeps {
  virtual: Pick<VirtualDevices, "modes">;
  commands: Pick<Commands, "send">;
  callers: Pick<Callers, "of">;
}

export function modeRoutes({ virtual: { modes }, commands, callers }: ModeRoutesDeps) {
  const docs = crudDocs({ noun: "mode", plural: "modes", schema: Mode });
  return new Elysia({ prefix: "/modes" })
    .get("", () => modes.list().map(modeBody), docs.list("The modes"))
    .get("/:id", ({ params }) => modeBody(modes.get(params.id)), docs.get())
    .put(
      "/:id",
      async function setMode({ params, body, query, request }) {
        modes.get(params.id);
        await commands.send(params.id, { on: body.on }, callers.of(request), { force: query.force });
        return modeBody(modes.get(params.id));
      },
      {
        ...jsonBody(ModeSetting),
        query: t.Object(
          { force: t.Boolean({ default: false, description: "Also when the mode is not available" }) },
          closed,
        ),
        ...docs.edit("Turn a mode on or off", {
          refusals: { conflict: "It is not available", unavailable: "The hub is starting" },
        }),
      },
    );
}

function modeBody({ device, definition, nextOn, nextOff }: ModeState) {
  const solar = definition?.kind === "solar" ? definition : undefined;
  return {
    id: device.id,
    name: device.name,
    kind: definition?.kind ?? device.attributes.kind ?? "manual",
    on: device.attributes.on === true,
    overridden: device.attributes.overridden === true,
    available: device.available,
    on_event: solar?.on.event ?? null,
    off_event: solar?.off.event ?? null,
    on_offset_minutes: solar?.on.offsetMinutes ?? null,
    off_offset_minutes: solar?.off.offsetMinutes ?? null,
    next_on: isoOrNull(nextOn),
    next_off: isoOrNull(nextOff),
  };
}

function isoOrNull(ms: number | undefined): string | null {
  return ms === undefined ? null : isoSeconds(ms);
}
