// Pairing with a hub that runs: what it did not know when it started counts without anybody restarting it, or is refused with a sentence.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { retained, startBroker } from "../reach/mqtt/external/rig.ts";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

/** An engine that is not there, with which the hub goes on all the same. */
const LEASE = '\n[standby]\nlease = "nats://127.0.0.1:1"\nwhen_alone = "continue"\n';
/** One without which it stops. */
const STRICT_LEASE = LEASE.replace("continue", "stop");

interface Place {
  machine: { address: string } | null;
  lease: { held: boolean; trouble: string | null } | null;
  lease_waits: boolean;
  standby: { name: string } | null;
}

const placeOf = (hub: HubProcess) => hub.get<Place>("/standby");
const startsOf = (hub: HubProcess) => hub.output.split("the hub is up ms=").length - 1;
const textOf = (place: HubPlace) => readFileSync(place.at("config", "hub.toml"), "utf8");

function pair(first: HubPlace, hub: HubProcess, second: HubPlace, ...options: string[]) {
  const of = ["standby", "--of", `http://127.0.0.1:${hub.port}`, "--pair-only", ...options];
  return second.run(of, { stdin: `${first.admin?.password}\n` });
}

test("a hub that knew of no other machine starts again once, by itself, and then knows its place", async () => {
  await using broker = await startBroker();
  const watcher = await broker.client();
  await watcher.subscribeAsync("hub/epoch", { qos: 1 });
  await using first = createHubPlace({ mqtt: `mode = "external"\nurl = "mqtt://127.0.0.1:${broker.port}"` });
  await using second = createHubPlace();
  const hub = await first.start();
  expect(await placeOf(hub)).toMatchObject({ machine: null, lease: null, lease_waits: false });
  const paired = await pair(first, hub, second, "--manual");
  expect(paired).toMatchObject({ code: 0 });
  expect(paired.stderr).toContain("it starts again by itself now, once, which takes some seconds");
  await until("it is up again", () => startsOf(hub) === 2);
  expect(await placeOf(hub)).toMatchObject({ machine: { address: expect.any(String) }, standby: expect.any(Object) });
  // An older hub that comes back is stopped by this.
  const note = await until("the note of its epoch", () => watcher.messages.at(-1));
  expect(JSON.parse(note.text)).toMatchObject({ epoch: 0 });
  // A later hub's note closes what leaves this one, at once: it stops being the hub.
  const { machine, house } = JSON.parse(note.text) as { machine: string; house: string };
  const later = JSON.stringify({ epoch: 1, machine: `not ${machine}`, name: "attic", house });
  await watcher.publishAsync("hub/epoch", later, retained);
  await hub.said('this machine is no longer the hub of this house: the machine "attic" has taken over');
});

test("pairing once more, and with a hub that was paired before, restarts nothing", async () => {
  await using first = createHubPlace();
  await using second = createHubPlace();
  const hub = await first.start();
  expect(await pair(first, hub, second, "--manual")).toMatchObject({ code: 0 });
  await until("it is up again", () => startsOf(hub) === 2);
  const again = await pair(first, hub, second, "--manual");
  expect(again).toMatchObject({ code: 0 });
  expect(again.stderr).not.toContain("starts again");
  expect((await hub.request("GET", "/devices")).status).toBe(200);
  expect(startsOf(hub)).toBe(2);
});

test("a lease that came into hub.toml since the start counts from the pairing on", async () => {
  await using first = createHubPlace();
  await using second = createHubPlace();
  const hub = await first.start();
  const refused = await pair(first, hub, second);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain("set `lease` in [standby] of its hub.toml; or say --manual");
  first.put("config/hub.toml", `${textOf(first)}${LEASE}`, 0o600);
  expect(await placeOf(hub)).toMatchObject({ lease: null, lease_waits: true });
  const paired = await pair(first, hub, second);
  expect(paired).toMatchObject({ code: 0 });
  expect(paired.stderr).toContain("it starts again by itself now");
  await until("it is up again", () => startsOf(hub) === 2);
  expect(await placeOf(hub)).toMatchObject({ lease: { held: true }, lease_waits: false });
});

test("a hub that could not come back is not paired, and says why", async () => {
  await using first = createHubPlace();
  await using second = createHubPlace();
  const hub = await first.start();
  const before = textOf(first);
  first.put("config/hub.toml", `${before}${STRICT_LEASE}`, 0o600);
  const unreachable = await pair(first, hub, second);
  expect(unreachable).toMatchObject({ code: 1 });
  expect(unreachable.stderr).toContain("the lease at nats://127.0.0.1:1 cannot be taken");
  first.put("config/hub.toml", `${before}\n[server\n`, 0o600);
  const broken = await pair(first, hub, second, "--manual");
  expect(broken).toMatchObject({ code: 1 });
  expect(broken.stderr).toContain("could not with its hub.toml as it is now");
  expect(await placeOf(hub)).toMatchObject({ standby: null });
  expect(startsOf(hub)).toBe(1);
});

test("a restart from the page takes a new lease, and goes back where that is not there", async () => {
  await using first = createHubPlace();
  const hub = await first.start();
  const before = textOf(first);
  const restart = async (text: string) => {
    first.put("config/hub.toml", text, 0o600);
    expect((await hub.request("POST", "/system/restart")).status).toBe(202);
  };
  await restart(`${before}${STRICT_LEASE}`);
  await hub.said(
    /does not start with what was changed; it goes back.*the lease at nats:\/\/127\.0\.0\.1:1 cannot be taken/,
  );
  await hub.said("the hub is up again");
  expect(textOf(first)).toBe(before);
  expect(await placeOf(hub)).toMatchObject({ lease: null, lease_waits: false });
  await restart(`${before}${LEASE}`);
  await until("it is up again", () => startsOf(hub) === 2);
  expect(await placeOf(hub)).toMatchObject({ lease: { held: true } });
  // Another one, and none, count in the same way.
  await restart(`${before}${LEASE.replace(":1", ":2")}`);
  await until("it is up again", () => startsOf(hub) === 3);
  expect(await hub.get("/system/status")).toMatchObject({ standby: { lease: "nats://127.0.0.1:2" } });
  await restart(before);
  await until("it is up again", () => startsOf(hub) === 4);
  expect(await placeOf(hub)).toMatchObject({ lease: null });
});
