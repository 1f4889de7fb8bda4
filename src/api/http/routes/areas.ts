// /areas: the areas of the house. A device's area is set at /devices.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Areas } from "../../../house/state/areas.ts";
import { GivenName, Id } from "../../../kit/schema/ids.ts";
import { jsonBody } from "../body.ts";
import { created, crudDocs, noContent } from "../crud.ts";

const closed = { additionalProperties: false } as const;
const Area = Type.Object(
  {
    id: Type.String({ description: "The `area` of its devices" }),
    name: Type.String(),
    devices: Type.Integer({ description: "How many are in it" }),
    declared: Type.Boolean({ description: "A person made or named it; otherwise it is gone with its last device" }),
  },
  { $id: "Area" },
);
const NewArea = Type.Object(
  { name: GivenName, id: Type.Optional({ ...Id, description: "Made from the name when absent" }) },
  closed,
);
const AreaEdit = Type.Object({ name: GivenName }, closed);

export function areaRoutes({ areas }: { areas: Pick<Areas, "create" | "edit" | "get" | "list" | "remove"> }) {
  const docs = crudDocs({ noun: "area", plural: "areas", schema: Area });
  return new Elysia({ prefix: "/areas" })
    .get("", () => areas.list(), docs.list("The areas, by name"))
    .post("", ({ body, set }) => created(set, areas.create(body)), {
      ...jsonBody(NewArea),
      ...docs.create({ conflict: "There is an area of that id already" }),
    })
    .get("/:id", ({ params }) => areas.get(params.id), docs.get())
    .patch("/:id", ({ params, body }) => areas.edit(params.id, body), {
      ...jsonBody(AreaEdit),
      ...docs.edit("Give an area a name"),
    })
    .delete(
      "/:id",
      ({ params }) => noContent(() => areas.remove(params.id)),
      docs.remove("Remove an area; its devices are then in none"),
    );
}
