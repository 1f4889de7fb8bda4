// /events: the ring of recent events, and the upgrade to the live stream.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { HubError } from "../../../kit/schema/errors.ts";
import { seesSecrets } from "../../../server/auth/roles.ts";
import { catalog } from "../../../server/events/catalog.ts";
import type { EventRing } from "../../../server/events/feed.ts";
import type { Callers } from "../callers.ts";
import { doc } from "../doc.ts";
import { atMost, inRange, limitUpTo, linkToNext, wholeNumber } from "../query.ts";
import { matches, parseFilter, type StreamFilter } from "../stream/filter.ts";
import type { HubStream } from "../stream/hub-stream.ts";

const LIMIT = { from: 1, to: 1000 };
const SEQ = { from: 0, to: Number.MAX_SAFE_INTEGER };
const filterQuery = {
  type: t.Optional(t.String({ description: "Event type names, comma-separated" })),
  device_id: t.Optional(t.String()),
  since: t.Optional(wholeNumber(SEQ, { description: "Only events with a greater seq" })),
};
const RecentQuery = t.Object(
  {
    ...filterQuery,
    before: t.Optional(wholeNumber(SEQ, { description: "Only events with a smaller seq" })),
    limit: limitUpTo(LIMIT, { default: 50 }),
  },
  { additionalProperties: false },
);
const StreamQuery = t.Object({ ...filterQuery, token: t.Optional(t.String()) }, { additionalProperties: false });

const stamp = { timestamp: Type.String({ description: "UTC" }), seq: Type.Integer({ description: "Only grows" }) };
const EXAMPLE_STAMP = { timestamp: "2026-11-21T05:20:00Z", seq: 1_795_237_055_789_024 };
const Event = Type.Union(
  [
    ...catalog.map(({ type, doc: description, fields, example }) =>
      Type.Object(
        { type: Type.Literal(type), ...stamp, ...fields.properties },
        { $id: type, title: type, description, examples: [{ type, ...EXAMPLE_STAMP, ...example }] },
      ),
    ),
    Type.Object(
      { type: Type.String({ pattern: "^custom_." }), ...stamp },
      {
        $id: "custom_event",
        title: "custom_<event_type>",
        description: "A custom event, with the fields of its sender",
        additionalProperties: true,
      },
    ),
  ],
  { $id: "Event" },
);
const StreamGap = Type.Object(
  {
    type: Type.Literal("stream_gap"),
    timestamp: stamp.timestamp,
    from_seq: Type.Integer(),
    to_seq: Type.Integer(),
    reason: Type.Optional(Type.String({ description: "Where it replaces an event of more than 1 MiB" })),
  },
  {
    $id: "stream_gap",
    description:
      "The first frame where events after `since` are lost. Also replaces an event of more than 1 MiB, which is neither kept nor streamed. It has no seq",
  },
);
const StreamPong = Type.Object(
  { type: Type.Literal("stream_pong") },
  { $id: "stream_pong", description: "The answer to a text frame `ping`. It has no seq" },
);
const Frame = Type.Union([Event, StreamGap, StreamPong], {
  $id: "StreamFrame",
  description: "One text frame of the stream",
});

const NOT_KEPT =
  "type: mqtt_message is not kept, as there would soon be nothing else among the last events: administrators see it live at /api/v1/events/stream?type=mqtt_message";
const ANSWER_BYTES = 4 * 1_048_576;

interface Wanted {
  filter: StreamFilter;
  limit: number;
  since: number;
  before: number;
}

/** Newest first, as JSON texts; `next` is the `before` of the next page, absent on the last. */
function pageOf(
  ring: EventRing,
  isOpen: boolean,
  { filter, limit, since, before }: Wanted,
): { found: string[]; next?: number } {
  const found: string[] = [];
  let bytes = 0;
  let last = before;
  for (const event of ring.newestFirst(before)) {
    if (event.seq <= since) break;
    if (!matches(filter, event)) continue;
    const text = isOpen ? event.json : event.redacted;
    bytes += Buffer.byteLength(text);
    if (found.length >= limit || (found.length > 0 && bytes > ANSWER_BYTES)) return { found, next: last };
    found.push(text);
    last = event.seq;
  }
  return { found };
}

export interface EventRoutesDeps {
  ring: EventRing;
  stream: () => HubStream;
  callers: Pick<Callers, "addressOf" | "of">;
}

export function eventRoutes({ ring, stream, callers }: EventRoutesDeps) {
  return new Elysia({ prefix: "/events" })
    .get(
      "",
      function recentEvents({ query, request }) {
        const isOpen = seesSecrets(callers.of(request).role);
        const filter = parseFilter(query.type, query.device_id);
        if (filter.types?.has("mqtt_message")) throw new HubError("invalid", NOT_KEPT);
        const { found, next } = pageOf(ring, isOpen, {
          filter,
          limit: atMost("limit", query.limit, LIMIT),
          since: inRange("since", query.since ?? 0, SEQ),
          before: inRange("before", query.before ?? SEQ.to, SEQ),
        });
        const headers = new Headers({ "content-type": "application/json" });
        if (next !== undefined) headers.set("link", linkToNext(request.url, { before: String(next) }));
        return new Response(`[${found.join(",")}]`, { headers });
      },
      {
        query: RecentQuery,
        ...doc({
          access: "viewer",
          summary: "Recent events, newest first",
          tag: "events",
          answers: {
            200: {
              description: "The events, 4 MiB of them at most; a Link header with rel=next where there is more",
              schema: Type.Array(Frame),
            },
          },
        }),
      },
    )
    .get(
      "/stream",
      function upgradeToStream({ query, request, server }) {
        const since = query.since === undefined ? undefined : inRange("since", query.since, SEQ);
        if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
          throw new HubError("upgrade_required", "this is a WebSocket: connect with ws:// or wss://");
        }
        const identity = callers.of(request);
        const filter = parseFilter(query.type, query.device_id);
        if (filter.types?.has("mqtt_message") && identity.role !== "admin") {
          throw new HubError("forbidden", "mqtt_message is for administrators only");
        }
        const address = callers.addressOf(request, server);
        const handlers = stream().socketHandlers({ identity, address, filter, since });
        if (!server?.upgrade(request, { data: handlers as never }))
          throw new HubError("invalid", "the WebSocket handshake is not valid");
      },
      {
        query: StreamQuery,
        ...doc({
          access: "viewer",
          summary: "Live event feed (WebSocket)",
          tag: "events",
          tokenInQuery: true,
          answers: { 101: { description: "Each event is one JSON text frame, as x-frames describes" } },
          frames: Frame,
          refusals: {
            forbidden: "mqtt_message is for administrators only",
            upgrade_required: "Not a WebSocket handshake",
          },
        }),
      },
    );
}
