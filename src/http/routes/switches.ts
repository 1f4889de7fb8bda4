// /switches: making, naming and removing virtual switches. They are commanded as devices.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { GivenName, Id } from "../../core/ids.ts";
import type { Device } from "../../state/device.ts";
import type { Switches } from "../../state/virtual/switches.ts";
import { jsonBody } from "../body.ts";
import { doc } from "../doc.ts";

const closed = { additionalProperties: false } as const;
const Switch = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    area: Type.Union([Type.String(), Type.Null()]),
    on: Type.Boolean(),
  },
  { $id: "Switch" },
);
const NewSwitch = Type.Object({ id: Id, name: Type.Optional(GivenName) }, closed);
const SwitchEdit = Type.Object({ name: GivenName }, closed);

export function switchRoutes({ switches }: { switches: Omit<Switches, "prepare"> }) {
  const tag = "switches";
  const answers = { 200: { description: "The switch", schema: Switch } };
  return new Elysia({ prefix: "/switches" })
    .get(
      "",
      () => switches.list().map(switchBody),
      doc({
        access: "viewer",
        summary: "All switches",
        tag,
        answers: { 200: { description: "The switches", schema: Type.Array(Switch) } },
      }),
    )
    .post(
      "",
      function createSwitch({ body, set }) {
        const device = switches.create(body);
        set.status = 201;
        return switchBody(device);
      },
      {
        ...jsonBody(NewSwitch),
        ...doc({
          access: "user",
          summary: "Make a switch",
          tag,
          answers: { 201: { description: "The switch", schema: Switch } },
          refusals: { conflict: "There is a device of that id already, or there are too many switches" },
        }),
      },
    )
    .get(
      "/:id",
      ({ params }) => switchBody(switches.get(params.id)),
      doc({ access: "viewer", summary: "One switch", tag, answers }),
    )
    .patch("/:id", ({ params, body }) => switchBody(switches.edit(params.id, body)), {
      ...jsonBody(SwitchEdit),
      ...doc({ access: "user", summary: "Give a switch a name", tag, answers }),
    })
    .delete(
      "/:id",
      function removeSwitch({ params }) {
        switches.remove(params.id);
        return new Response(null, { status: 204 });
      },
      doc({
        access: "user",
        audit: "switch.remove",
        summary: "Remove a switch",
        tag,
        answers: { 204: { description: "Removed" } },
      }),
    );
}

function switchBody({ id, name, area, attributes }: Device) {
  return { id, name, area: area ?? null, on: attributes.on === true };
}
