// The OpenAPI document against the hub itself: what it says a route refuses is refused, every value is held to just the
// rules that stand there, and what is read looks as described. Statuses and bodies are checked by the TestHub as well.
// Over 10 s: every value of every route is sent at its bounds and beyond, some thousand requests.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import "../support/property-seed.ts";
import { type Documented, type DocumentedRoute, fetchDocument } from "../support/documented.ts";
import { examples } from "../support/examples.ts";
import type { Schema } from "../support/json-schema.ts";
import {
  addressOf,
  createSamples,
  layOutOneOfEach,
  makeOneOfEach,
  nameIn,
  ONE_OF_EACH_TOML,
  THING,
} from "../support/one-of-each.ts";
import { openRawSocket } from "../support/raw-socket.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { until } from "../support/wait.ts";

let hub: TestHub;
let folder: TemporaryFolder;
let api: Documented;
/** As header lines. */
let confirmation: string[];

beforeAll(async () => {
  folder = createTemporaryFolder();
  layOutOneOfEach(folder);
  hub = await startTestHub({ toml: ONE_OF_EACH_TOML, folder });
  api = await fetchDocument(hub.api);
  await makeOneOfEach(hub, api);
  confirmation = Object.entries(await hub.confirmed()).map(([name, value]) => `${name}: ${value}`);
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const sample = (schema: Schema): unknown => createSamples(api).sample(schema);
const bodyThatFits = (route: DocumentedRoute): unknown => createSamples(api).bodyThatFits(route);
const isSent = ({ method }: DocumentedRoute): boolean => method !== "GET";
const isClosed = ({ operation }: DocumentedRoute): boolean => operation["x-access"] !== "public";

describe("what a route is said to refuse, it refuses:", () => {
  const kinds: [number, (route: DocumentedRoute) => boolean, (route: DocumentedRoute) => Promise<number>][] = [
    [401, isClosed, async (route) => (await hub.request(route.method, addressOf(route))).status],
    [
      404,
      // Where something else comes first: the call of a stranger, the file of a rule that nobody asked for.
      ({ path }) => path.includes("{"),
      async (route) => {
        const body = route.operation.requestBody ? { body: bodyThatFits(route) } : {};
        return (await hub.request(route.method, addressOf(route, "nothing"), { token: hub.adminToken, ...body }))
          .status;
      },
    ],
    [411, isSent, (route) => rawStatus(route, ["Transfer-Encoding: chunked"], "0\r\n\r\n")],
    [413, isSent, (route) => rawStatus(route, ["Content-Length: 999999999999"], "{}")],
    [415, isSent, (route) => rawStatus(route, ["Content-Type: text/plain", "Content-Length: 2"], "{}")],
  ];
  for (const [status, fits, ask] of kinds) {
    test(`${status}`, async () => {
      const claimed = api.routes.filter((route) => `${status}` in route.operation.responses && fits(route));
      expect(claimed.length).toBeGreaterThan(5);
      for (const route of claimed)
        expect({ name: route.name, status: await ask(route) }).toEqual({ name: route.name, status });
      const silent = api.routes.filter((route) => !(`${status}` in route.operation.responses) && fits(route));
      // Archives are taken in pieces, and make the hub restart.
      for (const route of silent.filter(({ path }) => !path.endsWith("/restore") && !path.endsWith("/backup"))) {
        const answered = await ask(route);
        expect({ name: route.name, answered, isRefused: answered === status }).toMatchObject({ isRefused: false });
      }
    });
  }
});

/** A socket of its own, as no client sends such; at what is not there, as it may be done after all. */
async function rawStatus({ method, path }: DocumentedRoute, headers: string[], body: string): Promise<number> {
  using socket = await openRawSocket(Number(new URL(hub.api).port));
  const lines = [`Authorization: Bearer ${hub.adminToken}`, "Host: localhost", ...confirmation, ...headers];
  socket.write(`${method} ${path.replace(/\{\w+\}/g, "nothing")} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
  return await socket.status();
}

function isAsDescribed(schema: Schema, value: unknown): boolean {
  return api.schemaProblems(schema, value).length === 0;
}

interface Value {
  route: DocumentedRoute;
  /** As refusals name it. */
  path: string;
  schema: Schema;
  ask(value: unknown): Promise<Response>;
}

/** Every value of the document that a client may choose: in a path where it makes something, in queries and in bodies. */
function valuesOf(route: DocumentedRoute): Value[] {
  const { method, operation } = route;
  const token = hub.adminToken;
  const [content] = Object.entries(operation.requestBody?.content ?? {}).filter(
    ([type]) => type === "application/json",
  );
  const whole = content?.[1].schema;
  const base = whole ? sample(whole) : undefined;
  const body = whole ? { body: base } : {};
  const parameters = (operation.parameters ?? []).flatMap(({ name, in: place, schema }): Value[] => {
    const named = { route, path: name, schema };
    if (place === "query") {
      const address = (value: unknown): string =>
        `${addressOf(route)}?${new URLSearchParams({ [name]: String(value) })}`;
      return [{ ...named, ask: (value) => hub.request(method, address(value), { token, ...body }) }];
    }
    // Elsewhere a name that cannot be one is only one that is not there.
    if (place !== "path" || schema.pattern === undefined) return [];
    const address = (value: unknown): string => addressOf(route, encodeURIComponent(String(value)));
    // Nothing, and what means a folder, make another address.
    const isAnother = (value: unknown): boolean => ["", ".", ".."].includes(String(value));
    const ask = (value: unknown): Promise<Response> =>
      isAnother(value)
        ? Promise.resolve(Response.json({ problems: [{ path: name }] }, { status: 400 }))
        : hub.request(method, address(value), { token, ...body });
    return [{ ...named, ask }];
  });
  const resolved = whole?.$ref ? (api.document.components.schemas[whole.$ref.split("/").at(-1) ?? ""] ?? {}) : whole;
  return [...parameters, ...(resolved ? inside(resolved, base, []) : [])];

  function inside(schema: Schema, at: unknown, keys: (string | number)[]): Value[] {
    const path = keys.reduce<string>(
      (text, key) => (typeof key === "number" ? `${text}[${key}]` : text ? `${text}.${key}` : key),
      "",
    );
    const own: Value = {
      route,
      path,
      schema,
      ask: (value) => hub.request(method, addressOf(route), { token, body: put(base, keys, value) as object }),
    };
    const children = Object.entries(schema.properties ?? {}).flatMap(([key, child]) => {
      const there = (at as Record<string, unknown> | undefined)?.[key] ?? sample(child);
      return inside(child, there, [...keys, key]);
    });
    const items = schema.items ? inside(schema.items, sample(schema.items), [...keys, 0]) : [];
    return [...(keys.length > 0 ? [own] : []), ...children, ...items];
  }
}

function put(base: unknown, [key, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof key === "number") return [put(undefined, rest, value)];
  const object = (base ?? {}) as Record<string, unknown>;
  return { ...object, [key]: put(object[key], rest, value) };
}

/** Just inside and just outside of each rule that stands in the schema. */
function boundaries(schema: Schema): unknown[] {
  const { minLength, maxLength, minimum, maximum, exclusiveMinimum, minItems, maxItems, pattern } = schema;
  const around = (limit: number | undefined): number[] => (limit === undefined ? [] : [limit - 1, limit, limit + 1]);
  const lengths = [...around(minLength), ...around(maxLength)].filter((length) => length >= 0);
  const counts = [...around(minItems), ...around(maxItems)].filter((count) => count >= 0);
  const step = schema.type === "integer" ? [] : [0.5];
  return [
    ...lengths.map((length) => "a".repeat(length)),
    ...[...around(minimum), ...around(maximum), ...around(exclusiveMinimum)].flatMap((at) => [
      at,
      ...step.map((by) => at + by),
    ]),
    ...counts.map((count) => Array.from({ length: count }, () => sample(schema.items ?? {}))),
    ...(schema.enum ?? []),
    ...(schema.enum ? ["no such word"] : []),
    ...(pattern === undefined ? [] : ["", " ", "a/b", "a#b", "$a", ".", "..", "ä b", "\u0007", "1h", "999999999w"]),
  ];
}

interface Verdict {
  name: string;
  path: string;
  value: string;
  accepted: boolean;
}

interface Refusal {
  detail?: string;
  problems?: { path?: string }[];
}

async function verdictOf({ route, path, ask }: Value, value: unknown): Promise<Verdict & { status: number }> {
  const response = await ask(value);
  const text = await response.text();
  const refusal = response.status === 400 ? (JSON.parse(text) as Refusal) : undefined;
  const { detail = "", problems = [] } = refusal ?? {};
  const reported =
    problems.some((problem) => `${problem.path}`.startsWith(path)) ||
    (problems.length === 0 && refusal !== undefined && detail.startsWith(path));
  const shown = JSON.stringify(value) ?? "undefined";
  return { name: route.name, path, value: shown.slice(0, 80), accepted: !reported, status: response.status };
}

/** In a query everything is text: read as the schema means it. */
function asMeant({ route, path, schema }: Value, value: unknown): unknown {
  const isParameter = route.operation.parameters?.some(({ name }) => name === path);
  if (!isParameter) return value;
  const text = String(value);
  // As the framework reads it: blanks are 0.
  if (schema.type === "integer" && text !== "" && Number.isInteger(Number(text))) return Number(text);
  return schema.type === "boolean" && /^(true|false)$/.test(text) ? text === "true" : text;
}

// What one schema cannot say, and its description does: bytes, other values beside it, times and devices that there are.
const BEYOND_THE_SCHEMA = new Set([
  "GET /api/v1/devices/{id}/history from",
  "GET /api/v1/devices/{id}/history to",
  "GET /api/v1/devices/{id}/history agg",
  "GET /api/v1/devices/{id}/history bucket",
  "GET /api/v1/calendars/{id}/events from",
  "GET /api/v1/calendars/{id}/events to",
  "POST /api/v1/groups members",
  "PUT /api/v1/groups/{id} members",
  "PATCH /api/v1/groups/{id} members",
  "POST /api/v1/rules/{id}/replay from",
  "POST /api/v1/rules/{id}/replay to",
  "POST /api/v1/rules/replay from",
  "POST /api/v1/rules/replay to",
  "POST /api/v1/rules/{id}/test at",
  // Areas and devices that there are, for keys with a scope.
  "POST /api/v1/auth/api-keys areas",
  "POST /api/v1/auth/api-keys areas[0]",
  "POST /api/v1/auth/api-keys devices",
  "POST /api/v1/auth/api-keys devices[0]",
  "POST /api/v1/auth/api-keys read_only",
  "POST /api/v1/history/exports/{name}/backfill from",
  "POST /api/v1/history/exports/{name}/backfill to",
  // What is not the id in the address is refused as such, whatever it is.
  "PUT /api/v1/rules/{id} id",
]);

function allValues(): Value[] {
  return api.routes.flatMap(valuesOf).filter(({ route, path, schema }) => {
    // A trigger, condition or action is described by the kind it is of; an expression is a language.
    const isOfARule = "contentMediaType" in schema || schema.$ref !== undefined;
    return !BEYOND_THE_SCHEMA.has(`${route.name} ${path}`) && !isOfARule;
  });
}

describe("every value is held to the rules that stand in the document:", () => {
  test("at the boundaries", async () => {
    const wrong: Verdict[] = [];
    let asked = 0;
    for (const value of allValues()) {
      for (const candidate of boundaries(value.schema)) {
        asked++;
        const described = isAsDescribed(value.schema, asMeant(value, candidate));
        const verdict = await verdictOf(value, candidate);
        if (verdict.accepted !== described) wrong.push(verdict);
      }
    }
    expect(wrong).toEqual([]);
    expect(asked).toBeGreaterThan(200);
  });

  test("with anything in its place", async () => {
    // A rule's id may be null as well: it has none yet. Passwords are slow on purpose.
    const values = allValues().filter(
      ({ route, path }) =>
        !/login|password|users/.test(route.path) && !(route.path.endsWith("/rules") && path === "id"),
    );
    const anything = fc.oneof(
      fc.constantFrom<unknown>(null, true, false, [], {}, 0, -1, 0.5, 1e12, "", " ", THING, [THING], { thing: 1 }),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ maxLength: 300 }),
      fc.array(fc.string({ maxLength: 5 }), { maxLength: 60 }),
    );
    const index = fc.nat({ max: values.length - 1 });
    await fc.assert(
      fc.asyncProperty(index, anything, async (at, given) => {
        const value = values[at];
        if (!value) throw new Error("no such value");
        const described = isAsDescribed(value.schema, asMeant(value, given));
        const { accepted, ...verdict } = await verdictOf(value, given);
        expect({ ...verdict, accepted }).toEqual({ ...verdict, accepted: described });
      }),
      { numRuns: examples(300) },
    );
  });

  test("and nothing that is not named there is taken", async () => {
    const closed = api.routes.filter(({ operation }) => {
      const schema = operation.requestBody?.content["application/json"]?.schema;
      return schema?.additionalProperties === false;
    });
    expect(closed.length).toBeGreaterThan(15);
    for (const route of closed) {
      const schema = route.operation.requestBody?.content["application/json"]?.schema ?? {};
      const body = { ...(sample(schema) as object), not_named: 1 };
      const response = await hub.request(route.method, addressOf(route), { token: hub.adminToken, body });
      const text = await response.text();
      expect({ name: route.name, status: response.status, text }).toMatchObject({
        status: 400,
        text: expect.stringContaining("not_named"),
      });
    }
  });
});

describe("what is read looks as described:", () => {
  // An upgrade and a call with a rule's secret are not simply read; a plugin that is off cannot be asked; this hub has no file.
  const OTHERWISE: Record<string, number> = {
    // No device of this house shows any.
    "GET /api/v1/devices/{id}/picture": 404,
    "GET /api/v1/plugins/{id}/config": 409,
    "GET /api/v1/plugins/{id}/storage": 403,
    "GET /api/v1/events/stream": 426,
    "GET /api/v1/system/config": 404,
    "GET /api/v1/webhooks/{path}": 404,
    "GET /api/v1/notify/links/{token}": 404,
  };

  test("every GET answers with what the document shows", async () => {
    for (const route of api.routes.filter(({ method }) => method === "GET")) {
      const response = await hub.request("GET", addressOf(route, nameIn(route.path)), { token: hub.adminToken });
      const status = OTHERWISE[route.name] ?? 200;
      expect({ name: route.name, status: response.status }).toEqual({ name: route.name, status });
      const answer = api.answerOf(route, status);
      const schema = answer?.content?.["application/json"]?.schema;
      if (schema)
        expect({ name: route.name, problems: api.schemaProblems(schema, await response.json()) }).toEqual({
          name: route.name,
          problems: [],
        });
    }
  });

  test("every frame of the stream", async () => {
    const frameSchema = api.routeOf("GET", "/api/v1/events/stream")?.operation["x-frames"];
    if (!frameSchema) throw new Error("the frames are not described");
    using live = await hub.openStream({ since: "0" });
    const { adminToken: token } = hub;
    await hub.request("PUT", "/variables/framed", { token, body: { value: 1 } });
    await hub.request("PATCH", `/devices/${THING}/state`, { token, body: { command: "toggle" } });
    await hub.request("PATCH", `/devices/${THING}`, { token, body: { name: "Another name" } });
    await hub.request("PATCH", "/devices/timers/state", { token, body: { command: "start", duration_secs: 60 } });
    await hub.request("POST", `/scenes/${THING}/activate`, { token });
    await until("their events", () => live.frames.some(({ type }) => type === "scene_activated"));
    expect(new Set(live.frames.map(({ type }) => type)).size).toBeGreaterThan(5);
    for (const frame of live.frames) {
      const problems = api.schemaProblems(frameSchema, frame);
      expect({ type: frame.type, problems }).toEqual({ type: frame.type, problems: [] });
    }
  });
});
