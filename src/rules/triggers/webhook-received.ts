// `webhook_received`: something outside calls POST /webhooks/:path with this rule's secret. On the feed the event has no
// secret; the engine is handed it with the one that was given, which the rule does not get to see (webhooks.ts).
import { createHash, timingSafeEqual } from "node:crypto";
import { Type } from "@sinclair/typebox";
import type { Json } from "../../core/json.ts";
import { defineTrigger } from "../define.ts";
import { eventOf, interestIn } from "../devices.ts";

const SHORTEST_SECRET = 16;

export const webhookReceived = defineTrigger({
  type: "webhook_received",
  doc: "Something outside calls POST /webhooks/PATH of the API with this rule's secret.",
  fields: {
    path: Type.String({
      pattern: "^[A-Za-z0-9_-][A-Za-z0-9._~-]{0,127}$",
      problem: "must be one part of an address: letters, digits, `-`, `_`, `.` or `~`, at most 128",
      description: "The last part of the address",
    }),
    secret: Type.String({
      minLength: SHORTEST_SECRET,
      maxLength: 256,
      writeOnly: true,
      description: "What the caller must know; make it long and random",
    }),
  },
  label: ({ path }) => `webhook ${path}`,
  interests: ({ path }) => [interestIn("webhook_received", "path", path)],
  match(spec, envelope) {
    const event = eventOf("webhook_received", envelope);
    const given = (event as { secret?: unknown } | undefined)?.secret;
    if (!event || typeof given !== "string" || event.path !== spec.path || !isSame(given, spec.secret))
      return undefined;
    const { path, method, query, body } = event;
    return { path, method, query, body: body as Json };
  },
  example: { path: "doorbell", secret: "change-me-to-24-characters" },
});

/** Takes the same time wherever they differ. */
function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
