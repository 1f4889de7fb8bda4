// What a hub says on the phone while its disk takes nothing, and what commands do in such a home. Needs root, for mounting.
import { expect, test } from "bun:test";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { mountSmallDisk, type SmallDisk } from "../support/small-disk.ts";
import { until } from "../support/wait.ts";

const RULE = `id = "5f0f4a2e-8d6f-4a53-9a2a-3f1d0f9f1d11"
name = "Ring"
enabled = true
trigger = { type = "device_state_changed", device_id = "door", attribute = "open" }
actions = [
  { type = "set_hub_variable", name = "rung", value = true },
  { type = "notify", channel = "phone", message = "the door rang" },
  { type = "fire_event", event_type = "rang" },
]
`;

/** A push service that takes everything, or nothing while it is down. */
function createPhone() {
  const said: string[] = [];
  const state = { down: false };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const form = new URLSearchParams(await request.text());
      if (state.down) return new Response("", { status: 503 });
      said.push(form.get("message") ?? "");
      return Response.json({ status: 1, request: "1" });
    },
  });
  return { said, state, port: server.port ?? 0, [Symbol.dispose]: () => void server.stop(true) };
}

/** Of a device that is known: a new one would have to be kept. */
async function openDoor(hub: HubProcess, open: boolean): Promise<void> {
  const client = await hub.mqtt();
  await client.publishAsync("hub/devices/door/state", JSON.stringify({ open }), { qos: 1 });
  await until("the door is there", async () => (await hub.request("GET", "/devices/door")).status === 200);
}

/** With the device and the rule. */
async function startFurnished(place: HubPlace): Promise<HubProcess> {
  const hub = await place.start();
  await openDoor(hub, false);
  place.put("rules/ring.toml", RULE);
  await until("the rule runs", async () =>
    (await hub.get<{ name: string; state: string }[]>("/rules")).some(
      ({ name, state }) => name === "Ring" && state === "enabled",
    ),
  );
  return hub;
}

function furnish(place: HubPlace, port: number): void {
  // Else the executable alone would fill the disk.
  place.put("bin/hub", "");
  place.configure({
    toml: `[alerts]
channel = "phone"
[storage]
flush_secs = 1
[[notify.channels]]
type = "push_app"
name = "phone"
api_key = "k"
user_key = "u"
api_url = "http://127.0.0.1:${port}"
`,
  });
}

const FAULTS: [string, string, (disk: SmallDisk) => void, (disk: SmallDisk) => void][] = [
  ["read-only", "read-only", (disk) => disk.readOnly(true), (disk) => disk.readOnly(false)],
  ["full", "disk of the hub is full", (disk) => disk.fill(), (disk) => disk.free()],
];

for (const [name, words, breakDisk, mend] of FAULTS) {
  // A file system with files open for writing cannot be made read-only by order.
  for (const when of name === "full" ? ["at the start", "while the hub runs"] : ["at the start"]) {
    test(`a disk that is ${name} ${when} is on the phone, and rules notify`, async () => {
      using phone = createPhone();
      using disk = mountSmallDisk(8);
      await using place = createHubPlace({}, `${disk.path}/home`);
      furnish(place, phone.port);
      let hub = await startFurnished(place);
      if (when === "at the start") {
        await hub.end();
        breakDisk(disk);
        hub = await place.start();
      } else breakDisk(disk);
      const stream = await hub.openStream({ type: "custom_rang" });
      await openDoor(hub, true);
      await stream.frame("the rule ran to its end", ({ type }) => type === "custom_rang");
      await until("the rule's message", () => phone.said.includes("the door rang"));
      await until("the disk's message", () => phone.said.some((text) => text.includes(words)));
      mend(disk);
    });
  }
}

test("a notification that waits while the disk takes nothing outlasts the way back to it", async () => {
  using phone = createPhone();
  using disk = mountSmallDisk(8);
  await using place = createHubPlace({}, `${disk.path}/home`);
  furnish(place, phone.port);
  await (await startFurnished(place)).end();
  disk.readOnly(true);
  phone.state.down = true;
  const hub = await place.start();
  await openDoor(hub, true);
  await until("it waits", async () => (await hub.get<unknown[]>("/notify/outbox")).length > 0);
  disk.readOnly(false);
  await hub.said("restarts from it");
  await hub.said("the hub is up again");
  phone.state.down = false;
  await until("the message arrives", () => phone.said.includes("the door rang"));
});

test("hub check works in a read-only home", async () => {
  using disk = mountSmallDisk(8);
  await using place = createHubPlace({}, `${disk.path}/home`);
  furnish(place, 1);
  await place.layOut();
  disk.readOnly(true);
  const checked = await place.run(["check"]);
  expect(checked.stderr).toBe("");
  expect(checked.code).toBe(0);
  disk.readOnly(false);
});

test("init, upgrade and backup on a full disk say the number and leave nothing behind", async () => {
  using disk = mountSmallDisk(8);
  await using fresh = createHubPlace(null, `${disk.path}/fresh`);
  const made = await fresh.run(["init"]);
  expect(made.stderr).toMatch(/needs \d+ MB of free space/);
  rmSync(`${disk.path}/fresh`, { recursive: true, force: true });
  await using place = createHubPlace({}, `${disk.path}/home`);
  furnish(place, 1);
  await place.layOut();
  const upgraded = await place.run(["upgrade", place.binary]);
  expect(upgraded.code).toBe(1);
  expect(upgraded.stderr).toMatch(/needs \d+ MB of free space/);
  disk.fill();
  const backup = await place.run(["backup", place.at("now.zip")]);
  expect(backup.code).toBe(1);
  expect(backup.stderr).toMatch(/needs [\d.]+ MB of free space/);
  for (const left of ["**/*.tmp*", "**/*.part", "**/hub.new", "**/*.twin"])
    expect([...new Bun.Glob(left).scanSync({ cwd: disk.path, dot: true })]).toEqual([]);
});

test("a history that is gone is reported, and no loss of users", async () => {
  await using place = createHubPlace();
  {
    await using hub = await place.start();
    const client = await hub.mqtt();
    await client.publishAsync("hub/devices/door/state", JSON.stringify({ open: false }), { qos: 1 });
    await hub.end();
  }
  {
    // What is noted of a file is noted of one that is there.
    await using hub = await place.start();
    await hub.end();
  }
  for (const end of ["", "-wal", "-shm"]) rmSync(place.at("data", `history.db${end}`), { force: true });
  await using hub = await place.start();
  await hub.said("The history of this house is missing or empty");
  expect((await hub.login("admin", place.admin?.password ?? "")).status).toBe(200);
  await until("a new one is begun", () => existsSync(place.at("data", "history.db")));
  const again = await hub.get<{ id: string }[]>("/system/alerts");
  expect(again.map(({ id }) => id)).toContain("database_lost:history");
});

test("a damaged history is on the phone, and no loss of users", async () => {
  using phone = createPhone();
  await using place = createHubPlace();
  furnish(place, phone.port);
  {
    await using hub = await place.start();
    await openDoor(hub, false);
    await hub.end();
  }
  writeFileSync(place.at("data", "history.db"), "no database any more\n".repeat(1000));
  await using hub = await place.start();
  await until("the phone rings", () => phone.said.some((text) => text.includes("history of this house was damaged")));
  const alerts = await hub.get<{ id: string; severity: string; message: string }[]>("/system/alerts");
  expect(alerts).toContainEqual(
    expect.objectContaining({
      ...{ id: "database_lost:history", severity: "warning" },
      message: expect.stringMatching(/kept as .*history\.db\.damaged-/),
    }),
  );
  expect((await hub.login("admin", place.admin?.password ?? "")).status).toBe(200);
});

test("a state database that is gone is said on every phone there is, asked for or not", async () => {
  using phone = createPhone();
  await using place = createHubPlace();
  furnish(place, phone.port);
  place.put("config/hub.toml", place.read("config", "hub.toml").replace('[alerts]\nchannel = "phone"\n', ""), 0o600);
  await place.layOut();
  expect(phone.said).toEqual([]);
  for (const end of ["", "-wal", "-shm"]) rmSync(place.at("data", `state.redb${end}`), { force: true });
  await using hub = await place.start();
  await until("the phone rings", () => phone.said.length > 0);
  expect(phone.said.join()).toContain("The state database of this house is missing or empty");
  expect(phone.said.join()).toContain("hub passwd admin");
  expect(hub.output).not.toContain("password:");
});
