// A house that moves as the contract says it, onto a hub that runs: the placed databases are the house at the next start, whole, and the
// former ones are set aside. Over 10 s: sixteen hubs start twice, and each has to notice something.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, readdirSync, renameSync } from "node:fs";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/wait.ts";

const DATABASES = ["state.redb", "history.db"] as const;
const SWITCHES = 5;
const house = createTemporaryFolder();
/** Of the house that moves. */
let password = "";

async function addSwitches(hub: HubProcess, name: string): Promise<void> {
  for (let count = 0; count < SWITCHES; count++)
    expect((await hub.request("POST", "/switches", { body: { id: `${name}_${count}` } })).status).toBe(201);
}

/** Databases as they lie in a backup. */
beforeAll(async () => {
  await using place = createHubPlace({ isEmpty: true });
  await using hub = await place.start();
  password = place.admin?.password ?? "";
  await addSwitches(hub, "moved");
  const client = await hub.mqtt();
  for (let n = 0; n < 50; n++)
    await client.publishAsync("hub/devices/attic/state", JSON.stringify({ temperature: n }), { qos: 1 });
  await until("all is recorded", async () => {
    const status = await hub.get<{ history: { samples_recorded: number } }>("/system/status");
    return status.history.samples_recorded >= 50;
  });
  expect((await place.run(["backup", house.at("backup.zip")])).code).toBe(0);
  const unzip = Bun.spawnSync(["unzip", "-q", "-o", house.at("backup.zip"), "-d", house.at("backup")]);
  expect(unzip.exitCode).toBe(0);
});
afterAll(() => house[Symbol.dispose]());

interface Case {
  how: "mv" | "cp";
  age: "young" | "old";
  end: "stopped" | "killed";
  when: "noticed" | "at once";
}

const cases: Case[] = (["mv", "cp"] as const).flatMap((how) =>
  (["young", "old"] as const).flatMap((age) =>
    (["stopped", "killed"] as const).flatMap((end) =>
      (["noticed", "at once"] as const).map((when) => ({ how, age, end, when })),
    ),
  ),
);

/** A hub of its own, which has just begun or has run before. */
async function startNew(place: HubPlace, age: Case["age"]): Promise<HubProcess> {
  const first = await place.start();
  if (age === "young") return first;
  await addSwitches(first, "own");
  await first.end();
  const hub = await place.start();
  await addSwitches(hub, "later");
  return hub;
}

function put(place: HubPlace, how: Case["how"]): void {
  for (const name of DATABASES) {
    const from = house.at("backup", "data", name);
    if (how === "cp") copyFileSync(from, place.at("data", name));
    else {
      copyFileSync(from, place.at("data", `${name}.new`));
      renameSync(place.at("data", `${name}.new`), place.at("data", name));
    }
  }
}

test("a hub whose state database was written over restarts by itself with the new one", async () => {
  await using place = createHubPlace({ isEmpty: true });
  const hub = await startNew(place, "old");
  put(place, "cp");
  await hub.said("the hub restarts with it", 40_000);
  await until(
    "the moved house is there",
    async () => (await hub.login("admin", password).catch(() => undefined))?.status === 200,
  );
});

const isSound = (path: string): boolean => {
  using db = new Database(path, { readonly: true });
  return db.query<{ integrity_check: string }, []>("PRAGMA integrity_check").get()?.integrity_check === "ok";
};

test.each(cases)(
  "databases placed by $how on a hub that is $age and is then $end, $when",
  async ({ how, age, end, when }) => {
    await using place = createHubPlace({ isEmpty: true });
    const hub = await startNew(place, age);
    put(place, how);
    if (when === "noticed") {
      for (const name of DATABASES) await hub.said(`alert=database_exchanged:data/${name}`);
      if (how === "mv") {
        const alerts = await hub.get<{ id: string; mend: string }[]>("/system/alerts");
        for (const { mend } of alerts.filter(({ id }) => id.startsWith("database_exchanged")))
          expect(mend).toContain("restart the hub");
        await addSwitches(hub, "afterwards");
        expect((await hub.request("POST", "/system/backup")).status).toBe(409);
      }
    }
    if (end === "stopped") await hub.end();
    else {
      hub.kill("SIGKILL");
      await hub.end();
    }
    place.admin = { username: "admin", password };
    await using again = await place.start();
    expect(again.output).not.toContain("damaged");
    expect((await again.login("admin", password)).status).toBe(200);
    const switches = await again.get<{ id: string }[]>("/switches");
    expect(switches.map(({ id }) => id).filter((id) => id.startsWith("moved_"))).toHaveLength(SWITCHES);
    expect(switches).toHaveLength(SWITCHES);
    expect(await again.get<unknown[]>("/devices/attic/history?limit=1000")).toHaveLength(50);
    await again.end();
    for (const name of DATABASES)
      expect({ name, sound: isSound(place.at("data", name)) }).toEqual({ name, sound: true });
    const formers = readdirSync(place.at("data")).filter((name) => /^state\.redb\.replaced-[^.]*Z$/.test(name));
    // What was copied over is gone, but for its log.
    expect(formers).toHaveLength(how === "mv" ? 1 : 0);
    for (const former of formers) {
      expect(isSound(place.at("data", former))).toBe(true);
      expect(place.read("logs", "hub.log")).toContain(former);
    }
  },
);
