// /system/audit: the audit log, who did what from where.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { isoSeconds } from "../../../kit/time/clock.ts";
import type { Audit, AuditRow } from "../../../server/auth/audit.ts";
import { doc } from "../doc.ts";
import { atMost, inRange, limitUpTo, linkToNext, wholeNumber } from "../query.ts";

const LIMIT = { from: 1, to: 1000 };
const ID = { from: 0, to: Number.MAX_SAFE_INTEGER };
const Query = t.Object(
  {
    limit: limitUpTo(LIMIT, { default: 100 }),
    before: t.Optional(wholeNumber(ID, { description: "Only entries with a smaller id: the next page" })),
    since: t.Optional(wholeNumber(ID, { description: "Only entries with a greater id: what is new" })),
    actor: t.Optional(t.String({ description: "A name or an id" })),
    action: t.Optional(t.String({ description: "Such as rule.run, or rule for all that begin with it" })),
  },
  { additionalProperties: false },
);
const Entry = Type.Object({
  id: Type.Integer({ description: "Only grows" }),
  at: Type.String({ description: "UTC" }),
  last_at: Type.String({ description: "When it happened last, where count is more than 1" }),
  count: Type.Integer({ description: "Equal entries within some minutes are counted in one" }),
  actor: Type.Object({
    kind: Type.String({
      description: "user, api_key, mcp, whitelist, command_line, hub, or nobody for a refused login",
    }),
    id: Type.String(),
    name: Type.String(),
  }),
  address: Type.String({ description: "Empty where it was not over the network" }),
  action: Type.String(),
  target: Type.String(),
  outcome: Type.String({ description: "ok, refused or failed" }),
  detail: Type.String(),
});

export function auditRoutes({ audit }: { audit: Pick<Audit, "list"> }) {
  return new Elysia({ prefix: "/system" }).get(
    "/audit",
    function listAudit({ query: { limit, before, since, ...filter }, request, set }) {
      const most = atMost("limit", limit, LIMIT);
      const rows = audit.list({
        ...filter,
        limit: most + 1,
        before: before === undefined ? undefined : inRange("before", before, ID),
        since: since === undefined ? undefined : inRange("since", since, ID),
      });
      const last = rows.length > most ? rows[most - 1] : undefined;
      if (last) set.headers.link = linkToNext(request.url, { before: String(last.id) });
      return rows.slice(0, most).map(entryBody);
    },
    {
      query: Query,
      ...doc({
        access: "admin",
        needsToken: true,
        summary: "Who did what from where, newest first",
        tag: "system",
        answers: {
          200: {
            description: "The entries; a Link header with rel=next where there are more",
            schema: Type.Array(Entry),
          },
        },
      }),
    },
  );
}

function entryBody({ at, until, ...row }: AuditRow) {
  return { ...row, at: isoSeconds(at), last_at: isoSeconds(until) };
}
