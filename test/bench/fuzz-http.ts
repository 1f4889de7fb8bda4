// 100,000 odd requests at the compiled hub, over raw sockets: every route of its own document with values of every kind,
// odd targets, Hosts, versions, methods and framings, and plain noise; by nobody, a viewer and an administrator.
//
// Asserted: nobody gets a 2xx from, nor an answer by the handler of, a route that is not public; a viewer none of what is
// not a viewer's; never a 500, never a status the document does not name, never silence; /health answers all along.
// Only by hand: bun run bench fuzz-http [--seed N]
import { isTimeUp, tried } from "../support/campaign.ts";
import { type DocumentedRoute, fetchDocument } from "../support/documented.ts";
import type { Schema } from "../support/json-schema.ts";
import { createRandom } from "../support/random.ts";
import { atMost, type Bench, holds, type Row } from "./support/bench.ts";
import { createFindings, type Findings, shown } from "./support/findings.ts";
import { watchHealth } from "./support/health-watch.ts";
import { createHttpFuzz, type FuzzRequest } from "./support/http-fuzz.ts";
import { type HubUnderTest, startHub } from "./support/hub-under-test.ts";
import { rssMiB } from "./support/proc.ts";
import { bodyOf, type Exchange, exchange, statusesOf, statusOf } from "./support/raw-exchange.ts";
import { percentile } from "./support/stats.ts";

const REQUESTS = 100_000;
const BRIEF_REQUESTS = 8_000;
const AT_ONCE = 24;
// A whole request that is not answered by then hangs; what is not whole is let go soon.
const HANG_MS = 15_000;
const UNFINISHED_MS = 60;
const LINGER_MS = 3;
const MAX_GROWTH_MIB = 256;
const HEALTH_CEILING_MS = 250;
// The asking shares its process with the fuzzer.
const WORST_CEILING_MS = 1000;
// Stands where only administrators may look: a name in an answer says whose eyes it was for.
const MARK = "for-the-administrators-eyes";
const LOGIN_EVERY = 5_000;
/** Started again, as also with its first standby, the hub has another port. */
const RESTARTS = /\/(?:system\/restart|standby\/pair)$/;

export const fuzzHttp: Bench = {
  name: "fuzz-http",
  async run(context) {
    await using hub = await startHub({
      ...context,
      sysmon: false,
      server: "max_anonymous_requests_per_second = 1000000",
    });
    const callers = await makeCallers(hub);
    const { document, routes } = await fetchDocument(`http://127.0.0.1:${hub.port}/api/v1`);
    const resolve = (ref: string): Schema => document.components.schemas[ref.split("/").at(-1) ?? ""] ?? {};
    const asked = routes.filter(({ path }) => !RESTARTS.test(path)).map(withoutRestart);
    const next = createHttpFuzz(createRandom(context.seed), { routes: asked, resolve, tokens: () => callers.tokens });
    const findings = createFindings();
    const before = rssMiB(hub.pid);
    using health = watchHealth({ port: hub.port, everyMs: 100, withinMs: 5000 });
    const ends = { answered: 0, closed: 0, silent: 0 };
    const statuses = new Map<number, number>();
    let sent = 0;
    const requests = context.brief ? BRIEF_REQUESTS : REQUESTS;
    let isDead = false;
    let most = before;

    async function work(): Promise<void> {
      while (sent < requests && !isDead && !isTimeUp()) {
        sent++;
        if (sent % LOGIN_EVERY === 0) {
          await callers.renew();
          most = Math.max(most, rssMiB(hub.pid));
          context.say(`${sent} requests, ${findings.kinds} kinds of findings, RSS ${rssMiB(hub.pid).toFixed(0)} MiB`);
        }
        const request = next();
        const got = await exchange({
          port: hub.port,
          bytes: request.bytes,
          withinMs: request.whole ? HANG_MS : UNFINISHED_MS,
          lingerMs: request.kind === "plain" ? 0 : LINGER_MS,
        });
        ends[got.end]++;
        const status = statusOf(got.text);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        judge(findings, request, got, document.paths);
        isDead = got.end === "closed" && got.text === "" && !(await isUp(hub));
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work));

    for (const line of findings.lines()) context.say(`FOUND ${line}`);
    context.say(
      `statuses: ${[...statuses]
        .sort(([a], [b]) => a - b)
        .map(([status, count]) => `${status} ${count}×`)
        .join(", ")}`,
    );
    tried(`${sent} requests, ${ends.answered} of them answered, ${findings.total} findings`);
    return rowsOf({ sent, ends, findings, isDead }, health, {
      before,
      most: Math.max(most, isDead ? 0 : rssMiB(hub.pid)),
    });
  },
};

function withoutRestart(route: DocumentedRoute): DocumentedRoute {
  const { parameters = [], ...operation } = route.operation;
  return { ...route, operation: { ...operation, parameters: parameters.filter(({ name }) => name !== "restart") } };
}

interface Outcome {
  sent: number;
  ends: Record<Exchange["end"], number>;
  findings: Findings;
  isDead: boolean;
}

function rowsOf(
  { sent, ends, findings, isDead }: Outcome,
  health: { spans: readonly number[]; missed: number },
  { before, most }: { before: number; most: number },
): Row[] {
  const shownOnly = (name: string, hub: number): Row => ({
    name,
    hub,
    ...{ twin: undefined, ratio: undefined, target: undefined, met: undefined },
  });
  return [
    shownOnly("requests sent", sent),
    shownOnly("answered", ends.answered),
    shownOnly("closed without an answer", ends.closed),
    shownOnly("unfinished, and let go", ends.silent),
    atMost("findings", findings.total, undefined, 0, ""),
    holds("the hub is up", !isDead),
    atMost("/health p99, ms", percentile(health.spans, 99), undefined, HEALTH_CEILING_MS, "ms"),
    atMost("/health worst, ms", Math.max(...health.spans), undefined, WORST_CEILING_MS, "ms"),
    atMost("/health not answered", health.missed, undefined, 0, ""),
    atMost("RSS growth, MiB", most - before, undefined, MAX_GROWTH_MIB, "MiB"),
  ];
}

interface Callers {
  readonly tokens: { viewer: string; admin: string };
  /** A fuzzed request may have ended a token. */
  renew(): Promise<void>;
}

async function makeCallers(hub: HubUnderTest): Promise<Callers> {
  const api = `http://127.0.0.1:${hub.port}/api/v1`;
  const keeper = await hub.login();
  const post = async <T>(path: string, body: object): Promise<T> => {
    const answer = await fetch(api + path, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${keeper}` },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  await post("/auth/users", { username: `${MARK}-user`, password: "nobody logs in with this", role: "viewer" });
  await post("/auth/api-keys", { label: `${MARK}-key`, role: "viewer" });
  const key = async (role: string): Promise<string> =>
    (await post<{ key: string }>("/auth/api-keys", { label: `fuzz-${role}`, role })).key;
  const tokens = { viewer: await key("viewer"), admin: await key("admin") };
  return {
    tokens,
    async renew() {
      for (const role of ["viewer", "admin"] as const) {
        const me = await fetch(`${api}/auth/me`, { headers: { authorization: `Bearer ${tokens[role]}` } });
        if (me.status === 401) tokens[role] = await key(role);
      }
    },
  };
}

async function isUp(hub: HubUnderTest): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${hub.port}/api/v1/health`, {
    signal: AbortSignal.timeout(HANG_MS),
  }).catch(() => undefined);
  return answer?.status === 200;
}

/** What the door itself says to somebody it does not know; everything else came from behind it. */
const AT_THE_DOOR = new Set([400, 401, 405, 408, 411, 413, 414, 415, 417, 421, 426, 429, 431, 501, 505]);
const PUBLIC = /\/(health|openapi\.json|webhooks|login|notify\/links)/;
// Whatever stands before the path, and behind its end.
const PUBLIC_TARGET = /^(http:\/\/[^/?#]*)?((\/api\/v1)?\/(health|openapi\.json)\/?|\/?)([?#]|$)/i;
const PUBLIC_BODY = /^(\{"status":"ok"|\{"openapi":"3|<!doctype html>)/i;

function judge(
  findings: Findings,
  { bytes, caller, kind, route, whole }: FuzzRequest,
  got: Exchange,
  paths: Record<string, Record<string, DocumentedRoute["operation"]>>,
): void {
  const example = (): string => `${shown(bytes)}\n      → ${shown(got.text)}`;
  const body = bodyOf(got.text);
  const statuses = statusesOf(got.text);
  if (got.end === "silent" && whole) findings.add(`no answer to a whole ${kind} request`, example);
  for (const status of statuses) {
    if (status === 500) findings.add(`500 (${kind}, ${caller}, ${route.name})`, example);
    if (status >= 200 && status < 300 && caller === "nobody" && !isForAll(bytes, body))
      findings.add(`${status} for nobody (${kind})`, example);
  }
  const [status = 0] = statuses;
  if (caller !== "admin" && got.text.includes(MARK))
    findings.add(`what is the administrators', for ${caller}`, example);
  // What a HEAD was answered is known by its status alone.
  const isHead = bytes.subarray(0, 4).toString("latin1") === "HEAD";
  if (
    caller === "nobody" &&
    status >= 400 &&
    !isHead &&
    !PUBLIC.test(bytes.toString("latin1")) &&
    !isFromTheDoor(status, body)
  )
    findings.add(`a handler answered nobody with ${status} (${kind})`, example);
  if (caller === "viewer" && status >= 200 && status < 300 && kind === "plain") {
    const access = route.operation["x-access"];
    if (access === "admin" || access === "user") findings.add(`${status} for a viewer: ${route.name}`, example);
  }
  const named = paths[route.path]?.[route.method.toLowerCase()]?.responses ?? {};
  if (kind === "plain" && status > 0 && !(status in named) && !isMissingRoute(status, body))
    findings.add(`${status} is not documented: ${route.name}`, example);
}

function isFromTheDoor(status: number, body: string): boolean {
  if (status === 400) return !body.includes('"problems"');
  return AT_THE_DOOR.has(status) || isMissingRoute(status, body);
}

// A name with a slash or a dot in it may be another address altogether.
function isMissingRoute(status: number, body: string): boolean {
  return status === 405 || (status === 404 && (body === "" || body.includes("there is nothing at this address")));
}

/** What is answered with a body shows it; a preflight, and what a HEAD asks for, are known by the request alone. */
function isForAll(bytes: Buffer, body: string): boolean {
  const [method, target = ""] = bytes.subarray(0, 2000).toString("latin1").split(" ", 2);
  if (method === "OPTIONS") return true;
  return method === "HEAD" ? PUBLIC_TARGET.test(target) : PUBLIC_BODY.test(body);
}
