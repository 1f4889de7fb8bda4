// /areas: the rooms of the house. Which device is where is said at the device.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { GivenName, Id } from "../../core/ids.ts";
import type { Areas } from "../../state/areas.ts";
import { jsonBody } from "../body.ts";
import { doc } from "../doc.ts";

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

export function areaRoutes({ areas }: { areas: Areas }) {
  const tag = "areas";
  const answers = { 200: { description: "The area", schema: Area } };
  return new Elysia({ prefix: "/areas" })
    .get(
      "",
      () => areas.list(),
      doc({
        access: "viewer",
        summary: "All areas",
        tag,
        answers: { 200: { description: "The areas, by name", schema: Type.Array(Area) } },
      }),
    )
    .post(
      "",
      function createArea({ body, set }) {
        const area = areas.create(body);
        set.status = 201;
        return area;
      },
      {
        ...jsonBody(NewArea),
        ...doc({
          access: "user",
          summary: "Make an area",
          tag,
          answers: { 201: { description: "The area", schema: Area } },
          refusals: { conflict: "There is an area of that id already" },
        }),
      },
    )
    .get("/:id", ({ params }) => areas.get(params.id), doc({ access: "viewer", summary: "One area", tag, answers }))
    .patch("/:id", ({ params, body }) => areas.edit(params.id, body), {
      ...jsonBody(AreaEdit),
      ...doc({ access: "user", summary: "Give an area a name", tag, answers }),
    })
    .delete(
      "/:id",
      function removeArea({ params }) {
        areas.remove(params.id);
        return new Response(null, { status: 204 });
      },
      doc({
        access: "user",
        audit: "area.remove",
        summary: "Remove an area; its devices are then in none",
        tag,
        answers: { 204: { description: "Removed" } },
      }),
    );
}
