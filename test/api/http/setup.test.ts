// /system/setup and /system/location over the network: hub.toml is changed in place, or not at all.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { homeAt } from "../../../src/server/home/paths.ts";
import { runScenarios } from "../../support/scenarios.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
import { JWT_SECRET, startTestHub, type TestHub } from "../../support/test-hub.ts";

const TEXT = `# mine\n[auth]\njwt_secret = "${JWT_SECRET}" # secret\n[mqtt]\nport = 0\n[[plugins]]\nid = "virtual"\nbinary = "v.js"\nconfig = "v.toml"\nenabled = false\n`;

let folder: TemporaryFolder;
let hub: TestHub;
let path: string;
beforeEach(async () => {
  folder = createTemporaryFolder();
  hub = await startTestHub({ folder, isFirstStart: true });
  path = homeAt(folder.path).hubToml;
  writeFileSync(path, TEXT, { mode: 0o600 });
});
afterEach(async () => {
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function ask(method: string, at: string, body?: object): Promise<Record<string, unknown>> {
  const response = await hub.request(method, at, { token: hub.adminToken, ...(body && { body }) });
  return { status: response.status, ...((await response.json()) as object) };
}

test("what a new house needs is read, changed, and all else of the file stays", async () => {
  expect(await ask("GET", "/system/setup")).toMatchObject({
    status: 200,
    location: { latitude: null, longitude: null, timezone: null },
    ...{ backup_schedule: null, mqtt_everywhere: false, mqtt_external: null, virtual_house: false, restarting: false },
  });
  const place = { latitude: 48.1, longitude: 11.5, timezone: "Europe/Berlin" };
  expect(await ask("PUT", "/system/location?restart=true", place)).toMatchObject({
    ...{ status: 200, location: place, restart_needed: true, restarting: true },
  });
  const changes = { backup_schedule: "0 30 3 * * *", virtual_house: true };
  expect(await ask("PATCH", "/system/setup", changes)).toMatchObject({
    ...changes,
    location: place,
    restarting: false,
  });
  const text = readFileSync(path, "utf8");
  expect(text.startsWith(TEXT.replace("enabled = false", "enabled = true"))).toBe(true);
  expect(text).toContain('[location]\nlatitude = 48.1\nlongitude = 11.5\ntimezone = "Europe/Berlin"\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("the broker is opened to the house once there is an account", async () => {
  const before = readFileSync(path, "utf8");
  expect(await ask("PATCH", "/system/setup", { mqtt_everywhere: true })).toMatchObject({
    ...{ status: 400, detail: expect.stringContaining("no account could log in") },
  });
  expect(readFileSync(path, "utf8")).toBe(before);
  await ask("POST", "/mqtt/accounts", { name: "lamps", kind: "tasmota" });
  expect(await ask("PATCH", "/system/setup", { mqtt_everywhere: true })).toMatchObject({ mqtt_everywhere: true });
});

test("a value that the hub would not take is refused, and the file stays", async () => {
  const before = readFileSync(path, "utf8");
  const wrong = { latitude: 1, longitude: 1, timezone: "Moon/Sea" };
  expect(await ask("PUT", "/system/location", wrong)).toMatchObject({
    ...{ status: 400, detail: expect.stringContaining("is not a time zone") },
  });
  expect(await ask("PATCH", "/system/setup", { backup_schedule: "at night" })).toMatchObject({ status: 400 });
  expect(readFileSync(path, "utf8")).toBe(before);
});

test("a virtual house that hub.toml does not have is not turned on", async () => {
  const without = TEXT.slice(0, TEXT.indexOf("[[plugins]]"));
  writeFileSync(path, without);
  expect(await ask("PATCH", "/system/setup", { virtual_house: true })).toMatchObject({
    ...{ status: 409, detail: expect.stringContaining('no [[plugins]] with id = "virtual"') },
  });
  expect(readFileSync(path, "utf8")).toBe(without);
});

test("a file with other problems is left alone", async () => {
  const before = readFileSync(path, "utf8");
  for (const broken of ["[auth", before.replace("[auth]", "[auht]")]) {
    writeFileSync(path, broken);
    expect(await ask("PUT", "/system/location", { latitude: 2, longitude: 2 })).toMatchObject({ status: 409 });
    expect(readFileSync(path, "utf8")).toBe(broken);
  }
  writeFileSync(path, before);
});

runScenarios(
  () => hub,
  [
    { name: "is for administrators", path: "/system/setup", as: "user", status: 403 },
    {
      ...{ name: "a place beyond the pole", method: "PUT", path: "/system/location", status: 400 },
      ...{ body: { latitude: 91, longitude: 0 }, contains: ["latitude"] },
    },
  ],
);

test("whether the password is still the printed one is reported until it is changed", async () => {
  const login = (password: string) => ask("POST", "/auth/login", { username: hub.admin.username, password });
  expect(await login(hub.admin.password)).toMatchObject({ status: 200, password_is_initial: true });
  expect(await ask("GET", "/auth/me")).toMatchObject({ password_is_initial: true });
  const next = "another one, chosen here";
  const body = { current_password: hub.admin.password, new_password: next };
  expect((await hub.request("POST", "/auth/change-password", { token: hub.adminToken, body })).status).toBe(204);
  expect(await login(next)).toMatchObject({ status: 200, password_is_initial: false });
});
