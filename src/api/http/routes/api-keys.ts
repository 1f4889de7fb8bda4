// /auth/api-keys: keys for programs. The key itself is answered once, when it is made.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { isoSeconds } from "../../../kit/time/clock.ts";
import { type ApiKey as ApiKeyRecord, type ApiKeys, ExpiryDays, Label } from "../../../server/auth/api-keys.ts";
import { Role } from "../../../server/auth/roles.ts";
import { jsonBody } from "../body.ts";
import type { Callers } from "../callers.ts";
import { created, noContent } from "../crud.ts";
import { doc } from "../doc.ts";
import { type HouseOfKeys, McpFields, rightsOf, Scope } from "./api-key-rights.ts";

const ApiKey = Type.Object({
  id: Type.String(),
  label: Type.String(),
  role: Role,
  created_by: Type.String(),
  owner: Type.Union([Type.String(), Type.Null()], {
    description: "The user who made it: the key ends with this account. Null for a key without one",
  }),
  created_at: Type.String(),
  expires_at: Type.Union([Type.String(), Type.Null()]),
  scopes: Type.Array(Scope, { description: "`mcp`: it opens /mcp and nothing else. Empty: it opens the API" }),
  areas: Type.Union([Type.Array(Type.String()), Type.Null()], { description: "With `mcp`: null is the whole house" }),
  devices: Type.Array(Type.String(), { description: "With `mcp`: the devices that were named" }),
  read_only: Type.Union([Type.Boolean(), Type.Null()], { description: "With `mcp`; null without" }),
});
const NewApiKey = Type.Object(
  { label: Label, role: Type.Optional(Role), expires_in_days: Type.Optional(ExpiryDays), ...McpFields },
  { additionalProperties: false },
);

export interface ApiKeyRoutesDeps extends HouseOfKeys {
  auth: { readonly apiKeys: Pick<ApiKeys, "list" | "create" | "remove"> };
  callers: Pick<Callers, "of">;
}

export function apiKeyRoutes({ auth: { apiKeys }, callers, ...house }: ApiKeyRoutesDeps) {
  const tag = "auth";
  return new Elysia({ prefix: "/auth/api-keys" })
    .get(
      "",
      () => apiKeys.list().map(keyBody),
      doc({
        access: "admin",
        summary: "All API keys, without the keys",
        tag,
        answers: { 200: { description: "The keys", schema: Type.Array(ApiKey) } },
      }),
    )
    .post(
      "",
      function createKey({ body, request, set }) {
        const { label, expires_in_days } = body;
        const { kind, id, name, owner } = callers.of(request);
        const made = apiKeys.create({
          label,
          ...rightsOf(body, house),
          createdBy: name,
          owner: kind === "user" ? id : owner,
          expiresInDays: expires_in_days,
        });
        return created(set, { ...keyBody(made), key: made.key });
      },
      {
        ...jsonBody(NewApiKey),
        ...doc({
          access: "admin",
          needsToken: true,
          audit: "key.create",
          summary: "Make an API key; it ends when its owner is removed or loses the role admin",
          tag,
          answers: {
            201: {
              description: "The key, shown this once",
              schema: Type.Composite([ApiKey, Type.Object({ key: Type.String() })]),
            },
          },
          refusals: { conflict: "There are too many keys" },
        }),
      },
    )
    .delete(
      "/:id",
      ({ params }) => noContent(() => apiKeys.remove(params.id)),
      doc({
        access: "admin",
        needsToken: true,
        audit: "key.remove",
        summary: "Withdraw an API key",
        tag,
        answers: { 204: { description: "Withdrawn" } },
      }),
    );
}

function keyBody({ id, label, role, createdBy, ownerName, createdAt, expiresAt, mcp }: ApiKeyRecord) {
  return {
    id,
    label,
    role,
    created_by: createdBy,
    owner: ownerName ?? null,
    created_at: isoSeconds(createdAt),
    expires_at: expiresAt === undefined ? null : isoSeconds(expiresAt),
    scopes: mcp ? (["mcp"] as const) : [],
    areas: mcp?.areas ?? null,
    devices: mcp?.devices ?? [],
    read_only: mcp?.readOnly ?? null,
  };
}
