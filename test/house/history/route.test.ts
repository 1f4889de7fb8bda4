// GET /devices/:id/history as a client sees it. Access is tested with all routes, in test/contract.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { bugResponse, problemResponse, toHubError } from "../../../src/api/http/errors.ts";
import { historyRoutes } from "../../../src/api/http/routes/history.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { HubError } from "../../../src/kit/schema/errors.ts";
import type { Identity } from "../../../src/server/auth/auth.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { type HistoryRig, startHistoryRig } from "./history-rig.ts";
import type { Item } from "./store-rig.ts";

const HOUR_MS = 3_600_000;
const folder = createTemporaryFolder();
let rig: HistoryRig;
const asked = { kind: "user", id: "1", name: "ann", role: "admin", expiresAt: undefined, ver: 1 } as Identity;
let get: (query: string, headers?: Record<string, string>, device?: string) => Promise<Response>;

beforeAll(async () => {
  // The clock starts at noon UTC, 13:00 in Berlin.
  rig = startHistoryRig({ path: folder.at("history.db") });
  const registry = {
    get(id: string) {
      if (id !== "lamp") throw new HubError("not_found", `there is no device "${id}"`);
      return { id, details: { schema: { properties: { mode: { type: "string", format: "password" } } } } } as never;
    },
  };
  const app = new Elysia({ normalize: false })
    .onError(({ code, error }) => {
      const refusal = toHubError({ code, error }, { log: silentLog, path: "/", storageFault: () => undefined });
      return refusal ? problemResponse(refusal, "/") : bugResponse("/");
    })
    .use(historyRoutes({ registry, history: rig.history, clock: rig.clock, callers: { of: () => asked } }));
  get = (query, headers = {}, device = "lamp") =>
    app.handle(new Request(`http://localhost/devices/${device}/history${query}`, { headers }));
  rig.report("lamp", { on: false, level: 0, mode: "=1+1" });
  for (let hour = 1; hour <= 30; hour++) {
    await rig.clock.advance(HOUR_MS);
    rig.report("lamp", { on: hour % 2 === 1, level: hour, mode: 'say "hi", twice' });
  }
  await rig.clock.advance(HOUR_MS);
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const items = async (query: string): Promise<Item[]> => {
  const response = await get(query);
  expect(response.status).toBe(200);
  return (await response.json()) as Item[];
};

test("without a query: the last day, and first the values from before it", async () => {
  const found = await items("");
  expect(found.slice(0, 4)).toEqual([
    { timestamp: "2026-01-15T13:00:00.000Z", attribute: "mode", value: 'say "hi", twice' },
    { timestamp: "2026-01-15T18:00:00.000Z", attribute: "level", value: 6 },
    { timestamp: "2026-01-15T18:00:00.000Z", attribute: "on", value: false },
    { timestamp: "2026-01-15T19:00:00.000Z", attribute: "level", value: 7 },
  ]);
  expect(found.at(-1)).toEqual({ timestamp: "2026-01-16T18:00:00.000Z", attribute: "on", value: false });
  expect(found).toHaveLength(3 + 2 * 24);
});

test("following the links page by page gives everything once", async () => {
  const whole = await items("?from=2026-01-15&attribute=level,on");
  const found: Item[] = [];
  let pages = 0;
  for (let query: string | undefined = "?from=2026-01-15&attribute=level,on&limit=7"; query; pages++) {
    const response = await get(query);
    found.push(...((await response.json()) as Item[]));
    query = /^<[^?]*(\?[^>]*)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
  }
  expect(found).toEqual(whole);
  expect(pages).toBe(8);
});

test("days begin at the house's midnight; booleans average to the share of the time, texts have only a last value", async () => {
  const days = await items("?bucket=1d&from=2026-01-15&attribute=on,mode,level&agg=avg");
  expect(days.filter(({ attribute }) => attribute === "on")).toEqual([
    { timestamp: "2026-01-14T23:00:00.000Z", attribute: "on", value: 5 / 11, count: 11 },
    { timestamp: "2026-01-15T23:00:00.000Z", attribute: "on", value: 10 / 20, count: 20 },
  ]);
  expect(days.find(({ attribute }) => attribute === "mode")).toMatchObject({ value: null, count: 2 });
  const last = await items("?bucket=1d&from=2026-01-15&agg=last");
  expect(last.slice(0, 3).map(({ attribute, value }) => [attribute, value])).toEqual([
    ["level", 10],
    ["mode", 'say "hi", twice'],
    ["on", false],
  ]);
});

test("a bucket without a change has the value from before it", async () => {
  const found = await items("?bucket=20m&from=2026-01-16T10:00:00Z&to=2026-01-16T11:00:00Z&attribute=level");
  expect(found.map(({ value, count }) => [value, count])).toEqual([
    [22, 1],
    [22, 0],
    [22, 0],
  ]);
});

test("CSV, by query or by Accept: quoted by RFC 4180, and no text is a formula to a spreadsheet", async () => {
  const query = "?from=2026-01-15T12:00:00Z&to=2026-01-15T13:00:01Z";
  const response = await get(`${query}&format=csv`);
  expect(response.headers.get("content-type")).toContain("text/csv");
  expect(response.headers.get("content-disposition")).toBe('attachment; filename="history-lamp.csv"');
  const text = await response.text();
  expect(text.split("\r\n")).toEqual([
    "timestamp,attribute,value",
    "2026-01-15T12:00:00.000Z,level,0",
    "2026-01-15T12:00:00.000Z,mode,'=1+1",
    "2026-01-15T12:00:00.000Z,on,false",
    "2026-01-15T13:00:00.000Z,level,1",
    '2026-01-15T13:00:00.000Z,mode,"say ""hi"", twice"',
    "2026-01-15T13:00:00.000Z,on,true",
    "",
  ]);
  expect(await (await get(query, { accept: "text/csv" })).text()).toBe(text);
  const counted = await (await get(`${query}&format=csv&bucket=1h&attribute=level`)).text();
  expect(counted).toContain("timestamp,attribute,value,count\r\n2026-01-15T12:00:00.000Z,level,0,1\r\n");
});

test("an unknown attribute, and a time before the first sample, give empty lists", async () => {
  expect(await items("?attribute=nothing")).toEqual([]);
  expect(await items("?attribute=nothing&bucket=1h")).toEqual([]);
  expect(await items("?from=0&to=86400")).toEqual([]);
  expect(await items("?from=2001-01-01&to=2011-01-01&bucket=1d")).toEqual([]);
});

test("times with a plus that was not escaped, and in seconds", async () => {
  expect(await items("?from=2026-01-15T14:00:00+01:00&to=2026-01-15T14:00:01+01:00&initial=false")).toHaveLength(3);
  expect(await items("?from=1768482000&to=1768482001&initial=false")).toHaveLength(3);
});

test.each([
  ["?from=yesterday", "from: must be a time"],
  ["?to=2026-02-30", "to: must be a time"],
  ["?from=2026-01-15T12:00:00Z&to=2026-01-15T12:00:00Z", "from: must be before to"],
  ["?from=2030-01-01", "from: must be in the past"],
  ["?bucket=1y", "bucket: must be seconds"],
  ["?bucket=0", "bucket: must be seconds"],
  ["?bucket=1s&from=2026-01-01", "try bucket=5m"],
  ["?bucket=1d&from=0", "try bucket=1w"],
  ["?agg=avg", "agg: needs bucket"],
  ["?bucket=1h&agg=median", "agg: must be"],
  ["?limit=0", "limit: must be a whole number not below 1"],
  ["?limit=many", "limit"],
  ["?format=xml", "format: must be"],
  ["?initial=maybe", "initial"],
  ["?atribute=on", "unknown key"],
])("%s is refused by name", async (query, text) => {
  const response = await get(query);
  expect(response.status).toBe(400);
  expect(((await response.json()) as { error: string }).error).toContain(text);
});

test("an unknown device is not found", async () => {
  expect((await get("", {}, "nobody")).status).toBe(404);
});

test("a limit above the maximum is the maximum", async () => {
  const [most, more] = [await get("?limit=10000"), await get("?limit=50000")];
  expect([more.status, await more.text()]).toEqual([200, await most.text()]);
});

test("what is a password by now is read by administrators alone, also of before it was one", async () => {
  const attributesSeen = async (role: Identity["role"]): Promise<string[]> => {
    const before = asked.role;
    asked.role = role;
    try {
      return [...new Set((await items("")).map(({ attribute }) => attribute))].sort();
    } finally {
      asked.role = before;
    }
  };
  expect(await attributesSeen("viewer")).toEqual(["level", "on"]);
  expect(await attributesSeen("admin")).toEqual(["level", "mode", "on"]);
});
