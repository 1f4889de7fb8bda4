// What ends a hub: a kill, deaths right after each start, a pause, an engine that is gone, a person, a version on trial.
import { join } from "node:path";
import { freePort } from "../../support/free-port.ts";
import { spawnHub } from "../../support/hub-process.ts";
import { until } from "../../support/wait.ts";
import { compare as check } from "../checks.ts";
import {
  houseOn,
  isReady,
  LEASE_SECS,
  MAX_SECS,
  type Scene,
  secondsToTakeOver,
  setVariable,
  variable,
} from "./house.ts";

export async function killed(scene: Scene): Promise<void> {
  const { say } = scene;
  await using house = await houseOn(scene);
  const { first, second } = house;
  await second.isWhole();
  await setVariable(first, "known", 7);
  await second.hasCopied("SELECT 1 FROM variables WHERE name = 'known'");
  await until("the lease names the standby", async () => (await second.status()).takes_over?.includes("has the lease"));
  const before = (await first.status()).epoch;
  const secs = await secondsToTakeOver(first, second);
  check(say(`takes over in at most ${MAX_SECS} s: ${secs.toFixed(1)} s`), secs < MAX_SECS, true);
  check(say("with what was known"), await variable(second, "known"), 7);
  check(say("in a later epoch"), (await second.status()).epoch > before, true);

  await first.start();
  await first.isWhole();
  check(say("the former hub comes back as the standby"), (await first.status()).role, "standby");
  await setVariable(second, "between", 8);
  const back = await first.standby("promote");
  check(say("the way back is one command"), [back.code, back.stderr], [0, ""]);
  check(say("without loss"), [await variable(first, "known"), await variable(first, "between")], [7, 8]);
  await second.isWhole();
  const quick = performance.now();
  first.process.kill("SIGTERM");
  await first.process.exited;
  await first.start();
  await first.isHub();
  const restartSecs = (performance.now() - quick) / 1000;
  check(
    say("a hub that restarts within the lease stays the hub"),
    [restartSecs < 8, (await second.status()).role],
    [true, "standby"],
  );
}

/** Its hub dies again and again right after its start. */
export async function diesEarly(scene: Scene): Promise<void> {
  const { say } = scene;
  await using house = await houseOn(scene);
  const { first, second } = house;
  await isReady(second);
  // A kill counts half of what an error does.
  for (let deaths = 1; deaths <= 6; deaths++) {
    first.process.kill("SIGKILL");
    await first.process.exited;
    await first.start();
    if (deaths < 6) await first.isHub();
  }
  await second.isHub();
  await first.isWhole();
  check(say("a hub that does not start leaves the house to the standby"), (await first.status()).role, "standby");
  const back = await first.standby("promote");
  check(say("which gives it back"), [back.code, back.stderr], [0, ""]);
  await first.isHub();
  const { safe_start } = await first.process.get<{ safe_start: unknown }>("/system/status");
  check(say("and then it is no safe start any more"), safe_start, null);
}

/** It commands each second, and the standby takes over while it hangs. */
export async function paused(scene: Scene): Promise<void> {
  const { say } = scene;
  await using house = await houseOn(scene);
  const { first, second } = house;
  const lamp = await first.process.mqtt();
  const commands: { at: number; epoch: unknown }[] = [];
  lamp.on("message", (_, payload) => {
    commands.push({ at: performance.now(), epoch: JSON.parse(String(payload))._hc?.command?.epoch });
  });
  await lamp.subscribeAsync("hub/devices/lamp/cmd", { qos: 1 });
  await lamp.publishAsync("hub/devices/lamp/state", '{"on":false,"n":0}', { qos: 1 });
  const rule = {
    name: "Each second",
    trigger: { type: "periodic", every_secs: 1 },
    actions: [{ type: "set_device_state", device_id: "lamp", state: { on: true } }],
  };
  const made = await first.process.request("POST", "/rules", { body: rule });
  check(say("the rule is made"), [made.status, made.status === 201 ? "" : made.text], [201, ""]);
  await until("it commands", () => commands.length >= 2);
  await isReady(second);
  first.process.kill("SIGSTOP");
  await second.isHub();
  const count = commands.length;
  first.process.kill("SIGCONT");
  await first.isWhole();
  check(say("a hub that hung for longer than the lease commands nothing any more"), commands.length - count, 0);
  check(
    say("its commands had its epoch"),
    commands.every(({ epoch }) => epoch === 1),
    true,
  );
  check(say("and goes on as the standby"), (await first.status()).role, "standby");
  lamp.end(true);
}

export async function engineGone(scene: Scene): Promise<void> {
  const { say, engine } = scene;
  await using house = await houseOn(scene);
  const { first, second } = house;
  await isReady(second);
  await engine.stop();
  // Three times as long as the lease.
  await Bun.sleep(LEASE_SECS * 3000);
  check(
    say("without the engine the two go on"),
    [await setVariable(first, "alone", 1), (await second.status()).role],
    [200, "standby"],
  );
  second.process.kill("SIGKILL");
  await second.process.exited;
  await first.process.said("this machine is not the hub yet");
  // It says so before what answers in its place listens.
  let answer: [status: number, role: string] = [0, ""];
  await until("it answers", async () => {
    const health = await fetch(`${first.address}/api/v1/health`).catch(() => undefined);
    if (health) answer = [health.status, ((await health.json()) as { role: string }).role];
    return health !== undefined;
  });
  check(say("a hub that sees neither stops, and says why"), answer, [503, "waiting"]);
  await engine.start();
  await first.isHub();
  check(say("and is the hub again when the engine is back"), await variable(first, "alone"), 1);
  await second.start();
  await second.isWhole();
}

export async function engineGoneAtStart(scene: Scene): Promise<void> {
  const { say, engine } = scene;
  await using house = await houseOn(scene, { more: 'when_alone = "continue"\n' });
  const { first, second } = house;
  await second.isWhole();
  await second.process.end();
  await engine.stop();
  first.process.kill("SIGKILL");
  await first.process.exited;
  await first.start();
  await first.isHub();
  check(say("with when_alone = continue it starts without the engine"), (await first.status()).role, "hub");
  await engine.start();
}

/** There is a lease, and a person decides all the same. */
export async function byHand(scene: Scene): Promise<void> {
  const { say } = scene;
  await using house = await houseOn(scene, { options: ["--manual"] });
  const { first, second } = house;
  await second.isWhole();
  await setVariable(first, "known", 1);
  const over = await second.standby("promote");
  check(say("a person's hand-over brings the lease along"), [over.code, over.stderr], [0, ""]);
  check(say("without loss"), await variable(second, "known"), 1);
  await first.isWhole();
  const back = await first.standby("promote");
  check(say("and back"), [back.code, back.stderr], [0, ""]);
  await second.isWhole();
  first.process.kill("SIGKILL");
  await first.process.exited;
  const refused = await second.standby("promote", "--force");
  check(
    say("not even force takes a lease that has not ended"),
    [refused.code, /has the lease for another/.test(refused.stderr)],
    [1, true],
  );
  await until("the lease has ended", async () => /has ended/.test((await second.standby("promote")).stderr));
  const forced = await second.standby("promote", "--force");
  check(say("then it does"), [forced.code, forced.stderr], [0, ""]);
}

/** A version on trial takes the lease for its machine, and takes longer than a hub that lost its lease has to end. */
export async function upgraded(scene: Scene): Promise<void> {
  const { say } = scene;
  await using house = await houseOn(scene);
  const { first, second } = house;
  await isReady(second);
  const { place } = first;
  const slow = place.at("..", "slow");
  const built = Bun.spawn([process.execPath, join(import.meta.dir, "..", "other-hub.ts"), slow, "99.1.0", "slow"]);
  if ((await built.exited) !== 0) throw new Error("the other version cannot be built");
  // A version is only tried on a port that stays, by a hub that was started from its home.
  // Nor may a connection get it meanwhile.
  const port = freePort();
  const toml = `${place.read("config", "hub.toml").replace("port = 0", `port = ${port}`)}\n[upgrade]\nwatch_secs = 5\n`;
  await first.process.end();
  place.put("config/hub.toml", toml, 0o600);
  await using running = spawnHub({ ...place, binary: place.at("bin", "hub") });
  await running.up();
  // Here both machines have one address: a standby that tried the hub's port while that starts again would get it.
  await second.process.said("this machine cannot answer at the hub's address");
  const sent = await fetch(`${running.api}/system/upgrade`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await running.adminToken()}`,
      "content-type": "application/octet-stream",
      ...(await running.confirmed()),
    },
    body: Bun.file(slow),
  });
  check(say("another version is tried out"), sent.status, 202);
  await running.said("the new version answers and takes over", 60_000);
  const isUp = async (): Promise<boolean> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/health`).catch(() => undefined);
    const health = (await answer?.json()) as { version: string; ready: boolean } | undefined;
    return health?.version === "99.1.0" && health.ready;
  };
  await until("it is the hub", isUp, { timeoutMs: 40_000 });
  check(say("and the standby waited for it"), second.process.output.includes("becomes the hub"), false);
}
