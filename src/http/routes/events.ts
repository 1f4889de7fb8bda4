// /events: the ring of recent events, and the upgrade to the live stream.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { seesSecrets } from "../../auth/roles.ts";
import { HubError } from "../../core/errors.ts";
import { catalog } from "../../events/catalog.ts";
import type { EventRing } from "../../events/feed.ts";
import { doc } from "../doc.ts";
import { inRange, wholeNumber } from "../query.ts";
import type { Sessions } from "../session.ts";
import { matches, parseFilter } from "../stream/filter.ts";
import type { HubStream } from "../stream/hub-stream.ts";

const LIMIT = { from: 1, to: 1000 };
const SEQ = { from: 0, to: Number.MAX_SAFE_INTEGER };
const filterQuery = {
  type: t.Optional(t.String({ description: "Event type names, comma-separated" })),
  device_id: t.Optional(t.String()),
  since: t.Optional(wholeNumber(SEQ, { description: "Only events with a greater seq" })),
};
const RecentQuery = t.Object(
  { ...filterQuery, limit: wholeNumber(LIMIT, { default: 50 }) },
  { additionalProperties: false },
);
const StreamQuery = t.Object({ ...filterQuery, token: t.Optional(t.String()) }, { additionalProperties: false });

const stamp = { timestamp: Type.String({ description: "UTC" }), seq: Type.Integer({ description: "Only grows" }) };
const Event = Type.Union(
  [
    ...catalog.map(({ type, doc: description, fields }) =>
      Type.Object(
        { type: Type.Literal(type), ...stamp, ...fields.properties },
        { $id: type, title: type, description },
      ),
    ),
    Type.Object(
      { type: Type.String({ pattern: "^custom_." }), ...stamp },
      {
        $id: "custom_event",
        title: "custom_<event_type>",
        description: "A custom event: whatever its sender says besides",
        additionalProperties: true,
      },
    ),
  ],
  { $id: "Event" },
);
const StreamGap = Type.Object(
  { type: Type.Literal("stream_gap"), timestamp: stamp.timestamp, from_seq: Type.Integer(), to_seq: Type.Integer() },
  { $id: "stream_gap", description: "The first frame where events after `since` are no longer held; it has no seq" },
);
const Frame = Type.Union([Event, StreamGap], { $id: "StreamFrame", description: "One text frame of the stream" });

export interface EventRoutesDeps {
  ring: EventRing;
  stream: () => HubStream;
  sessions: Sessions;
}

export function eventRoutes({ ring, stream, sessions }: EventRoutesDeps) {
  return new Elysia({ prefix: "/events" })
    .get(
      "",
      function recentEvents({ query, request }) {
        const isOpen = seesSecrets(sessions.of(request).role);
        const filter = parseFilter(query.type, query.device_id);
        const limit = inRange("limit", query.limit, LIMIT);
        const since = inRange("since", query.since ?? 0, SEQ);
        const found: string[] = [];
        for (const envelope of ring.newestFirst()) {
          if (found.length >= limit || envelope.seq <= since) break;
          if (matches(filter, envelope)) found.push(isOpen ? envelope.json : envelope.veiled);
        }
        return new Response(`[${found.join(",")}]`, { headers: { "content-type": "application/json" } });
      },
      {
        query: RecentQuery,
        ...doc({
          access: "viewer",
          summary: "Recent events, newest first",
          tag: "events",
          answers: { 200: { description: "The events", schema: Type.Array(Event) } },
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
        const identity = sessions.of(request);
        const filter = parseFilter(query.type, query.device_id);
        if (filter.types?.has("mqtt_message") && identity.role !== "admin") {
          throw new HubError("forbidden", "mqtt_message is for administrators only");
        }
        const address = sessions.addressOf(request, server);
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
