// Commands on the machine that is the standby: what is for the hub is refused and says where, an upgrade works, and a restore that
// was on trial before does not come back.
// Over 10 s: the machines look at each other every two seconds, through three changes of their roles.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { createTwoMachines } from "../support/two-machines.ts";
import { until } from "../support/wait.ts";

const options = ["--manual"];

test("what would change the copy, or save it half changed, is refused, whether the standby runs or not", async () => {
  await using house = await createTwoMachines({ options });
  const { first, second } = house;
  await second.isWhole();
  const archive = first.place.at("backup.zip");
  expect(await first.place.run(["backup", archive])).toMatchObject({ code: 0 });
  const refused: [string[], string][] = [
    [["passwd"], "run `hub passwd` on the machine of"],
    [["device-account", "--list"], "run this on the machine of"],
    [["backup", second.place.at("backup.zip")], "save the house on the machine of"],
    [["restore", archive], "`hub standby leave`"],
    [["restore", "--undo"], "`hub standby leave`"],
    [["import", "homecore", "--url", "http://127.0.0.1:1"], "`hub standby leave`"],
  ];
  const refuseAll = async (): Promise<void> => {
    for (const [args, reported] of refused) {
      const { code, stdout, stderr } = await second.place.run(args);
      expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: "" });
      expect(stderr).toContain(`this machine is the standby of ${first.address}: `);
      expect(stderr).toContain(reported);
    }
  };
  await refuseAll();
  await second.process.end();
  await refuseAll();
  expect(existsSync(second.place.at("backup.zip"))).toBe(false);
  expect(existsSync(second.place.at("data", "state.redb-wal"))).toBe(false);
  const sound = await second.place.run(["restore", "--dry-run", archive]);
  expect(sound).toMatchObject({ code: 0 });
  await second.start();
  await second.isWhole();
  expect(await second.standby("promote")).toMatchObject({ code: 0 });
  await second.isHub();
  // Now it is the hub.
  expect(await second.place.run(["passwd", "guest"])).toMatchObject({ code: 0 });
}, 90_000);

test("a standby whose hub has settings of a newer version stays where it is, and can be upgraded", async () => {
  await using house = await createTwoMachines({ options });
  const { first, second } = house;
  await second.isWhole();
  const before = first.place.read("config", "hub.toml");
  first.place.put("config/hub.toml", `${before}\n[of_a_newer_version]\nkey = 1\n`, 0o600);
  await until("it says so", async () => (await second.look())?.problem?.includes("of_a_newer_version"));
  expect(await second.status()).toMatchObject({
    copy: { whole: true },
    takes_over: expect.stringContaining("hub upgrade FILE"),
  });
  await second.process.end();
  await second.start();
  await until("it says so after a restart", async () =>
    (await second.look())?.takes_over?.includes("hub upgrade FILE"),
  );
  const upgraded = await second.place.run(["upgrade", second.place.binary]);
  expect(upgraded).toMatchObject({ code: 0, stderr: "" });
  // The hub is not even asked to stop.
  const promoted = await second.standby("promote");
  expect(promoted).toMatchObject({ code: 1, stdout: "" });
  expect(promoted.stderr).toContain("of_a_newer_version");
  expect((await fetch(`${first.address}/api/v1/health`)).status).toBe(200);
  first.place.put("config/hub.toml", before, 0o600);
  await second.isWhole();
  expect(await second.standby("promote")).toMatchObject({ code: 0 });
}, 90_000);

test("a restore that was on trial when another machine became the hub is over", async () => {
  await using house = await createTwoMachines({ options });
  const { first, second } = house;
  await second.isWhole();
  await second.process.end();
  const last = { at: "2026-01-01T00:00:00Z", ok: null, counts: null, error: null };
  second.place.put("data/last-restore.json", JSON.stringify(last), 0o600);
  await second.start();
  await second.isWhole();
  expect(JSON.parse(second.place.read("data", "last-restore.json"))).toMatchObject({
    ok: false,
    error: "another machine was the hub before this one had started with it",
  });
  expect(await second.standby("promote")).toMatchObject({ code: 0 });
  await second.isHub();
  await first.isWhole();
}, 90_000);
