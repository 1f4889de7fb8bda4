// The command line: help, check, passwd, and every way a start can fail.
import { expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { configText, createHubPlace, SECRET } from "../support/hub-place.ts";
import { soon } from "../support/wait.ts";

test("help lists the commands and their options", async () => {
  await using place = createHubPlace(null);
  const all = await place.run(["--help"]);
  expect(all.code).toBe(0);
  for (const name of ["serve", "init", "check", "passwd", "version"]) expect(all.stdout).toContain(`hub ${name}`);
  const one = await place.run(["passwd", "--help"]);
  expect(one.code).toBe(0);
  expect(one.stdout).toContain("--stdin");
  expect(await place.run(["help", "passwd"])).toEqual(one);
  expect(await place.run(["help"])).toEqual(all);
});

test("version", async () => {
  await using place = createHubPlace(null);
  const { code, stdout } = await place.run(["version"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^hub \d+\.\d+\.\d+ \(Bun 1\.4\.5, linux-\w+\)\n$/);
  for (const option of ["--version", "-v", "-V"]) expect((await place.run([option])).stdout).toBe(stdout);
});

test("wrong usage ends with 2, the reason and the usage", async () => {
  await using place = createHubPlace(null);
  const mistakes: [string[], string, string][] = [
    [["chekc"], 'there is no command "chekc" – did you mean "check"?', "hub check"],
    [["help", "chekc"], 'there is no command "chekc" – did you mean "check"?', "hub check"],
    [["check", "--hoem", "x"], 'there is no option "--hoem" – did you mean "--home"?', "hub check [options]"],
    [["--hoem=x"], 'there is no option "--hoem" – did you mean "--home"?', "hub serve [options]"],
    [["restore", "--dryrun"], 'there is no option "--dryrun" – did you mean "--dry-run"?', "hub restore [FILE]"],
    [["serve", "--constructor"], 'there is no option "--constructor"', "hub serve"],
    [["serve", "-x"], 'there is no option "-x"', "hub serve"],
    [["check", "one", "more"], 'there is one argument too many: "one"', "hub check"],
    [["serve", "--home="], "--home needs a value: --home FOLDER", "hub serve"],
    [["serve", "--home"], "--home needs a value: --home FOLDER", "hub serve"],
    [["logs", "--level", "loud"], "--level must be one of debug, info, warning, error", "hub logs"],
    [["device-account", "x", "--for", "toaster"], "--for must be one of zigbee2mqtt, tasmota", "hub device-account"],
    [["restore", "--undo=yes"], "--undo takes no value", "hub restore"],
  ];
  for (const [args, reason, usage] of mistakes) {
    const { code, stdout, stderr } = await place.run(args);
    expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: "" });
    expect(stderr).toContain(reason);
    expect(stderr).toContain(usage);
  }
});

test("a home that does not exist is named, with what to do", async () => {
  await using place = createHubPlace(null);
  for (const args of [["check"], ["upgrade", "hub"], ["passwd"], ["backup"]]) {
    const { code, stderr } = await place.run(args);
    expect({ args, code }).toEqual({ args, code: 1 });
    expect(stderr).toContain(`there is no hub in ${place.home}: name its home with --home`);
  }
});

test("in a checkout, the home is ./home", async () => {
  await using place = createHubPlace(null);
  const checkout = `${place.cwd}/checkout`;
  for (const folder of ["src", "bin"]) mkdirSync(`${checkout}/${folder}`, { recursive: true });
  writeFileSync(`${checkout}/src/main.ts`, "");
  copyFileSync(place.binary, `${checkout}/bin/hub`);
  chmodSync(`${checkout}/bin/hub`, 0o755);
  await place.run(["init", "--home", `${checkout}/home`]);
  const checked = Bun.spawnSync([`${checkout}/bin/hub`, "check"], { cwd: "/", env: { PATH: process.env.PATH ?? "" } });
  expect(checked.stdout.toString()).toBe(`${checkout}/home/config/hub.toml is valid\n`);
});

test("init is complete the second time", async () => {
  await using place = createHubPlace(null);
  expect((await place.run(["init"])).code).toBe(0);
  const again = await place.run(["init"]);
  expect({ code: again.code, out: again.stdout }).toEqual({ code: 0, out: `${place.home} is complete\n` });
});

test("check: a valid file, and one that others can read", async () => {
  await using place = createHubPlace();
  const good = await place.run(["check"]);
  expect(good).toMatchObject({ code: 0, stdout: `${place.at("config/hub.toml")} is valid\n`, stderr: "" });
  chmodSync(place.at("config/hub.toml"), 0o644);
  const open = await place.run(["check"]);
  expect(open.code).toBe(0);
  expect(open.stderr).toContain("chmod 600");
});

test("check lists all problems at once, with file, line and key, and no secret", async () => {
  await using place = createHubPlace();
  const lines = [
    "[sever]",
    "port = 1",
    "[server]",
    "prot = 8080",
    'port = "eighty-secret"',
    "[auth]",
    'jwt_secret = "short-secret"',
    "[mqtt]",
    "[[mqtt.users]]",
    'username = "a/b"',
    'pasword = "typed-secret"',
    "[[plugins]]",
    'id = "no slashes/please"',
    "[[notify.channels]]",
    'name = "mail"',
    'type = "emial"',
  ];
  place.put("config/hub.toml", lines.join("\n"), 0o600);
  const { code, stdout, stderr } = await place.run(["check"]);
  expect(code).toBe(1);
  const file = place.at("config/hub.toml");
  for (const [line, words] of [
    [1, 'unknown key "sever" – did you mean "server"?'],
    [4, 'server.prot: unknown key "prot" – did you mean "port"?'],
    [5, "server.port: must be a whole number"],
    [7, "auth.jwt_secret: must be a random text"],
    [10, "mqtt.users[0].username: must be"],
    [11, 'mqtt.users[0].pasword: unknown key "pasword" – did you mean "password"?'],
    [9, "mqtt.users[0].password: missing"],
    [13, "plugins[0].id: must be"],
    [12, "plugins[0].binary: missing"],
    [16, "notify.channels[0].type: must be one of"],
  ] as const)
    expect(stderr).toMatch(new RegExp(`${file}:${line}: .*${words.replace(/[.?()[\]]/g, "\\$&")}`));
  expect(stdout + stderr).not.toContain("secret\n");
  for (const secret of ["eighty-secret", "short-secret", "typed-secret"]) expect(stderr).not.toContain(secret);
  const started = await place.run(["serve"]);
  expect({ code: started.code, listed: started.stderr.includes("server.prot") }).toEqual({ code: 1, listed: true });
});

test("a half-written configuration never starts with defaults", async () => {
  await using place = createHubPlace();
  const whole = configText();
  for (const text of ["", whole.slice(0, whole.indexOf(SECRET) + 10), whole.slice(0, whole.indexOf("[mqtt]") + 3)]) {
    place.put("config/hub.toml", text, 0o600);
    for (const command of ["check", "serve"]) {
      const { code, stdout, stderr } = await place.run([command]);
      expect({ text, code }).toEqual({ text, code: 1 });
      expect(stderr).toContain(place.at("config/hub.toml"));
      expect(stderr).not.toContain(SECRET.slice(0, 10));
      expect(stdout).not.toContain("password:");
    }
  }
  place.put("config/hub.toml", "\u0000\u0001\u0002", 0o600);
  expect((await place.run(["serve"])).code).toBe(1);
});

test("passwd on the stopped hub", async () => {
  await using place = createHubPlace();
  expect((await place.run(["passwd"])).code).toBe(1);
  const first = await place.start();
  await first.end();
  const { code, stdout } = await place.run(["passwd"]);
  const password = /^password: (\S+)$/m.exec(stdout)?.[1] ?? "";
  expect(code).toBe(0);
  await using hub = await place.start();
  expect((await hub.login("admin", password)).status).toBe(200);
});

test("passwd on the running hub ends the old tokens and closes their streams", async () => {
  await using place = createHubPlace();
  await using hub = await place.start();
  const token = await hub.adminToken();
  const stream = await hub.openStream();
  const changed = await place.run(["passwd", "admin", "--stdin"], { stdin: "a brand-new password\n" });
  expect(changed).toMatchObject({ code: 0, stdout: 'the password of "admin" was changed\n' });
  expect((await hub.request("GET", "/auth/me", { token })).status).toBe(401);
  expect((await soon("the stream ends", stream.closed)).code).toBe(1008);
  expect((await hub.login("admin", "a brand-new password")).status).toBe(200);
  expect((await place.run(["passwd", "admin", "--stdin"], { stdin: "short\n" })).code).toBe(1);
  expect((await place.run(["passwd", "second"])).stdout).toContain('created the user "second"');
});

test("a second hub on the same home is refused, with the process that has it", async () => {
  await using place = createHubPlace();
  await using hub = await place.start();
  const { code, stderr } = await place.run(["serve"]);
  expect(code).toBe(1);
  expect(stderr).toContain(`process ${hub.pid}`);
  expect((await hub.request("GET", "/health")).status).toBe(200);
});

test("a taken port ends the start and says which", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const address = taken.address();
  const port = typeof address === "object" && address ? address.port : 0;
  try {
    await using place = createHubPlace();
    for (const section of ["server", "mqtt"]) {
      place.put(
        "config/hub.toml",
        configText()
          .replace(`[${section}]\nhost = "127.0.0.1"\nport = 0`, `[${section}]\nhost = "127.0.0.1"\nport = ${port}`)
          .replace(`[${section}]\nport = 0`, `[${section}]\nport = ${port}`),
        0o600,
      );
      const { code, stderr } = await place.run(["serve"]);
      expect({ section, code }).toEqual({ section, code: 1 });
      expect(stderr).toContain(String(port));
      expect(stderr).toContain(`[${section}] port`);
    }
  } finally {
    taken.close();
  }
});

test("a home that cannot be written", async () => {
  await using place = createHubPlace(null);
  writeFileSync(place.at(), "a file where the home should be");
  const file = await place.run(["serve"]);
  expect(file.code).toBe(1);
  expect(file.stderr).toContain("cannot lay out the home");
  expect((await place.run(["init", "--home", "/proc/hub"])).code).toBe(1);
  // Root may write anywhere: another user tries.
  mkdirSync(`${place.home}-closed`, { mode: 0o500 });
  chmodSync(place.at(".."), 0o755);
  const uid = process.getuid?.() === 0 ? { uid: 65_534 } : {};
  const foreign = await place.run(["init", "--home", `${place.home}-closed`], uid);
  expect(foreign.code).toBe(1);
  expect(foreign.stderr).toContain("--home");
  expect(foreign.stderr).not.toContain(" at ");
});
