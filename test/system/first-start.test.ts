// The binary alone in an empty folder: creates a home, prints the password once, and brings live events.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCertificates } from "../reach/notify/certificates.ts";
import { configText, createHubPlace } from "../support/hub-place.ts";
import { spawnHub } from "../support/hub-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/wait.ts";

/** The hub.toml of a new home, with free ports. */
function freePorts(text: string): string {
  return text
    .replace(/^port = 8080$/m, "port = 0")
    .replace(/^port = 1883$/m, "port = 0")
    .replace('host = "0.0.0.0"', 'host = "127.0.0.1"');
}

test("an empty folder becomes a working hub, and sysmon's measurements reach a stream within ten seconds", async () => {
  await using place = createHubPlace(null);
  expect((await place.run(["init"])).code).toBe(0);
  place.put("config/hub.toml", freePorts(place.read("config", "hub.toml")), 0o600);
  await using hub = await place.start();

  expect(hub.output).toMatch(/={20,}\n.*\n\nusername: admin\npassword: \S{16}\n[\s\S]*?={20,}\n/);
  const login = await hub.login("admin", place.admin?.password ?? "");
  expect(login.status).toBe(200);
  expect(login.json()).toMatchObject({ token_type: "Bearer", expires_in: 86_400, user: { role: "admin" } });

  const stream = await hub.openStream({ type: "device_state_changed", since: "0" });
  const event = await stream.frame("sysmon reports", ({ device_id }) => String(device_id).startsWith("sysmon"), 10_000);
  expect(event).toMatchObject({ type: "device_state_changed", previous: expect.any(Object) });
  expect(await hub.get<unknown[]>("/plugins")).toMatchObject([
    { id: "sysmon", status: "active", managed: true },
    { id: "virtual", status: "stopped", enabled: false },
    { id: "matter", status: "stopped", enabled: false },
  ]);
});

test("the home has the layout and modes of the design", async () => {
  await using place = createHubPlace(null);
  const { code, stdout } = await place.run(["init"]);
  expect({ code, made: stdout.includes(place.at("config", "hub.toml")) }).toEqual({ code: 0, made: true });
  for (const path of [
    "bin",
    "config/profiles",
    "rules/examples",
    "data",
    "logs",
    "plugins/sysmon/config",
    "plugins/virtual/bin",
  ])
    expect(statSync(place.at(path)).isDirectory()).toBe(true);
  const closed = ["config/hub.toml", "plugins/sysmon/config/config.toml", "plugins/virtual/config/config.toml"];
  for (const path of closed)
    expect({ path, mode: statSync(place.at(path)).mode & 0o777 }).toEqual({ path, mode: 0o600 });
  expect(statSync(place.at("bin/hub")).mode & 0o111).toBe(0o111);
  expect(statSync(place.at("bin/hub")).size).toBe(statSync(place.binary).size);
  expect(existsSync(place.at("config/modes.toml"))).toBe(true);
  expect(/jwt_secret = "([\w-]{64})"/.test(place.read("config", "hub.toml"))).toBe(true);
});

test("the password is printed once, with an address that answers, and never to the log file", async () => {
  await using place = createHubPlace({ isEmpty: true });
  const first = await place.start();
  const password = place.admin?.password ?? "";
  expect(password).toHaveLength(16);
  const address = /^Open (\S+) in a browser and sign in\.$/m.exec(first.output)?.[1] ?? "";
  expect(await (await fetch(address)).text()).toStartWith("<!doctype html>");
  await first.end();
  await using second = await place.start();
  expect(second.output).not.toContain("password:");
  expect(second.output).not.toContain(password);
  expect((await second.login("admin", password)).status).toBe(200);
  await second.end();
  expect(place.read("logs", "hub.log")).toContain("the hub is up");
  expect(place.read("logs", "hub.log")).not.toContain(password);
});

test("the password is printed before the rules of a moved house are read, and nothing is said to be lost", async () => {
  await using place = createHubPlace({ isEmpty: true });
  for (let count = 0; count < 300; count++)
    place.put(
      `rules/rule_${count}.ron`,
      `(id: "", name: "Rule ${count}", trigger: (type: "cron", expression: "0 0 6 * * *"), actions: [])`,
    );
  await using hub = await place.start();
  const [password, rules] = ["password:", "rules are running"].map((text) => hub.output.indexOf(text));
  expect(password).toBeGreaterThan(0);
  expect(rules).toBeGreaterThan(password as number);
  expect((await hub.login("admin", place.admin?.password ?? "")).status).toBe(200);
  expect(await hub.get<unknown[]>("/system/alerts")).toEqual([]);
});

test("on all interfaces, the printed address is one of this machine; with a certificate it has its name", async () => {
  await using place = createHubPlace(null);
  await place.run(["init"]);
  const anyInterface = freePorts(place.read("config", "hub.toml")).replace('host = "127.0.0.1"', 'host = "0.0.0.0"');
  place.put("config/hub.toml", anyInterface, 0o600);
  const first = await place.start();
  const address = /^Open (http:\S+) in a browser/m.exec(first.output)?.[1] ?? "";
  expect(address).not.toContain("0.0.0.0");
  expect((await fetch(address)).status).toBe(200);
  await first.end();

  using made = createTemporaryFolder();
  const { cert, key } = createCertificates(made);
  await using other = createHubPlace({
    isEmpty: true,
    server: 'tls_cert = "config/cert.pem"\ntls_key = "config/key.pem"',
  });
  other.put("config/cert.pem", cert);
  other.put("config/key.pem", key, 0o600);
  await using hub = await other.start();
  expect(hub.output).toMatch(/^Open https:\/\/localhost:\d+\/ in a browser and sign in\.$/m);
});

test("a first start that fails prints no password; the one that succeeds does, and nothing counts as lost", async () => {
  await using place = createHubPlace({ isEmpty: true });
  const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  try {
    for (const section of ["server", "mqtt"]) {
      const free = new RegExp(`(\\[${section}\\]\n(?:host.*\n)?)port = 0`);
      place.put("config/hub.toml", configText().replace(free, `$1port = ${taken.port}`), 0o600);
      const { code, stdout } = await place.run(["serve"]);
      expect({ section, code }).toEqual({ section, code: 1 });
      expect(stdout).not.toContain("password:");
    }
  } finally {
    taken.stop(true);
  }
  // As a lost house has it: a history without users.
  expect(existsSync(place.at("data/history.db"))).toBe(true);
  place.configure({});
  await using hub = await place.start();
  expect((await hub.login("admin", place.admin?.password ?? "")).status).toBe(200);
  expect((await hub.request("GET", "/health", { token: null })).json()).toMatchObject({ degraded: [] });
});

test("killed at any moment of its first start, a hub leaves no account whose password nobody saw", async () => {
  for (const moment of ["the API answers", "the MQTT broker listens", "username: admin", "the hub is up"]) {
    await using place = createHubPlace({ isEmpty: true });
    const first = spawnHub(place);
    await first.said(moment);
    first.kill("SIGKILL");
    await first.exited;
    await using hub = await place.start();
    const printed = [...`${first.output}${hub.output}`.matchAll(/^password: (\S+)$/gm)].at(-1)?.[1] ?? "";
    expect({ moment, status: (await hub.login("admin", printed)).status }).toEqual({ moment, status: 200 });
    const { degraded } = (await hub.request("GET", "/health", { token: null })).json<{ degraded: string[] }>();
    expect({ moment, degraded }).toEqual({ moment, degraded: ["unclean_stop"] });
  }
});

test("what is there already is never overwritten, and a home with only a restored hub.toml is completed", async () => {
  await using place = createHubPlace({ isEmpty: true });
  const own = place.read("config", "hub.toml");
  place.put("config/modes.toml", "# mine\n");
  place.put("bin/hub", "not to be replaced");
  await using hub = await place.start();
  expect((await hub.request("GET", "/system/status")).status).toBe(200);
  expect(place.read("config", "hub.toml")).toBe(own);
  expect(place.read("config", "modes.toml")).toBe("# mine\n");
  expect(place.read("bin", "hub")).toBe("not to be replaced");
  for (const name of ["sysmon", "virtual"]) expect(existsSync(place.at(`plugins/${name}/bin/${name}.js`))).toBe(true);
  expect(existsSync(place.at("data/state.redb"))).toBe(true);
});

test("nothing in the working folder changes what the hub is", async () => {
  await using place = createHubPlace({ isEmpty: true });
  const trace = join(place.cwd, "trace");
  const put = (name: string, text: string): void => writeFileSync(join(place.cwd, name), text);
  put(".env", `HUB_HOME=${place.cwd}/wrong\nJOURNAL_STREAM=1:1\n`);
  put("preload.ts", `require("fs").writeFileSync(${JSON.stringify(trace)}, "ran")`);
  put("bunfig.toml", 'preload = ["./preload.ts"]\n[run]\npreload = ["./preload.ts"]\n');
  put("tsconfig.json", '{"compilerOptions":{"paths":{"*":["./preload.ts"]}}}');
  put("package.json", '{"name":"x","version":"9.9.9","imports":{"#x":"./preload.ts"},"workspaces":["*"]}');
  mkdirSync(join(place.cwd, "node_modules", "elysia"), { recursive: true });
  put("node_modules/elysia/index.js", `require("fs").writeFileSync(${JSON.stringify(trace)}, "ran")`);
  const before = readdirSync(place.cwd).sort();

  await using hub = await place.start();
  expect((await hub.request("GET", "/health", { token: null })).json().version).not.toBe("9.9.9");
  await hub.end();
  expect(existsSync(trace)).toBe(false);
  expect(readdirSync(place.cwd).sort()).toEqual(before);
  expect(place.read("logs", "hub.log")).toContain("the hub is up");
});

test("an environment that would make it another program is refused", async () => {
  await using place = createHubPlace({ isEmpty: true });
  const { code, stderr } = await place.run(["serve"], { env: { BUN_OPTIONS: "--smol" } });
  expect(code).toBe(1);
  expect(stderr).toContain("BUN_OPTIONS");
  expect(stderr).toContain("unset");
});

test("in the journal each line begins with its level", async () => {
  await using place = createHubPlace({ isEmpty: true });
  const file = join(place.cwd, "..", "journal");
  writeFileSync(file, "");
  const { dev, ino } = statSync(file);
  const command = `exec "${place.binary}" serve > "${file}" 2>&1`;
  const child = Bun.spawn(["/bin/sh", "-c", command], {
    cwd: place.cwd,
    env: { PATH: process.env.PATH ?? "", HUB_HOME: place.home, JOURNAL_STREAM: `${dev}:${ino}` },
  });
  try {
    const text = (): Promise<string> => Bun.file(file).text();
    await until("the hub is up", async () => (await text()).includes("the hub is up"));
    const lines = (await text()).split("\n").filter((line) => line.includes("[INF]") || line.includes("hub is up"));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toStartWith("<6>");
  } finally {
    child.kill("SIGTERM");
    await child.exited;
  }
});

test("a damaged database is set aside, never deleted, and the hub starts all the same", async () => {
  await using place = createHubPlace();
  await place.layOut();
  place.put("data/state.redb", "this is no database ".repeat(1000));
  await using second = await place.start();
  const kept = /kept_as=(\S+)/.exec(second.output)?.[1] ?? "";
  expect(await Bun.file(kept).text()).toStartWith("this is no database");
  // The loss of the users is reported, and no new administrator is made as if the house were new.
  expect(second.output).not.toContain("password:");
  await second.said("hub passwd admin");
});
