// [standby] acknowledge = "standby" with two real hubs: whatever ends the first one right after its answer, the second has what was answered;
// and where the second one cannot be reached, no answer says that all is well.
// Over 10 s: two houses of two machines, and answers that wait for three seconds.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { followAs } from "../support/fake-standby.ts";
import { freePort } from "../support/free-port.ts";
import { createHubPlace } from "../support/hub-place.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { createTwoMachines, type Side, type TwoMachines } from "../support/two-machines.ts";
import { until } from "../support/wait.ts";
import { openWire, type Wire } from "../support/wire.ts";

const TOML = '[standby]\nacknowledge = "standby"\n';
const options = ["--manual"];

interface Changed {
  status: number;
  ms: number;
  body: { code?: string; kept?: boolean; detail?: string };
}

async function change({ process }: Side, value: number): Promise<Changed> {
  const begun = performance.now();
  const { status, text } = await process.request("PUT", "/variables/n", { body: { value } });
  return { status, ms: performance.now() - begun, body: JSON.parse(text) };
}

const confirms = (hub: Side): Promise<unknown> =>
  until("the standby confirms", async () => (await change(hub, -1)).status === 200);

async function valueOn({ process }: Side): Promise<unknown> {
  return (await process.get<{ value: number }>("/variables/n")).value;
}

async function takesOver(standby: Side): Promise<void> {
  await until("it is made the hub", async () => (await standby.standby("promote", "--force")).code === 0);
  await standby.isHub();
}

/** A former hub, which nobody has ordered to wait for a person. */
async function comesBack(former: Side, hub: Side): Promise<void> {
  const file = JSON.parse(former.place.read("data", "standby.json"));
  former.place.put("data/standby.json", JSON.stringify({ ...file, manual: true }), 0o600);
  await former.start();
  await former.isWhole();
  await confirms(hub);
}

test("a kill or a stop right after an answer: the machine that takes over has what was answered", async () => {
  await using house: TwoMachines = await createTwoMachines({ hub: { toml: TOML }, options });
  let [hub, standby] = [house.first, house.second];
  await standby.isWhole();
  await confirms(hub);
  for (const [round, signal] of (["SIGKILL", "SIGTERM", "SIGKILL"] as const).entries()) {
    for (let value = 1; value <= 5; value++)
      expect(await change(hub, 10 * round + value)).toMatchObject({ status: 200, body: { value: 10 * round + value } });
    hub.process.kill(signal);
    await hub.process.exited;
    await takesOver(standby);
    expect(await valueOn(standby)).toBe(10 * round + 5);
    await comesBack(hub, standby);
    [hub, standby] = [standby, hub];
  }
});

/** What hung in it does not come late. */
function mend(wire: Wire): void {
  wire.set("pulled");
  wire.set("whole");
}

/** The standby reaches its hub over a wire from now on. */
async function overWire(standby: Side, wire: Wire): Promise<void> {
  await standby.process.end();
  const file = JSON.parse(standby.place.read("data", "standby.json"));
  const other = { ...file.other, address: wire.address };
  writeFileSync(standby.place.at("data", "standby.json"), JSON.stringify({ ...file, other }));
  await standby.start();
  await standby.isWhole();
}

test("a standby that stands still, or is cut off: the answer says that the change is here alone, after three seconds and then at once", async () => {
  await using house = await createTwoMachines({ hub: { toml: TOML }, options });
  const { first, second } = house;
  using wire = openWire(Number(new URL(first.address).port));
  await overWire(second, wire);
  await confirms(first);
  const ways: [string, () => void, () => void][] = [
    ["stands still", () => second.process.kill("SIGSTOP"), () => second.process.kill("SIGCONT")],
    ["is cut off", () => wire.set("pulled"), () => wire.set("whole")],
    ["hears nothing", () => wire.set("hangs"), () => mend(wire)],
  ];
  for (const [index, [, begin, end]] of ways.entries()) {
    begin();
    const late = await change(first, 100 + index);
    expect(late).toMatchObject({ status: 504, body: { code: "unconfirmed", kept: true } });
    expect([late.ms > 2000, late.ms < 20_000]).toEqual([true, true]);
    const again = await change(first, 200 + index);
    expect([again.status, again.ms < 2000]).toEqual([504, true]);
    expect(await valueOn(first)).toBe(200 + index);
    const status = await first.process.get<{ standby: { machine: { confirms: boolean } } }>("/system/status");
    expect(status.standby.machine.confirms).toBe(false);
    expect((await first.standby("status")).stdout).toContain("are not confirmed by it now: they are here alone");
    end();
    await confirms(first);
    // What was here alone has come along.
    expect(await change(first, 300 + index)).toMatchObject({ status: 200 });
  }
  // A hub that is cut off and then gone: what it did not acknowledge may be lost, and nothing else is.
  wire.set("pulled");
  expect((await change(first, 999)).status).toBe(504);
  first.process.kill("SIGKILL");
  await first.process.exited;
  await takesOver(second);
  expect(await valueOn(second)).toBe(302);
});

test("a command that writes into the home by itself waits as well, and says where the other machine has not got it", async () => {
  await using place = createHubPlace({ toml: TOML });
  place.put("config/hub.toml", place.read("config", "hub.toml").replace("port = 0", `port = ${freePort()}`), 0o600);
  const hub = await place.start();
  const machine = { id: "machine-b", name: "attic", address: "http://127.0.0.1:9" };
  const paired = await hub.request("POST", "/standby/pair", { body: { machine } });
  await hub.said("the hub starts again");
  await until("it is up again", () => hub.output.split("the hub is up ms=").length === 3);
  using folder = createTemporaryFolder();
  await using standby = followAs(machine, {
    ...{ api: hub.api, key: paired.json<{ key: string }>().key, folder: folder.at("copy") },
  });
  await until(
    "it confirms",
    async () => (await hub.request("PUT", "/variables/n", { body: { value: 1 } })).status === 200,
  );
  const set = (password: string) => place.run(["passwd", "admin", "--stdin"], { stdin: `${password}\n` });
  expect(await set("the first new password")).toMatchObject({ code: 0, stderr: "" });
  standby.follows = false;
  const alone = await set("the second new password");
  expect(alone).toMatchObject({ code: 1, stdout: 'the password of "admin" was changed\n' });
  expect(alone.stderr).toContain("this was done here, but the other machine may not have it yet");
  await hub.end();
  const stopped = await set("the third new password");
  expect([stopped.code, stopped.stderr.includes("the hub is stopped")]).toEqual([1, true]);
});
