// A hub with one part off, for each part: every route answers, or says which part is off, why, and what happens next.
// Over 10 s: seven hubs, each asked by every route.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { OPTIONAL_PARTS, type OptionalPart } from "../../src/app/hub/start/part-starter.ts";
import type { StartWatch } from "../../src/server/system/starts.ts";
import { type Documented, type DocumentedRoute, fetchDocument } from "../support/documented.ts";
import {
  addressOf,
  createSamples,
  layOutOneOfEach,
  makeOneOfEach,
  nameIn,
  ONE_OF_EACH_TOML,
} from "../support/one-of-each.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";

const TOML = `${ONE_OF_EACH_TOML}
[mcp]
enabled = true
`;
const ERROR = "it failed three times";
const NEXT_TRY = Date.UTC(2099, 0, 1);

let folder: TemporaryFolder;
let api: Documented;
let admin: TestHub["admin"];
let wholeHub: Map<string, Answer>;

interface Answer {
  status: number;
  type: string | null;
  body: { code?: string; part?: string; why?: string; remedy?: string; next_try?: string; detail?: string };
}

function without(part: OptionalPart): StartWatch {
  const off = [{ part, error: ERROR, next: NEXT_TRY }];
  const safe = { since: "2026-11-26T00:00:00Z", failedPart: part, error: ERROR, off };
  return { safe, entering() {}, due: () => undefined, tryAgain() {} };
}

/** A hub in a copy of the house. */
async function startWithout(part?: OptionalPart) {
  await using stack = new AsyncDisposableStack();
  const copy = stack.use(createTemporaryFolder());
  cpSync(folder.path, copy.path, { recursive: true });
  const hub = stack.use(await startTestHub({ toml: TOML, folder: copy, admin, ...(part && { start: without(part) }) }));
  const owned = stack.move();
  return { hub, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function ask(hub: TestHub, route: DocumentedRoute): Promise<Answer> {
  const { bodyThatFits } = createSamples(api);
  const { method } = route;
  const body = route.operation.requestBody ? { body: bodyThatFits(route) } : {};
  const response = await hub.request(method, addressOf(route, nameIn(route.path)), { token: hub.adminToken, ...body });
  const text = await response.text();
  const type = response.headers.get("content-type");
  return { status: response.status, type, body: type?.includes("problem+json") ? JSON.parse(text) : {} };
}

/** What reads comes first, what removes last. */
async function askAll(hub: TestHub): Promise<Map<string, Answer>> {
  const order = ["GET", "PUT", "PATCH", "POST", "DELETE"];
  const routes = api.routes.toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method));
  const answers = new Map<string, Answer>();
  for (const route of routes) answers.set(route.name, await ask(hub, route));
  return answers;
}

beforeAll(async () => {
  folder = createTemporaryFolder();
  layOutOneOfEach(folder);
  await using hub = await startTestHub({ toml: TOML, folder });
  ({ admin } = hub);
  api = await fetchDocument(hub.api);
  await makeOneOfEach(hub, api);
  await hub[Symbol.asyncDispose]();
  await using whole = await startWithout();
  wholeHub = await askAll(whole.hub);
});
afterAll(() => folder[Symbol.dispose]());

/** The routes that cannot do without it; `plugins` need MQTT. */
const NEEDS: Record<OptionalPart, RegExp> = {
  history: /^(GET \S+\/devices\/\{id\}\/history|POST \S+\/rules\/\{id\}\/replay)$/,
  notify: /^\w+ \S+\/v1\/notify\//,
  backup: /^(POST \S+\/system\/backup|(GET|POST) \S+\/system\/backups)$/,
  // The vocabulary is the program's own.
  rules: /^\w+ \S+\/v1\/(rules(?!\/vocabulary)|blueprints|webhooks)(\/|$)/,
  plugins: /^\w+ \S+\/v1\/(plugins|plugin-uploads)(\/|$)/,
  mqtt: /^\w+ \S+\/v1\/(plugins|plugin-uploads)(\/|$)/,
};

for (const part of OPTIONAL_PARTS) {
  test(`${part} is off: no route fails, those that need it say so, the others work`, async () => {
    await using without = await startWithout(part);
    const answers = await askAll(without.hub);
    const refused = [...answers].filter(([name, { status }]) => status === 503 && wholeHub.get(name)?.status !== 503);
    const others = [...answers].filter(([name]) => !refused.some(([one]) => one === name));
    expect(others.filter(([, { status }]) => status === 500)).toEqual([]);
    expect(others.filter(([name, { status }]) => status !== wholeHub.get(name)?.status)).toEqual([]);
    // What is wrong with the request is said first.
    const needing = [...answers].filter(([name, { status }]) => NEEDS[part].test(name) && ![400, 415].includes(status));
    expect(refused.map(([name]) => name)).toEqual(needing.map(([name]) => name));
    expect(refused.length).toBeGreaterThan(0);
    for (const [name, { type, body }] of refused) {
      expect({ name, type, code: body.code }).toEqual({ name, type: "application/problem+json", code: "part_off" });
      expect(body.part).toMatch(part === "mqtt" ? /^(mqtt|plugins)$/ : new RegExp(`^${part}$`));
      expect(body.why).toContain(ERROR);
      expect(body.remedy).toMatch(/is tried again by itself at 2099-01-01 .*restart the hub/);
      expect(body.next_try).toBe("2099-01-01T00:00:00.000Z");
    }
  });

  test(`${part} is off: /health, /metrics and the status are there and say so`, async () => {
    await using without = await startWithout(part);
    const { api, adminToken: token, request } = without.hub;
    const health = await request("GET", "/health");
    expect({ status: health.status, body: await health.json() }).toMatchObject({
      status: 200,
      body: { status: "degraded", ready: false, degraded: expect.arrayContaining(["part_off"]) },
    });
    const headers = { authorization: `Bearer ${token}` };
    const metrics = await fetch(api.replace("/api/v1", "/metrics"), { headers });
    expect({ status: metrics.status, text: await metrics.text() }).toEqual({
      status: 200,
      text: expect.stringContaining('hub_alert{kind="part_off"}'),
    });
    const status = (await (await request("GET", "/system/status", { token })).json()) as Status;
    expect(status.safe_start.parts).toContainEqual(
      expect.objectContaining({ part, why: expect.stringContaining(ERROR), next_try: "2099-01-01T00:00:00Z" }),
    );
    expect(status.problems.map((problem) => problem.part)).toContain(part);
  });
}

interface Status {
  safe_start: { parts: { part: string; why: string; next_try: string }[] };
  problems: { part: string }[];
}
