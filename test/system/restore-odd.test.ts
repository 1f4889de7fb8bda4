// What a person may try with `hub restore` that is not as it is meant, each answered with what to do and no home the worse.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { downloadBackup, filesBelow, makeZip } from "../support/archives.ts";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";

const beside = (place: HubPlace, name: string) => join(place.cwd, "..", name);

async function archive(place: HubPlace, hub: HubProcess): Promise<string> {
  await hub.request("POST", "/timers", { body: { id: "kettle", name: "Kettle" } });
  const zip = beside(place, "house.zip");
  await downloadBackup(hub, zip);
  return zip;
}

test("wrong arguments", async () => {
  await using place = createHubPlace();
  const hub = await place.start();
  const zip = await archive(place, hub);
  await hub.end();
  makeZip(beside(place, "photos.zip"), [{ name: "holiday.jpg", content: "x" }]);
  const before = filesBelow(place.home);
  const cases: [string[], RegExp][] = [
    [["-"], /not from standard input: save it to a file first/],
    [[place.cwd], /is not a file/],
    [[beside(place, "none.zip")], /there is no file .*none\.zip/],
    [[beside(place, "photos.zip")], /no state\.redb: it is not a backup of a hub/],
    [[place.at("data", "state.redb")], /it is not a zip/],
    [[], /name the archive: hub restore FILE/],
    [["--undo"], /nothing was restored in .*, so there is nothing to undo/],
    [["--undo", zip], /--undo takes neither an archive nor --dry-run/],
    [["--undo", "--dry-run"], /--undo takes neither/],
    [[zip, "--home", place.at("config", "hub.toml")], /cannot create .*name a folder that can be written with --home/],
  ];
  for (const [args, why] of cases) {
    const ran = await place.run(["restore", ...args], { stdin: readFileSync(zip, "latin1") });
    expect([args, ran.code, ran.stderr]).toEqual([args, 1, expect.stringMatching(why)]);
    expect(ran.stderr).not.toMatch(/^ +at /m);
    expect(filesBelow(place.home)).toEqual(before);
  }
});

test("while the hub runs, nothing is touched, whatever is asked for", async () => {
  await using place = createHubPlace();
  const hub = await place.start();
  const zip = await archive(place, hub);
  await hub.end();
  expect((await place.run(["restore", zip])).code).toBe(0);
  const again = await place.start();
  for (const args of [
    ["restore", zip],
    ["restore", "--undo"],
  ]) {
    const ran = await place.run(args);
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/another hub \(process \d+\) runs in .*stop it/),
    });
  }
  expect((await again.request("GET", "/timers/kettle")).status).toBe(200);
  expect((await again.request("POST", "/timers", { body: { id: "oven", name: "Oven" } })).status).toBe(201);
});

test("a home behind a link, with the archive in it, restored and undone", async () => {
  await using place = createHubPlace();
  const hub = await place.start();
  const zip = await archive(place, hub);
  await hub.request("DELETE", "/timers/kettle");
  await hub.end();
  renameSync(place.home, beside(place, "real"));
  symlinkSync(beside(place, "real"), place.home);
  mkdirSync(place.at("backups"));
  renameSync(zip, place.at("backups", "house.zip"));
  expect(await place.run(["restore", place.at("backups", "house.zip")])).toMatchObject({ code: 0, stderr: "" });
  const restored = await place.start();
  expect((await restored.request("GET", "/timers/kettle")).status).toBe(200);
  await restored.end();
  expect((await place.run(["restore", "--undo"])).code).toBe(0);
  const undone = await place.start();
  expect((await undone.request("GET", "/timers/kettle")).status).toBe(404);
  expect(existsSync(place.at("backups", "house.zip"))).toBe(true);
});
