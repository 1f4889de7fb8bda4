// `call_service`: calls something over HTTP. Its address may hold a secret, so only the host is ever told.
import { Type } from "@sinclair/typebox";
import { HubError, messageOf } from "../../core/errors.ts";
import { type Json, parseJson } from "../../core/json.ts";
import { type ActionScope, defineAction } from "../define.ts";
import { choice, expression, json, secs, text } from "../fields.ts";
import type { HttpRequest } from "../host.ts";
import { checkNotBoth, refusal } from "../values.ts";

type Answer = { status: number; body: string };

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

export const callService = defineAction({
  type: "call_service",
  doc: "Calls a service over HTTP. Anything but an answer from 200 to 299 is a failure.",
  fields: () => ({
    url: text("http:// or https://", { writeOnly: true }),
    method: choice(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"], "The method", { default: "POST" }),
    headers: Type.Record(Type.String(), Type.String({ maxLength: 8192 }), {
      default: {},
      maxProperties: 50,
      description: "Headers by name",
      writeOnly: true,
    }),
    body: Type.Optional(json("Text, which goes out as it is, or any other JSON", { writeOnly: true })),
    expression: Type.Optional(expression("CEL that gives the body, instead of `body`", { writeOnly: true })),
    timeout_secs: secs("How long an answer may take", { default: 10, minimum: 0.1, maximum: 300 }),
    retries: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 10,
      description: "How often to try again when nobody answers, or 429 or 500 and above, after 1 s, 2 s, 4 s, …",
    }),
    response_event: Type.Optional(
      text("Tells the answer as the event `custom_<response_event>` with `ok`, `status` and `body`, or `error`", {
        maxLength: 200,
      }),
    ),
  }),
  check(spec) {
    hostOf(spec.url);
    checkNotBoth(spec, ["body", "expression"]);
    const given = spec.body === undefined ? "expression" : "body";
    if ((spec.method === "GET" || spec.method === "HEAD") && spec[given] !== undefined) {
      throw refusal(given, `goes with no ${spec.method}: use POST, or leave it out`);
    }
  },
  async run(spec, scope) {
    const { url, method, timeout_secs, retries, response_event } = spec;
    const body = spec.expression === undefined ? spec.body : scope.evaluate(spec.expression);
    const request = { url, method, timeoutMs: timeout_secs * 1000, ...contentOf(body, spec.headers) };
    const tell = (fields: Record<string, Json>): void => {
      if (response_event === undefined || scope.signal.aborted) return;
      scope.host.emit({ source: "rule", rule_id: scope.ruleId, ...fields, type: `custom_${response_event}` });
    };
    const answer = await persistently(request, { retries, scope }).catch((error: unknown) => {
      tell({ ok: false, error: messageOf(error) });
      throw error;
    });
    const { status } = answer;
    const ok = status >= 200 && status < 300;
    tell({ ok, status, body: readBody(answer.body) });
    if (!ok) throw new HubError("upstream_failed", `${method} ${hostOf(url)} answered ${status}`);
    return `${method} ${hostOf(url)} answered ${status}`;
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
  throw refusal("url", "must be an address such as http://192.168.1.20/api");
}

function contentOf(body: Json | undefined, headers: Record<string, string>): Pick<HttpRequest, "headers" | "body"> {
  if (body === undefined || typeof body === "string") return { headers, body };
  const typed = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  return {
    headers: typed ? headers : { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

async function persistently(
  request: HttpRequest,
  { retries, scope }: { retries: number; scope: ActionScope },
): Promise<Answer> {
  for (let tries = 0; ; tries++) {
    const outcome = await attempt(request, scope);
    const isFinal = "status" in outcome && outcome.status !== 429 && outcome.status < 500;
    if (isFinal || tries >= retries || scope.signal.aborted) return settled(request, outcome, tries);
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries);
    if (!(await scope.delay(pauseMs))) return settled(request, outcome, tries);
  }
}

async function attempt(request: HttpRequest, { host, signal }: ActionScope): Promise<Answer | { error: unknown }> {
  try {
    return await host.request(request, signal);
  } catch (error) {
    return { error };
  }
}

function settled(request: HttpRequest, outcome: Answer | { error: unknown }, retries: number): Answer {
  if ("status" in outcome) return outcome;
  const after = retries === 0 ? "" : ` after ${retries + 1} tries`;
  // What is thrown at a door may name the whole address.
  const why = messageOf(outcome.error).replaceAll(request.url, hostOf(request.url));
  throw new HubError("upstream_failed", `${request.method} ${hostOf(request.url)} did not answer${after}: ${why}`);
}

function readBody(body: string): Json {
  const parsed = parseJson(body);
  return parsed.ok ? parsed.value : body;
}
