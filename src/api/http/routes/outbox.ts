// /notify/outbox: notifications that wait to be delivered. They need the role user, as their texts are more private than devices.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { isoSeconds } from "../../../kit/time/clock.ts";
import type { Outbox, WaitingMessage } from "../../../reach/notify/outbox/outbox.ts";
import { noContent } from "../crud.ts";
import { doc } from "../doc.ts";
import { atMost, limitUpTo } from "../query.ts";

const LIMIT = { from: 1, to: 10_000 };
const Query = t.Object(
  { channel: t.Optional(t.String()), limit: limitUpTo(LIMIT, { default: 1000 }) },
  { additionalProperties: false },
);

const nullable = Type.Union([Type.String(), Type.Null()]);
const Waiting = Type.Object({
  id: Type.String(),
  channel: Type.String(),
  title: Type.String(),
  message: Type.String({ description: "Its beginning, in the channel's markup" }),
  at: Type.String({ description: "UTC time of what it reports" }),
  tries: Type.Integer(),
  next_try: Type.Union([Type.String(), Type.Null()], {
    description: "Null where it waits for an older one",
  }),
  last_error: nullable,
  count: Type.Integer({ description: "How often the same notification was sent meanwhile" }),
  state: Type.Union(
    ["sending", "waiting", "queued", "blocked"].map((state) => Type.Literal(state)),
    { description: "`blocked`: the channel is disabled or not in the configuration" },
  ),
});

export function outboxRoutes({ outbox }: { outbox: Pick<Outbox, "list" | "retry" | "drop"> }) {
  const tag = "notify";
  return new Elysia({ prefix: "/notify/outbox" })
    .get(
      "",
      ({ query: { channel, limit } }) =>
        outbox.list({ channel, limit: atMost("limit", limit, LIMIT) }).map(waitingBody),
      {
        query: Query,
        ...doc({
          access: "user",
          summary: "Notifications that wait to be delivered, the oldest first",
          tag,
          answers: { 200: { description: "The notifications", schema: Type.Array(Waiting) } },
        }),
      },
    )
    .post(
      "/:id/retry",
      function retryNow({ params }) {
        outbox.retry(params.id);
        return new Response(null, { status: 202 });
      },
      doc({
        access: "user",
        keeps: false,
        summary: "Try its channel now; older notifications go first",
        tag,
        answers: {
          202: { description: "It will be tried" },
        },
        refusals: {
          not_found: "It is not in the outbox (any more)",
          conflict: "Its channel is disabled or not in the configuration",
        },
      }),
    )
    .delete(
      "/:id",
      ({ params }) => noContent(() => outbox.drop(params.id)),
      doc({
        access: "admin",
        audit: "notification.drop",
        summary: "Do not deliver it",
        tag,
        answers: { 204: { description: "Dropped" } },
        refusals: { not_found: "It is not in the outbox (any more)" },
      }),
    );
}

function waitingBody({ nextTry, lastError, at, ...message }: WaitingMessage) {
  return {
    ...message,
    at: isoSeconds(at),
    next_try: nextTry === undefined ? null : isoSeconds(nextTry),
    last_error: lastError ?? null,
  };
}
