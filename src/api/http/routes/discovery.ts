// /discovery: what announces itself over MQTT, and what people decide about it.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Discovery } from "../../../house/discovery/discovery.ts";
import { jsonBody } from "../body.ts";
import { doc } from "../doc.ts";

const nullable = Type.Union([Type.String(), Type.Null()]);
const Entry = Type.Object({
  id: Type.String({ description: "SOURCE:ACCOUNT:KEY" }),
  source: Type.String(),
  account: Type.String({ description: "The MQTT account that announced it" }),
  name: nullable,
  manufacturer: nullable,
  model: nullable,
  state: Type.Union(
    ["accepted", "waiting", "ignored", "broken"].map((state) => Type.Literal(state)),
    { description: "`waiting`: for somebody to accept or ignore it. `broken`: it cannot be used" },
  ),
  device_id: Type.Union([Type.String(), Type.Null()], { description: "The device that it became" }),
  problem: Type.Union([Type.String(), Type.Null()], { description: "What is wrong with it, and what to do" }),
});

const Several = Type.Object(
  {
    account: Type.Optional(Type.String({ minLength: 1, description: "All of this MQTT account" })),
    pattern: Type.Optional(
      Type.String({ minLength: 1, maxLength: 300, description: "Those with such a name or id; `*` matches any text" }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);

export function discoveryRoutes({ discovery }: { discovery: Pick<Discovery, "list" | "decide" | "decideAll"> }) {
  const tag = "discovery";
  const one = { 200: { description: "The announcement", schema: Entry } };
  const several = { 200: { description: "The announcements", schema: Type.Array(Entry) } };
  const refusals = { not_found: "It is not announced (any more)" };
  return new Elysia({ prefix: "/discovery" })
    .get(
      "",
      () => discovery.list(),
      doc({
        access: "viewer",
        summary: "All that announces itself",
        tag,
        answers: several,
      }),
    )
    .post("/accept", ({ body }) => discovery.decideAll("accepted", body), {
      ...jsonBody(Several),
      ...doc({
        access: "admin",
        audit: "discovery.accept",
        summary: "Accept several that are there now",
        tag,
        answers: several,
      }),
    })
    .post("/ignore", ({ body }) => discovery.decideAll("ignored", body), {
      ...jsonBody(Several),
      ...doc({
        access: "admin",
        audit: "discovery.ignore",
        summary: "Ignore several that are there now",
        tag,
        answers: several,
      }),
    })
    .post(
      "/:id/accept",
      ({ params }) => discovery.decide(params.id, "accepted"),
      doc({
        access: "admin",
        audit: "discovery.accept",
        summary: "Make it a device of the house",
        tag,
        answers: one,
        refusals,
      }),
    )
    .post(
      "/:id/ignore",
      ({ params }) => discovery.decide(params.id, "ignored"),
      doc({
        access: "admin",
        audit: "discovery.ignore",
        summary: "Take nothing from it any more; its device stays, unavailable",
        tag,
        answers: one,
        refusals,
      }),
    );
}
