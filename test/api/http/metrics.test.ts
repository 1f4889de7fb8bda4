// GET /metrics, as a scraper sees it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHistogram } from "../../../src/kit/lifecycle/histogram.ts";
import {
  histogramSamples,
  metricsTypeFor,
  OPENMETRICS_TYPE,
  prometheusText,
} from "../../../src/server/system/prometheus.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";
import { until } from "../../support/wait.ts";

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
      if (comment[1] === "TYPE") expect(comment[3]).toMatch(/^(counter|gauge|histogram)$/);
      const endings = comment[3] === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
      for (const ending of endings) described.add(`${comment[2]}${ending}`);
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

test("OpenMetrics for who accepts it, and the same samples", async () => {
  const accept =
    "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
  const answer = await fetch(`${new URL(hub.api).origin}/metrics`, {
    headers: { authorization: `Bearer ${key}`, accept },
  });
  expect(answer.headers.get("content-type")).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
  expect(answer.headers.get("vary")).toContain("accept");
  const text = await answer.text();
  expect(text).toEndWith("\n# EOF\n");
  expect(text).toContain("# TYPE hub_events counter\n");
  const plain = parse(await (await ask()).text());
  const open = text.split("\n").flatMap((line) => /^([^#].*) \S+$/.exec(line)?.[1] ?? []);
  expect(open.filter((name) => !plain.has(name))).toEqual([]);
});

test("plain text for who does not ask for more, or for less of it", () => {
  for (const accept of [null, "", "*/*", "text/plain", "text/plain, application/openmetrics-text; q=0.5", "a;q=b,,;"])
    expect({ accept, type: metricsTypeFor(accept) }).toEqual({
      accept,
      type: "text/plain; version=0.0.4; charset=utf-8",
    });
  for (const accept of ["application/openmetrics-text", "text/*;q=0.5, Application/OpenMetrics-Text;version=1.0.0"])
    expect({ accept, type: metricsTypeFor(accept) }).toEqual({ accept, type: OPENMETRICS_TYPE });
});

test("how long requests, commands and rules take, in buckets", async () => {
  const { adminToken: token } = hub;
  const before = parse(await (await ask()).text());
  const rule = {
    id: "metered",
    name: "Metered",
    trigger: { type: "hub_variable_changed", name: "metered" },
    actions: [{ type: "delay", duration_secs: 0.01 }],
  };
  expect((await hub.request("POST", "/rules", { token, body: rule })).status).toBe(201);
  await hub.request("PUT", "/variables/metered", { token, body: { value: 1 } });
  await hub.request("GET", "/nothing", { token });
  const grown = async (): Promise<(name: string) => number> => {
    const after = parse(await (await ask()).text());
    return (name) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  };
  await until("the run of the rule", async () => (await grown())("hub_rule_run_seconds_count") === 1);
  const by = await grown();
  expect(by("hub_rule_decision_seconds_count")).toBe(1);
  expect(by('hub_rule_run_seconds_bucket{le="0.001"}')).toBe(0);
  expect(by('hub_rule_run_seconds_bucket{le="10.0"}')).toBe(1);
  // A timer of ten milliseconds may fire a fraction of one early.
  expect(by("hub_rule_run_seconds_sum")).toBeGreaterThan(0.009);
  expect(by('hub_http_request_seconds_count{method="GET",code="4xx"}')).toBe(1);
  expect(by('hub_http_request_seconds_bucket{method="POST",code="2xx",le="+Inf"}')).toBe(1);
  expect(by("process_cpu_seconds_total")).toBeGreaterThan(0);
});

test("buckets hold what is at their bound, and strange labels are bounded in number", () => {
  const histogram = createHistogram([0.5, 1], ["who"]);
  for (const seconds of [0.1, 0.5, 0.75, 1, 3]) histogram.observe(seconds, "a");
  const ofA = histogramSamples(histogram).map(({ suffix, labels, value }) => [suffix, labels?.le, value]);
  expect(ofA).toEqual([
    ["_bucket", "0.5", 2],
    ["_bucket", "1.0", 4],
    ["_bucket", "+Inf", 5],
    ["_sum", undefined, 5.35],
    ["_count", undefined, 5],
  ]);
  for (let index = 0; index < 1000; index++) histogram.observe(1, `b${index}`);
  const all = [...histogram.series()];
  expect(all.length).toBeLessThanOrEqual(101);
  expect(all.at(-1)?.labels).toEqual({ who: "other" });
  expect(all.reduce((sum, { counts }) => sum + counts.reduce((a, b) => a + b), 0)).toBe(1005);
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
