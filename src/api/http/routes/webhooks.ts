// /webhooks/:path: calls from services and devices that cannot log in. Only the rule's secret is checked, so a wrong path and a
// wrong secret have the same answer, and failed calls are limited.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { HubError } from "../../../kit/schema/errors.ts";
import { type Json, parseJson } from "../../../kit/schema/json.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Rules } from "../../../rules/rules.ts";
import { createLoginLimit, type LoginLimit } from "../../../server/auth/login-limit.ts";
import type { Callers, PeerSource } from "../callers.ts";
import { doc } from "../doc.ts";
import { splitUrl } from "../request-url.ts";

export interface WebhookRoutesDeps {
  rules: Pick<Rules, "call">;
  callers: Pick<Callers, "addressOf">;
  clock: Clock;
}

const MAX_BODY_BYTES = 64 * 1024;
const SECRET_HEADER = "x-webhook-secret";
const Accepted = Type.Object({ accepted: Type.Literal(true) });

export function webhookRoutes({ rules, callers, clock }: WebhookRoutesDeps) {
  const limit = createLoginLimit({ clock, exempt: () => false });

  async function receive({ request, params, server }: Call): Promise<Response> {
    const searchParams = new URLSearchParams(splitUrl(request.url).query);
    const secret = request.headers.get(SECRET_HEADER) || searchParams.get("secret") || "";
    const attempt = beginAttempt(limit, callers.addressOf(request, server), params.path);
    const body = await readWebhookBody(request);
    const { method } = request;
    if (!rules.call({ path: params.path, method, query: queryOf(searchParams), body, secret }))
      throw new HubError("not_found", "there is nothing at this address");
    attempt.succeed();
    return Response.json({ accepted: true }, { status: 202 });
  }

  const options = {
    // `receive` reads the body, whatever its type.
    parse: "none" as const,
    ...doc({
      access: "public",
      anyQuery: true,
      // With GET too.
      acts: true,
      keeps: "rules",
      summary: `Trigger the rules with this path and secret (header ${SECRET_HEADER}, or ?secret=)`,
      tag: "rules",
      answers: {
        202: { description: "The rules were triggered", schema: Accepted },
      },
      rawBody: { description: "JSON, or any text", contentType: "*/*", required: false },
      readsElsewhere: [
        { in: "header", name: "X-Webhook-Secret", description: "The rule's secret", schema: Type.String() },
        { in: "query", name: "secret", description: "The same, where no header can be sent", schema: Type.String() },
      ],
      refusals: {
        not_found: "No enabled rule has this path and this secret",
        too_large: `The body has more than ${MAX_BODY_BYTES} bytes`,
        rate_limited: "Too many wrong calls from this address",
      },
    }),
  };
  // GET is for devices that can only open a URL.
  return new Elysia({ prefix: "/webhooks" })
    .post("/:path", receive, options)
    .put("/:path", receive, options)
    .get("/:path", receive, options);
}

interface Call {
  request: Request;
  params: { path: string };
  server: PeerSource | null;
}

function beginAttempt(limit: LoginLimit, address: string, path: string) {
  try {
    return limit.begin(address, path);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const { retryAfterSecs } = error.details;
    const message = `too many wrong webhook calls from this address; try again in ${retryAfterSecs} s`;
    throw new HubError("rate_limited", message, { details: { retryAfterSecs } });
  }
}

// The caller chooses the keys: none may reach into prototypes. The values of one that is repeated are one text, with commas.
function queryOf(searchParams: URLSearchParams): Record<string, string> {
  const keys = new Set(searchParams.keys()).difference(NOT_TAKEN);
  return Object.fromEntries([...keys].map((key) => [key, searchParams.getAll(key).join(",")]));
}

const NOT_TAKEN = new Set(["secret", "__proto__", "constructor", "prototype"]);

/** Parsed where it is JSON, else text; null for an empty body. */
async function readWebhookBody(request: Request): Promise<Json> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength > MAX_BODY_BYTES) throw tooLarge();
  const text = new TextDecoder().decode(bytes);
  if (text === "") return null;
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : text;
}

function tooLarge(): HubError {
  return new HubError("too_large", `a webhook's body has at most ${MAX_BODY_BYTES} bytes`);
}
