// /switches: making, naming and removing virtual switches. They are commanded as devices.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Device } from "../../../house/state/device.ts";
import type { VirtualDevices } from "../../../house/state/virtual/virtual-devices.ts";
import { GivenName, Id } from "../../../kit/schema/ids.ts";
import { jsonBody } from "../body.ts";
import { created, crudDocs, noContent } from "../crud.ts";

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

export function switchRoutes({ virtual: { switches } }: { virtual: Pick<VirtualDevices, "switches"> }) {
  const docs = crudDocs({ noun: "switch", plural: "switches", schema: Switch });
  return new Elysia({ prefix: "/switches" })
    .get("", () => switches.list().map(switchBody), docs.list("The switches"))
    .post("", ({ body, set }) => created(set, switchBody(switches.create(body))), {
      ...jsonBody(NewSwitch),
      ...docs.create({ conflict: "There is a device of that id already, or there are too many switches" }),
    })
    .get("/:id", ({ params }) => switchBody(switches.get(params.id)), docs.get())
    .patch("/:id", ({ params, body }) => switchBody(switches.edit(params.id, body)), {
      ...jsonBody(SwitchEdit),
      ...docs.edit("Give a switch a name"),
    })
    .delete("/:id", ({ params }) => noContent(() => switches.remove(params.id)), docs.remove());
}

function switchBody({ id, name, area, attributes }: Device) {
  return { id, name, area: area ?? null, on: attributes.on === true };
}
