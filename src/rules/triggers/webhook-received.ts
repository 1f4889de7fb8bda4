// `webhook_received`: an HTTP client calls POST /webhooks/:path with this rule's secret. The event on the feed has no secret;
// the engine gets a copy with it (engine/triggering/webhooks.ts). The rule does not see it.
import { createHash, timingSafeEqual } from "node:crypto";
import { Type } from "@sinclair/typebox";
import type { Json } from "../../kit/schema/json.ts";
import { checkOneOf } from "../model/checks.ts";
import { defineTrigger } from "../model/define.ts";
import { eventOf, interestIn } from "../model/devices.ts";

const MIN_SECRET_CHARS = 16;

export const webhookReceived = defineTrigger({
  type: "webhook_received",
  doc: "An HTTP client calls POST /webhooks/PATH of the API with this rule's secret, or without one where the rule is open to all.",
  fields: {
    path: Type.String({
      pattern: "^[A-Za-z0-9_-][A-Za-z0-9._~-]{0,127}$",
      problem: "must be one part of an address: letters, digits, `-`, `_`, `.` or `~`, at most 128",
      description: "The last part of the address",
    }),
    secret: Type.Optional(
      Type.String({
        minLength: MIN_SECRET_CHARS,
        maxLength: 256,
        writeOnly: true,
        description: "The secret that the caller sends; make it long and random",
      }),
    ),
    open: Type.Optional(
      Type.Literal(true, { description: "true, instead of `secret`: whoever knows the address can call it" }),
    ),
  },
  check: (spec) => checkOneOf(spec, ["secret", "open"]),
  label: ({ path }) => `webhook ${path}`,
  contextKeys: ["path", "method", "query", "body"],
  interests: ({ path }) => [interestIn("webhook_received", "path", path)],
  match(spec, envelope) {
    const event = eventOf("webhook_received", envelope);
    const given = (event as { secret?: unknown } | undefined)?.secret;
    if (!event || event.path !== spec.path) return undefined;
    if (spec.secret !== undefined && (typeof given !== "string" || !isSame(given, spec.secret))) return undefined;
    const { path, method, query, body } = event;
    return { path, method, query, body: body as Json };
  },
  example: { path: "doorbell", secret: "change-me-to-24-characters" },
});

/** In constant time. */
function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
