// `hub rules` with the compiled hub: against a stopped home, and against the hub that runs there.
import { expect, test } from "bun:test";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

const NIGHT = `(
  id: "11111111-1111-4111-8111-111111111111", name: "Night light",
  trigger: DeviceStateChanged(device_id: "door", attribute: "open"),
  conditions: [DeviceState(device_id: "hall", attribute: "dark", op: Eq, value: true)],
  actions: [LogMessage(message: "the door was opened")],
)
`;
const BROKEN =
  '(id: "22222222-2222-4222-8222-222222222222", name: "Broken one", trigger: ManualTrigger, actions: [Nothing()])\n';
const OFF =
  '(id: "33333333-3333-4333-8333-333333333333", name: "Night alarm", enabled: false, trigger: ManualTrigger, actions: [])\n';

function furnish(place: HubPlace): void {
  place.put("rules/night.ron", NIGHT);
  place.put("rules/broken.ron", BROKEN);
  place.put("rules/alarm.ron", OFF);
}

/** The door opens, and the rule is evaluated. */
async function openDoor(hub: HubProcess, dark: boolean): Promise<void> {
  const client = await hub.mqtt();
  await client.publishAsync("hub/devices/hall/state", JSON.stringify({ dark }), { qos: 1 });
  await client.publishAsync("hub/devices/door/state", JSON.stringify({ open: false }), { qos: 1 });
  await client.publishAsync("hub/devices/door/state", JSON.stringify({ open: true }), { qos: 1 });
  await until(
    "the rule is evaluated",
    async () => (await hub.get<unknown[]>("/rules/11111111-1111-4111-8111-111111111111/traces")).length > 0,
  );
}

test("list: of a stopped home from its files, of a running hub with what rules did", async () => {
  await using place = createHubPlace();
  furnish(place);
  const stopped = await place.run(["rules", "list"]);
  expect(stopped.stderr).toBe("");
  expect(stopped.code).toBe(0);
  expect(stopped.stdout).toMatch(/^RULE +STATE +LAST RUN\n/);
  expect(stopped.stdout).toMatch(/^Night light +on +never$/m);
  expect(stopped.stdout).toMatch(/^Night alarm +off +never$/m);
  expect(stopped.stdout).toMatch(/^broken\.ron +broken +never +actions\[0\]\.type: must be one of/m);

  const hub = await place.start();
  await openDoor(hub, true);
  const running = await place.run(["rules", "--json", "--url", `http://127.0.0.1:${hub.port}`]);
  const rules: { name: string; state: string; last_fired_at: string | null; problem: string | null }[] = JSON.parse(
    running.stdout,
  );
  const night = rules.find(({ name }) => name === "Night light");
  expect(night?.state).toBe("enabled");
  expect(Date.now() - Date.parse(night?.last_fired_at ?? "")).toBeLessThan(60_000);
  expect(rules.find(({ state }) => state === "broken")?.problem).toContain("must be one of");
  await hub.end();
  const after = await place.run(["rules", "list"]);
  expect(after.stdout).toMatch(/^Night light +on +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/m);
});

test("why: each evaluation with what was found; a rule is named by name, file or id", async () => {
  await using place = createHubPlace();
  furnish(place);
  const hub = await place.start();
  await openDoor(hub, false);
  const url = ["--url", `http://127.0.0.1:${hub.port}`];
  for (const name of [
    "Night light",
    "night light",
    "night",
    "night.ron",
    "11111111-1111-4111-8111-111111111111",
    "light",
  ]) {
    const ran = await place.run(["rules", "why", name, ...url]);
    expect(ran.stderr).toBe("");
    expect(ran.stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}it did not run$/m);
    expect(ran.stdout).toMatch(/does not +hall\.dark .*true {2}\(found false\)/);
    expect(ran.stdout).toContain("trigger    device_state_changed");
    expect(ran.stdout).not.toContain("\u001b");
  }
  const json: { outcome: string }[] = JSON.parse((await place.run(["rules", "why", "night", "--json", ...url])).stdout);
  expect(json[0]?.outcome).toBe("conditions_failed");
  expect((await place.run(["rules", "why", "broken", ...url])).stdout).toContain("does not run: actions[0]");
  expect((await place.run(["rules", "why", "alarm", ...url])).stdout).toContain(
    "has not been evaluated: it is switched off",
  );

  const ambiguous = await place.run(["rules", "why", "nig", ...url]);
  expect(ambiguous.code).toBe(1);
  expect(ambiguous.stderr).toMatch(
    /"nig" is the name of 2 rules[\s\S]*Night alarm {2}\(alarm\.ron[\s\S]*Night light {2}\(night\.ron/,
  );
  expect((await place.run(["rules", "why", "nihgt", ...url])).stderr).toContain("did you mean");
});

test("test: what the rule would do, without doing it", async () => {
  await using place = createHubPlace();
  furnish(place);
  const hub = await place.start();
  await openDoor(hub, true);
  const url = ["--url", `http://127.0.0.1:${hub.port}`];
  const before = await hub.get<unknown[]>("/rules/11111111-1111-4111-8111-111111111111/traces");
  const ran = await place.run(["rules", "test", "night", ...url]);
  expect(ran.stderr).toBe("");
  expect(ran.stdout).toContain("Night light, tried out: nothing of this has happened");
  expect(ran.stdout).toContain("it would run");
  expect(ran.stdout).toMatch(/holds +hall\.dark .*\(found true\)/);
  expect(ran.stdout).toMatch(/log_message .*the door was opened/);
  expect(await hub.get<unknown[]>("/rules/11111111-1111-4111-8111-111111111111/traces")).toHaveLength(before.length);
  const wrong = await place.run(["rules", "test", "night", "--set", "hall", ...url]);
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain("write DEVICE.ATTRIBUTE=VALUE");
});

test("check: every problem with its place and an exit code; of one file only its own", async () => {
  await using place = createHubPlace();
  furnish(place);
  const all = await place.run(["rules", "check"]);
  expect(all.code).toBe(1);
  expect(all.stderr).toMatch(/rules\/broken\.ron:1:\d+: actions\[0\]\.type: must be one of/);
  expect(all.stderr).toContain("hub: 1 problem in 3 rule files");
  const one = await place.run(["rules", "check", "night.ron", "alarm"]);
  expect(one.code).toBe(0);
  expect(one.stdout).toMatch(/^2 rule files: /);
  expect((await place.run(["rules", "check", place.at("rules/broken.ron")])).code).toBe(1);
  const json: { warning: boolean }[] = JSON.parse((await place.run(["rules", "check", "--json"])).stdout);
  expect(json.some(({ warning }) => !warning)).toBe(true);
});

test("what a stopped hub cannot report, and wrong words, are said plainly", async () => {
  await using place = createHubPlace();
  furnish(place);
  const said = async (...args: string[]) => {
    const ran = await place.run(["rules", ...args]);
    // 3: the hub is not running.
    expect(ran.code).toBe(ran.stderr.includes("is not running") ? 3 : 1);
    return ran.stderr;
  };
  expect(await said("why", "night")).toMatch(/is not running, and the running hub knows why .*: start it/);
  expect(await said("test", "night")).toContain("is not running, and a rule is tried out by the running hub");
  expect(await said("show")).toContain("say `hub rules list`");
  const hub = await place.start();
  expect(await said("why", "night")).toContain("say where it answers, with --url");
  expect(await said("why", "--url", `http://127.0.0.1:${hub.port}`)).toContain("name one rule");
  expect(await said("list", "--url", "http://192.0.2.1:8080")).toContain("an address of this machine");
});

test("a stopped home knows the hub's blueprints; a broken edit leaves what ran before, and can be tried", async () => {
  await using place = createHubPlace();
  furnish(place);
  const hall = '(id: "hall", name: "Hall", use: "motion-light", inputs: {"sensors": ["door"], "lamps": ["hall"]})\n';
  place.put("rules/hall.ron", hall);
  expect((await place.run(["rules", "list"])).stdout).toMatch(/^Hall +on +never$/m);

  const hub = await place.start();
  const url = ["--url", `http://127.0.0.1:${hub.port}`];
  place.put("rules/night.ron", NIGHT.replace("LogMessage", "LogMesage"));
  await until("the edit is read", async () =>
    /^Night light +broken .*\(what it said before goes on\)$/m.test(
      (await place.run(["rules", "list", ...url])).stdout,
    ),
  );
  expect((await place.run(["rules", "test", "night", ...url])).stdout).toContain("nothing of this has happened");
  expect((await place.run(["rules", "why", "night", ...url])).stdout).toContain("none of its triggers has fired");
  const refused = await place.run(["rules", "test", "broken", ...url]);
  expect(refused.stderr).toContain("broken.ron cannot be tried out, because it does not run: actions[0]");
});
