// GET /metrics, as a scraper sees it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { prometheusText } from "../../src/system/prometheus.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";

let hub: TestHub;
let key: string;

beforeAll(async () => {
  hub = await startTestHub();
  key = await hub.tokenFor("viewer");
  await hub.request("POST", "/switches", { token: hub.adminToken, body: { id: "switch_tea", name: "Tea" } });
});
afterAll(() => hub[Symbol.asyncDispose]());

const ask = (query = "", token: string | undefined = key): Promise<Response> =>
  fetch(`${new URL(hub.api).origin}/metrics${query}`, token ? { headers: { authorization: `Bearer ${token}` } } : {});

/** Every line as the format has it, or an error; samples by name and labels. */
function parse(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  const described = new Set<string>();
  expect(text.endsWith("\n")).toBe(true);
  for (const line of text.trimEnd().split("\n")) {
    const comment = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(line);
    if (comment) {
      if (comment[1] === "TYPE") expect(comment[3]).toMatch(/^(counter|gauge)$/);
      described.add(comment[2] ?? "");
      continue;
    }
    const sample = /^([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\]|\\["\\n])*",?)+\})? (-?[0-9.e+-]+|NaN|[+-]Inf)$/.exec(line);
    if (!sample) throw new Error(`not a sample: ${line}`);
    expect(described).toContain(sample[1] ?? "");
    const name = `${sample[1]}${sample[2] ?? ""}`;
    expect(samples.has(name)).toBe(false);
    samples.set(name, Number(sample[3]?.replace("Inf", "Infinity")));
  }
  return samples;
}

test("needs a token, is for viewers, and says what it is", async () => {
  expect((await ask("", "")).status).toBe(401);
  const answer = await ask();
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect((await ask("?device=1")).status).toBe(400);
});

test("counts what happens", async () => {
  const before = parse(await (await ask()).text());
  using _stream = await hub.openStream();
  for (let turn = 0; turn < 3; turn++)
    await hub.request("PUT", "/variables/count", { token: hub.adminToken, body: { value: turn } });
  const after = parse(await (await ask()).text());
  const grown = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  expect(grown('hub_events_total{type="hub_variable_changed"}')).toBe(3);
  expect(grown("hub_stream_clients")).toBe(1);
  expect(after.get('hub_devices{available="true"}')).toBe(1);
  expect(after.get("process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
  expect(after.get('hub_db_bytes{db="state"}')).toBeGreaterThan(0);
  expect(after.has("hub_loop_lag_seconds")).toBe(true);
  for (const step of ["stores", "house", "rules", "api", "profiles", "mqtt"])
    expect(after.get(`hub_start_seconds{step="${step}"}`)).toBeGreaterThanOrEqual(0);
});

test("gives the values of devices to whoever asks for them, and to nobody else", async () => {
  expect(await (await ask()).text()).not.toContain("hub_device_value");
  const values = parse(await (await ask("?devices=true")).text());
  expect([...values.keys()].some((name) => name.startsWith('hub_device_value{device="switch_tea"'))).toBe(true);
});

test("keeps names with quotes, backslashes and line breaks apart from the format", () => {
  const text = prometheusText([
    { name: "m", type: "gauge", help: 'a\\b\n"c"', samples: [{ labels: { x: 'a"b\\c\nd' }, value: Number.NaN }] },
    { name: "none", type: "gauge", help: "left out", samples: [] },
    { name: "big", type: "counter", help: "h", samples: [{ value: Number.POSITIVE_INFINITY }] },
  ]);
  expect([...parse(text)]).toEqual([
    ['m{x="a\\"b\\\\c\\nd"}', Number.NaN],
    ["big", Number.POSITIVE_INFINITY],
  ]);
});
