// A hub with one part off, for each part: every route answers, or says which part is off, why, and what happens next.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { OPTIONAL_PARTS, type OptionalPart } from "../../src/hub/part-starter.ts";
import type { StartWatch } from "../../src/system/starts.ts";
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

for (const part of OPTIONAL_PARTS) {
  test(`${part} off: every route`, async () => {
    await using without = await startWithout(part);
    const answers = await askAll(without.hub);
    const refused = [...answers].filter(([, { status }]) => status === 503);
    console.log(part, refused.map(([name, {body}]) => `${name} ${body.part}`));
    console.log(part, [...answers].filter(([name, {status}]) => status !== 503 && status !== wholeHub.get(name)?.status).map(([name, {status}]) => `${name} ${status} ${wholeHub.get(name)?.status}`));
  });
}
