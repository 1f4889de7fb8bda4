// Homie devices that are wrong, endless, or say everything anew all the time: named where a person can mend it, and nothing else waits.
import { describe, expect, test } from "bun:test";
import { EVERYTHING, inTopics, LAMP, type Messages } from "./homie-messages.ts";
import { createRig } from "./rig.ts";

type Rig = ReturnType<typeof createRig>;

const description = (more: object = {}): string =>
  JSON.stringify({ ...EVERYTHING, nodes: { light: EVERYTHING.nodes.light }, ...more });
const inJson = (base: string, id: string, more: object = {}): Messages => [
  [`${base}/5/${id}/$description`, description(more)],
  [`${base}/5/${id}/$state`, "ready"],
];
const problems = (rig: Rig): string[] => rig.discovery.list().flatMap(({ problem }) => problem ?? []);

async function receives(rig: Rig, messages: Messages, account = "homie"): Promise<void> {
  for (const [topic, payload] of messages) rig.publish(topic, payload, { account });
  await rig.clock.advance(1100);
}

describe("10,000 nodes", () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => `n${at}`);
  const empty = Object.fromEntries(ids.map((id) => [id, {}]));
  const full = Object.fromEntries(ids.map((id) => [id, { properties: { p: { datatype: "float" } } }]));

  test.each<[string, Messages, string]>([
    ["with a property each", inJson("homie", "d", { nodes: full }), "must be a JSON object of at most 262144 bytes"],
    [
      "listed and never described",
      inTopics("d", {}, { more: { $nodes: ids.join(",") } }),
      "has no $properties, and 9999 more",
    ],
    ["with nothing", inTopics("d", empty), "says more of itself than"],
  ])("%s: said in the inbox, and the next device is taken", async (_, messages, problem) => {
    using rig = createRig();
    const cpu = process.cpuUsage();
    await receives(rig, messages);
    expect(process.cpuUsage(cpu).user / 1000).toBeLessThan(5000);
    expect(problems(rig)).toEqual([expect.stringContaining(problem)]);
    await receives(rig, inTopics("lamp", LAMP));
    expect(rig.registry.get("homie_lamp").available).toBe(true);
  });
});

test.each([
  "1:0",
  "NaN:NaN",
  "-Infinity:Infinity",
  "1e308:1e309",
  ":::::",
  "0:1:0",
  "0:100:1e-300",
  ",".repeat(20_000),
  "a,".repeat(5000),
  "\0,\u001b[31m",
  "__proto__,constructor",
  "(a+)+$",
])("a format of %.30j leaves a property that works", async (format) => {
  using rig = createRig();
  for (const [at, datatype] of ["float", "integer", "enum", "boolean", "color", "json"].entries()) {
    const nodes = { n: { properties: { p: { datatype, format, settable: true }, fine: { datatype: "float" } } } };
    await receives(rig, inJson("homie", `d${at}`, { nodes }));
    await receives(rig, [[`homie/5/d${at}/n/fine`, "21.5"]]);
    expect(rig.registry.get(`homie_d${at}`).attributes).toMatchObject({ fine: 21.5 });
    for (const value of [1, "a", true, { r: 1, g: 1, b: 1 }])
      await rig.discovery.command(`homie_d${at}`, { p: value }).catch((error: Error) => {
        expect(error.name).toBe("HubError");
      });
  }
});

test("a $state that flaps 1,000 times is described once, and in the end it is as it said last", async () => {
  using rig = createRig();
  await receives(rig, inTopics("lamp", LAMP));
  await receives(rig, inJson("homie", "five"));
  const before = rig.events.length;
  for (let at = 0; at < 1000; at++)
    for (const topic of ["homie/lamp/$state", "homie/5/five/$state"])
      rig.publish(topic, ["ready", "init", "lost", "ready", "disconnected"][at % 5], { account: "homie" });
  await rig.clock.advance(3000);
  expect(rig.registry.get("homie_lamp").available).toBe(false);
  expect(rig.registry.get("homie_five").available).toBe(false);
  const reported = rig.events.slice(before).map(({ type }) => type);
  expect(reported.filter((type) => type !== "device_availability_changed")).toEqual([]);
});

test("a description that is another one each time is taken once a second", async () => {
  using rig = createRig();
  await receives(rig, inJson("homie", "five"));
  const cpu = process.cpuUsage();
  const nodes = Object.fromEntries(
    Array.from({ length: 900 }, (_, at) => [`n${at}`, { properties: { p: { datatype: "float" } } }]),
  );
  for (let at = 0; at < 300; at++) await rigSays(rig, `homie/5/five/$description`, description({ nodes, version: at }));
  expect(process.cpuUsage(cpu).user / 1000).toBeLessThan(4000);
  await rig.clock.advance(1100);
  expect(Object.keys(rig.registry.get("homie_five").details.schema?.properties ?? {})).toHaveLength(900);
});

async function rigSays(rig: Rig, topic: string, payload: string): Promise<void> {
  rig.publish(topic, payload, { account: "homie" });
  await rig.clock.advance(1);
}

test.each(["", "6.0", "2.1", "four", "-4", "4", "1e9", "\u001b[2J"])("$homie %j", async (version) => {
  using rig = createRig();
  await receives(rig, inTopics("lamp", LAMP, { version }));
  const isKnown = version === "4";
  expect([...rig.registry.list()].map(({ id }) => id)).toEqual(isKnown ? ["homie_lamp"] : []);
  // One that says nothing may still say it.
  expect(problems(rig)).toHaveLength(isKnown || version === "" ? 0 : 1);
  for (const problem of problems(rig))
    expect(problem).toMatch(/^it speaks Homie \P{Cc}*; the hub understands 3, 4 and 5$/u);
});

test.each(["a b", "ü", "..", "x".repeat(200), "a\u001b[31m", "%2e", "<b>"])("a device called %j", async (id) => {
  using rig = createRig();
  await receives(rig, [...inTopics(id, LAMP), ...inJson("homie", id)]);
  for (const device of rig.registry.list()) expect(device.id).toMatch(/^[\w.:-]+$/);
  for (const problem of problems(rig)) expect(problem).toMatch(/^the device "\P{Cc}*" has no valid id: /u);
});

describe("the same id below two bases", () => {
  test.each([
    ["home", "lamp", "cellar", "lamp"],
    ["a_b", "c", "a", "b_c"],
  ])("%s/%s and %s/%s are two devices", async (base, id, otherBase, otherId) => {
    using rig = createRig({ discovery: { homie_base: "+" } });
    await receives(rig, inJson(base, id));
    await receives(rig, inJson(otherBase, otherId));
    await receives(rig, [
      [`${base}/5/${id}/light/power`, "true"],
      [`${otherBase}/5/${otherId}/light/power`, "false"],
    ]);
    expect([...rig.registry.list()].map(({ attributes }) => attributes.on)).toEqual([true, false]);
    expect(problems(rig)).toEqual([]);
  });
});

test("junk that looks like Homie is no device, and costs the real ones nothing", async () => {
  using rig = createRig();
  const junk = Array.from({ length: 3000 }, (_, at) => `homie/j${at}`).flatMap(
    (base): Messages => [
      [`${base}/$name`, "junk"],
      [`${base}/x/$properties`, "y"],
      [`${base}/x/y/$datatype`, "float"],
      [`${base}/x/y`, "1"],
    ],
  );
  await receives(rig, junk);
  await receives(rig, inTopics("lamp", LAMP));
  expect([...rig.registry.list()].map(({ id }) => id)).toEqual(["homie_lamp"]);
  expect(problems(rig)).toEqual([]);
});

test("what another source announces as one id is two devices as well", async () => {
  using rig = createRig();
  for (const [at, ids] of ["a/b", "a_b"].entries()) {
    const config = { unique_id: `u${at}`, device: { ids }, state_topic: `k/${at}`, name: "T" };
    rig.publish(`homeassistant/sensor/t${at}/config`, config, { account: "esp" });
    await rig.clock.advance(200);
  }
  for (const at of [0, 1]) rig.publish(`k/${at}`, `${at}`, { account: "esp" });
  expect([...rig.registry.list()].map(({ id, attributes }) => [id, Object.values(attributes)])).toEqual([
    ["a_b", ["0"]],
    ["a_b_2", ["1"]],
  ]);
});

test.each(["$", "$$$", "#"])("a device known by %j alone leaves the others alone", async (ids) => {
  using rig = createRig();
  const config = (more: object, at: number) => ({ unique_id: `u${at}`, state_topic: `k/${at}`, ...more });
  rig.publish("homeassistant/sensor/odd/config", config({ device: { ids } }, 0), { account: "esp" });
  rig.publish("homeassistant/sensor/fine/config", config({ device: { ids: "fine" } }, 1), { account: "esp" });
  await rig.clock.advance(500);
  expect(rig.registry.get("fine").available).toBe(true);
});
