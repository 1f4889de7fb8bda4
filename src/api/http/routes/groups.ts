// /groups: making, changing and removing groups of devices. They are commanded as devices.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Group as HeldGroup } from "../../../house/state/virtual/groups.ts";
import type { VirtualDevices } from "../../../house/state/virtual/virtual-devices.ts";
import { GivenName, Id } from "../../../kit/schema/ids.ts";
import { jsonBody } from "../body.ts";
import { created, crudDocs, noContent } from "../crud.ts";

const closed = { additionalProperties: false } as const;
const Group = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    area: Type.Union([Type.String(), Type.Null()]),
    members: Type.Array(Type.String(), {
      description: "Ids of devices; one that was removed stays until it is taken out",
    }),
    device_type: Type.String({ description: "The type of all members; `group` where they differ" }),
  },
  { $id: "Group" },
);
const WholeGroup = Type.Object(
  {
    name: GivenName,
    area: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()])),
    members: Type.Array(Id, { minItems: 1, maxItems: 500, description: "Ids of devices, and of other groups" }),
  },
  closed,
);
const NewGroup = Type.Object(
  { id: Type.Optional({ ...Id, description: "Made from the name when absent" }), ...WholeGroup.properties },
  closed,
);
const GroupEdit = Type.Partial(WholeGroup, { ...closed, minProperties: 1 });

export function groupRoutes({ virtual: { groups } }: { virtual: Pick<VirtualDevices, "groups"> }) {
  const docs = crudDocs({ noun: "group", plural: "groups", schema: Group });
  return new Elysia({ prefix: "/groups" })
    .get("", () => groups.list().map(groupBody), docs.list("The groups"))
    .post("", ({ body, set }) => created(set, groupBody(groups.create(body))), {
      ...jsonBody(NewGroup),
      ...docs.create({ conflict: "There is a device of that id already, or there are too many groups" }),
    })
    .get("/:id", ({ params }) => groupBody(groups.get(params.id)), docs.get())
    .put("/:id", ({ params, body }) => groupBody(groups.edit(params.id, { area: null, ...body })), {
      ...jsonBody(WholeGroup),
      ...docs.edit("Replace a group's name, area and members"),
    })
    .patch("/:id", ({ params, body }) => groupBody(groups.edit(params.id, body)), {
      ...jsonBody(GroupEdit),
      ...docs.edit("Change a group's name, area or members"),
    })
    .delete("/:id", ({ params }) => noContent(() => groups.remove(params.id)), docs.remove());
}

function groupBody({ device: { id, name, area, deviceType }, members }: HeldGroup) {
  return { id, name, area: area ?? null, members: [...members], device_type: deviceType ?? "group" };
}
