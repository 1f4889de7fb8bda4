// Copies elsewhere by the compiled hub: killed while it sends one, and the house on a new machine from the recovery sheet alone.
// Over 10 s: a passphrase is made a key slowly on purpose.
import { expect, test } from "bun:test";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { type S3Server, s3Target, startS3Server } from "../support/s3-server.ts";
import { until } from "../support/wait.ts";

const PASSPHRASE = "correct horse battery";
const RULE = '(id: "", name: "Night", trigger: ManualTrigger, actions: [LogMessage(message: "x")])';

function tomlOf(s3: S3Server): string {
  const lines = Object.entries(s3Target(s3, { prefix: "a/b" })).map(
    ([key, value]) => `${key} = ${JSON.stringify(value)}`,
  );
  return `[backup]\npassphrase = "${PASSPHRASE}"\n[[backup.targets]]\n${lines.join("\n")}\n`;
}

async function backUp(hub: HubProcess): Promise<void> {
  expect((await hub.request("POST", "/system/backups")).status).toBe(201);
}

interface Shown {
  doing: string;
  problem: string | null;
  checked_at: string | null;
}
const isDone = async (hub: HubProcess): Promise<boolean> => {
  const [shown] = await hub.get<[Shown]>("/system/backups/remote");
  return shown.doing === "idle" && shown.problem === null && shown.checked_at !== null;
};

test("a hub that was killed while it sent a copy leaves nothing half, and sends it after its next start", async () => {
  await using s3 = startS3Server();
  await using place = createHubPlace({ toml: tomlOf(s3) });
  const hub = await place.start();
  let waiting = 0;
  s3.fault = ({ method }) => {
    if (method !== "PUT") return undefined;
    waiting++;
    return new Promise<Response>(() => {});
  };
  await backUp(hub);
  await until("it sends", () => waiting);
  hub.kill("SIGKILL");
  await hub.exited;
  expect(s3.objects.size).toBe(0);
  s3.fault = () => undefined;
  const again = await place.start();
  // The start looks after a minute; a person may be faster.
  expect((await again.request("POST", "/system/backups/targets/bucket/test")).status).toBe(200);
  await until("it is there, and proven", () => isDone(again));
  expect([...s3.objects.keys()]).toEqual([expect.stringMatching(/^a\/b\/hub-\w{10}\/hub-backup-.*\.zip\.age$/)]);
});

test("what a killed hub had sent of a large copy, whose backup is gone since, is given up after the next start", async () => {
  await using s3 = startS3Server();
  await using place = createHubPlace({ toml: tomlOf(s3) });
  for (let part = 0; part < 200; part++)
    writeFileSync(place.at("config", `large-${part}.bin`), crypto.getRandomValues(Buffer.alloc(60_000)));
  const hub = await place.start();
  let waiting = 0;
  s3.fault = (_request, { searchParams }) => {
    if (searchParams.get("partNumber") !== "2") return undefined;
    waiting++;
    return new Promise<Response>(() => {});
  };
  await backUp(hub);
  await until("it sends the second part", () => waiting, { timeoutMs: 30_000 });
  hub.kill("SIGKILL");
  await hub.exited;
  expect(s3.uploads.size).toBe(1);
  rmSync(place.at("backups"), { recursive: true });
  s3.fault = () => undefined;
  const again = await place.start();
  expect((await again.request("POST", "/system/backups/targets/bucket/test")).status).toBe(200);
  await until("it is given up", () => s3.uploads.size === 0);
  expect(s3.objects.size).toBe(0);
});

test("after a fire: the executable and the recovery sheet bring the house back, and it goes on at the same place", async () => {
  await using s3 = startS3Server();
  await using burnt = createHubPlace({ toml: tomlOf(s3) });
  burnt.put("rules/night.ron", RULE);
  const hub = await burnt.start();
  await hub.request("POST", "/auth/users", { body: { username: "anna", password: "a long password", role: "user" } });
  await backUp(hub);
  await until("it is there, and proven", () => isDone(hub));
  const sheet = await burnt.run(["backup", "--recovery"]);
  expect(sheet.code).toBe(0);
  await hub.end();

  await using fresh = createHubPlace(null);
  const file = join(fresh.cwd, "sheet.toml");
  await Bun.write(file, sheet.stdout);
  const listed = await fresh.run(["backup", "list", "--target", "bucket", "--sheet", file]);
  expect(listed.stdout).toContain("(this house)");
  expect(listed.stdout).toMatch(/hub-backup-\S+\.zip\.age {2}\d{4}-/);
  const dry = await fresh.run(["restore", "--from", "bucket", "latest", "--sheet", file, "--dry-run"]);
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining("nothing was changed") });
  expect(existsSync(fresh.at("data"))).toBe(false);
  const restored = await fresh.run(["restore", "--from", "bucket", "--sheet", file]);
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining("restored") });
  const risen = await fresh.start();
  expect((await risen.login("anna", "a long password")).status).toBe(200);
  fresh.admin = burnt.admin;
  await until("the rule is read", async () => (await risen.get<{ rules: number }>("/system/status")).rules === 1);
  await backUp(risen);
  await until("its own copy is there", () => s3.objects.size === 1 && isDone(risen));
  expect(new Set([...s3.objects.keys()].map((key) => key.split("/")[2])).size).toBe(1);
});

test("the copies of all places are listed, also where one does not answer; nothing is written into the folder", async () => {
  await using s3 = startS3Server();
  const away = '[[backup.targets]]\ntype = "folder"\nname = "stick"\ndirectory = "/nowhere"\n';
  await using place = createHubPlace({ toml: `${tomlOf(s3)}\n${away}` });
  const hub = await place.start();
  await backUp(hub);
  await until("a copy is there", () => s3.objects.size === 1);
  const { code, stdout, stderr } = await place.run(["backup", "list"]);
  expect(stdout).toContain("(this house)");
  expect(stdout).toMatch(/hub-backup-\S+\.zip\.age {2}\d{4}-/);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("there is no folder /nowhere") });
  expect(existsSync(join(place.cwd, "list"))).toBe(false);
  await using bare = createHubPlace();
  const none = await bare.run(["backup", "list"]);
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing is kept elsewhere") });
});

test("what is wrong is said on the command line, with the way on", async () => {
  await using place = createHubPlace(null);
  const without = await place.run(["restore", "--from", "bucket", "latest"]);
  expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining("--sheet FILE") });
  expect((await place.run(["backup", "list"])).code).toBe(1);
  await Bun.write(
    join(place.cwd, "sheet.toml"),
    '[[backup.targets]]\ntype = "folder"\nname = "a"\ndirectory = "/nowhere"\n',
  );
  const other = await place.run(["restore", "--from", "b", "--sheet", join(place.cwd, "sheet.toml")]);
  expect(other.stderr).toContain('there is no [[backup.targets]] "b": there are a');
  const gone = await place.run(["restore", "--from", "a", "--sheet", join(place.cwd, "sheet.toml")]);
  expect(gone.stderr).toContain("there is no folder /nowhere");
});
