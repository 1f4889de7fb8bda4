// Trying rules out on the compiled hub: a test in simulated time, why a rule did not run, when it runs next, and a replay of
// what the hub itself has recorded.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

const PORCH = `(
  id: "porch", name: "Porch light",
  trigger: DeviceStateChanged(device_id: "front_door", attribute: "open", to: true),
  conditions: [Or([ModeIs(mode_id: "mode_night"), Not(condition: DeviceState(device_id: "porch_lamp", attribute: "on", value: true))])],
  actions: [
    SetDeviceState(device_id: "porch_lamp", state: (on: true)),
    Delay(duration_secs: 300),
    Conditional(condition: "device_state('porch_lamp').on", then_actions: [
      SetDeviceState(device_id: "porch_lamp", state: (on: false)),
    ]),
  ],
)
`;
const NOON = `(id: "noon", name: "Noon", trigger: TimeOfDay(time: "12:00"), actions: [LogMessage(message: "noon")])\n`;
const SLIPS = `(id: "slips", name: "Slips", trigger: DeviceStateChanged(device_id: "front_door", attribute: "opne"), actions: [
  SetDeviceState(device_id: "porch_lamp", state: (mode: "diskoo")),
])
`;

interface Traced {
  outcome: string;
  why: string;
  at: string;
  ended_at: string;
  unknown: string[];
  actions: { type: string; detail: string; started_at: string; parts?: Traced["actions"] }[];
}

let place: HubPlace;
let hub: HubProcess;
beforeAll(async () => {
  place = createHubPlace();
  place.put("rules/porch.ron", PORCH);
  place.put("rules/noon.ron", NOON);
  place.put("rules/slips.ron", SLIPS);
  hub = await place.start();
  const client = await hub.mqtt();
  const report = (topic: string, body: object): Promise<unknown> =>
    client.publishAsync(`hub/devices/${topic}`, JSON.stringify(body), { qos: 1 });
  const mode = { type: "string", enum: ["normal", "disco"] };
  await report("porch_lamp/schema", { type: "object", properties: { on: { type: "boolean" }, mode } });
  await report("porch_lamp/state", { on: true, mode: "normal" });
  await report("front_door/state", { open: false });
  await until("the devices are there", async () => (await hub.get<object[]>("/devices")).length >= 2);
});
afterAll(() => place[Symbol.asyncDispose]());

const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
  const answer = await hub.request(method, path, body === undefined ? {} : { body });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.json<T>();
};
const lines = (actions: Traced["actions"]): string[] =>
  actions.flatMap(({ started_at, type, detail, parts = [] }) => [
    `${started_at.slice(11, 19)} ${type} ${detail ?? ""}`,
    ...lines(parts),
  ]);

/** Once: where it is open already, nothing changes. */
async function openDoor(): Promise<void> {
  const client = await hub.mqtt();
  await client.publishAsync("hub/devices/front_door/state", '{"open":true}', { qos: 1 });
}

test("a test runs through the wait, in a house that is made up", async () => {
  const made = { at: "2026-12-24T20:00:00Z", devices: { porch_lamp: { on: false } } };
  const trace = await ask<Traced>("POST", "/rules/porch/test", made);
  expect(trace).toMatchObject({
    outcome: "fired",
    at: "2026-12-24T20:00:00.000Z",
    ended_at: "2026-12-24T20:05:00.000Z",
  });
  expect(lines(trace.actions)).toEqual([
    '20:00:00 set_device_state porch_lamp {"on":true}',
    "20:00:00 delay 300 s",
    expect.stringContaining("20:05:00 conditional"),
    '20:05:00 set_device_state porch_lamp {"on":false}',
  ]);
  // Somebody switches it off meanwhile.
  const changes = [{ after_secs: 60, devices: { porch_lamp: { on: false } } }];
  const other = await ask<Traced>("POST", "/rules/porch/test", { ...made, changes });
  expect(lines(other.actions)).toHaveLength(3);
  expect(await ask<object>("GET", "/devices/porch_lamp")).toMatchObject({ attributes: { on: true } });
});

test("why it did not run, through or and not", async () => {
  await openDoor();
  const [trace] = await until("it was triggered", async () => {
    const traces = await ask<Traced[]>("GET", "/rules/porch/traces");
    return traces.length > 0 ? traces : undefined;
  });
  expect(trace?.why).toBe(
    'there is no mode "mode_night"; wanted: mode mode_night is on; or porch_lamp.on was true, must not be true (in "not") (in "or")',
  );
});

test("when it runs next, and what is likely wrong with it", async () => {
  const noon = await ask<{ next_run_at: string }>("GET", "/rules/noon");
  const left = Date.parse(noon.next_run_at) - Date.now();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(25 * 3_600_000);
  expect(await ask<object>("GET", "/rules/porch")).toMatchObject({ next_run_at: null });
  const { warnings } = await ask<{ warnings: { message: string; line: number }[] }>("GET", "/rules/slips");
  const expected = [
    [1, expect.stringContaining('has no attribute "opne" at present – did you mean "open"?')],
    [2, '"mode" of the device "porch_lamp": it is never "diskoo", only "normal", "disco" – did you mean "disco"?'],
  ];
  expect(warnings.map(({ line, message }) => [line, message])).toEqual(expected);
  const { stderr } = await place.run(["check"]);
  expect(stderr).toContain("slips.ron:2:");
  expect(stderr).toContain('it is never "diskoo"');
});

test("a replay of a text that is not saved, over what was recorded", async () => {
  interface Replayed {
    firings: { actions: Traced["actions"] }[];
    samples: number;
  }
  await openDoor();
  const text = PORCH.replace(/conditions: \[.*\],\n/, "").replace("300", "0.2");
  const replayed = await until("the door's opening is recorded", async () => {
    const answer = await ask<Replayed>("POST", "/rules/replay", { text });
    return answer.firings.length > 0 ? answer : undefined;
  });
  expect(replayed.firings).toHaveLength(1);
  expect(replayed.firings[0]?.actions[0]).toMatchObject({ detail: 'porch_lamp {"on":true}' });
  expect(await ask<object[]>("GET", "/rules/replay")).toEqual([]);
});
