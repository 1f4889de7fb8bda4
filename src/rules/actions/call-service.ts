// `call_service`: sends an HTTP request. The address may contain a secret, so texts show only its host.
import { Type } from "@sinclair/typebox";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { type Json, parseJson } from "../../kit/schema/json.ts";
import { checkNotBoth, invalid } from "../model/checks.ts";
import { type ActionScope, defineAction } from "../model/define.ts";
import { choice, expression, json, secs, TEMPLATES, text } from "../model/fields.ts";
import type { HttpRequest } from "../model/host.ts";
import { type FillUses, filled } from "../model/messages.ts";

type ServiceResponse = { status: number; body: string };

// Sent twice, they do what they do once.
const IDEMPOTENT = ["GET", "HEAD", "PUT", "DELETE"];
const FIRST_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 60_000;

export const callService = defineAction({
  type: "call_service",
  doc: "Calls a service over HTTP. It fails if the status of the response is not 200 to 299.",
  whenInterrupted: ({ method }) => (IDEMPOTENT.includes(method) ? "repeat" : "skip"),
  fields: () => ({
    url: text("http:// or https://", { writeOnly: true }),
    method: choice(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"], "The method", { default: "POST" }),
    headers: Type.Record(Type.String(), Type.String({ maxLength: 8192 }), {
      default: {},
      maxProperties: 50,
      description: "Headers by name",
      writeOnly: true,
    }),
    body: Type.Optional(
      json("Text or any other JSON; placeholders in its texts are filled in", { writeOnly: true, [TEMPLATES]: true }),
    ),
    expression: Type.Optional(expression("CEL that gives the body, instead of `body`", { writeOnly: true })),
    timeout_secs: secs("How long the response may take", { default: 10, minimum: 0.1, maximum: 300 }),
    retries: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 10,
      description:
        "How often to retry, after 1 s, 2 s, 4 s, …, if there is no response, or status 429 or 500 and above",
    }),
    response_event: Type.Optional(
      text("Emits the response as the event `custom_<response_event>` with `ok`, `status` and `body`, or `error`", {
        maxLength: 200,
      }),
    ),
  }),
  check(spec) {
    hostOf(spec.url);
    checkNotBoth(spec, ["body", "expression"]);
    const given = spec.body === undefined ? "expression" : "body";
    if ((spec.method === "GET" || spec.method === "HEAD") && spec[given] !== undefined) {
      throw invalid(given, `cannot be sent with ${spec.method}: use POST, or leave it out`);
    }
  },
  async run(spec, scope: ActionScope<FillUses | "request" | "emit">) {
    const { url, method, timeout_secs, retries, response_event } = spec;
    const given = spec.body === undefined ? undefined : filled(spec.body, scope);
    const body = spec.expression === undefined ? given?.value : scope.evaluate(spec.expression);
    const request = { url, method, timeoutMs: timeout_secs * 1000, ...contentOf(body, spec.headers) };
    const emitResponse = (fields: Record<string, Json>): void => {
      if (response_event === undefined || scope.signal.aborted) return;
      scope.host.emit({ source: "rule", rule_id: scope.ruleId, ...fields, type: `custom_${response_event}` });
    };
    const response = await withRetries(request, { retries, scope }).catch((error: unknown) => {
      emitResponse({ ok: false, error: messageOf(error) });
      throw error;
    });
    const { status } = response;
    const ok = status >= 200 && status < 300;
    emitResponse({ ok, status, body: readBody(response.body) });
    if (!ok) throw new HubError("upstream_failed", `${method} ${hostOf(url)} answered ${status}`);
    // Not which: the body may be secret.
    const unknown = given?.unknown.length ? `; ${given.unknown.length} placeholders in its body have no value` : "";
    return `${method} ${hostOf(url)} answered ${status}${unknown}`;
  },
  example: {
    url: "https://example.org/api",
    method: "PUT",
    headers: { "X-Key": "the service's key" },
    body: { text: "hello" },
    timeout_secs: 3,
    retries: 2,
    response_event: "answered",
  },
});

function hostOf(address: string): string {
  const url = URL.parse(address);
  if (url && (url.protocol === "http:" || url.protocol === "https:") && url.host !== "") return url.host;
  throw invalid("url", "must be an address such as http://192.168.1.20/api");
}

function contentOf(body: Json | undefined, headers: Record<string, string>): Pick<HttpRequest, "headers" | "body"> {
  if (body === undefined || typeof body === "string") return { headers, body };
  const typed = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  return {
    headers: typed ? headers : { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

async function withRetries(
  request: HttpRequest,
  { retries, scope }: { retries: number; scope: ActionScope<"request"> },
): Promise<ServiceResponse> {
  for (let tries = 0; ; tries++) {
    const outcome = await attempt(request, scope);
    const isFinal = "status" in outcome && outcome.status !== 429 && outcome.status < 500;
    if (isFinal || tries >= retries || scope.signal.aborted) return settled(request, outcome, tries);
    const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** tries);
    if (!(await scope.delay(backoffMs))) return settled(request, outcome, tries);
  }
}

async function attempt(
  request: HttpRequest,
  { host, signal }: ActionScope<"request">,
): Promise<ServiceResponse | { error: unknown }> {
  try {
    return await host.request(request, signal);
  } catch (error) {
    return { error };
  }
}

function settled(
  request: HttpRequest,
  outcome: ServiceResponse | { error: unknown },
  retries: number,
): ServiceResponse {
  if ("status" in outcome) return outcome;
  const after = retries === 0 ? "" : ` after ${retries + 1} tries`;
  // The error may quote the whole address.
  const why = messageOf(outcome.error).replaceAll(request.url, hostOf(request.url));
  throw new HubError("upstream_failed", `${request.method} ${hostOf(request.url)} did not answer${after}: ${why}`);
}

function readBody(body: string): Json {
  const parsed = parseJson(body);
  return parsed.ok ? parsed.value : body;
}
