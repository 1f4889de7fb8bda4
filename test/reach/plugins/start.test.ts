// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the configuration.
import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { HubError } from "../../../src/kit/schema/errors.ts";
import { createRig, PASSWORD, pidIn, textOf, until } from "./rig.ts";

test("the environment is an allow-list, with the entry's own variables expanded", async () => {
  const inherited = {
    PATH: process.env.PATH,
    HOME: "/nowhere",
    LC_ALL: "C",
    SECRET_OF_THE_HUB: "x",
    BUN_OPTIONS: "--smol",
    BUN_BE_BUN: "1",
    NODE_OPTIONS: "x",
  };
  const entry = {
    id: "env",
    binary: "p.sh",
    config: "some.toml",
    args: ["one", "two words"],
    env: { URL: "mqtt://${HUB_MQTT_USERNAME}:${HUB_MQTT_PASSWORD}@${HUB_MQTT_HOST}", PLAIN: "$HOME ${OTHER}" },
  };
  const script =
    '#!/bin/sh\nenv > env.txt; printf "%s\\n" "$@" > args.txt; pwd > cwd.txt; cat > stdin.txt; echo done > done.txt; sleep 60\n';
  await using rig = createRig(
    [entry],
    { "p.sh": script, "some.toml": "" },
    {
      env: inherited,
      broker: { host: "0.0.0.0", port: 1999, prefix: "house" },
    },
  );
  await rig.plugins.start("env");
  const folder = rig.home.plugin("env").root;
  await until("the plugin has written everything", () => textOf(`${folder}/done.txt`));
  const env = Object.fromEntries(
    (textOf(`${folder}/env.txt`) ?? "")
      .trim()
      .split("\n")
      .map((line) => line.split(/=(.*)/s)),
  );
  for (const own of ["PWD", "OLDPWD", "SHLVL", "_"]) delete env[own];
  const { PATH, ...rest } = env;
  expect(PATH).toBe(process.env.PATH ?? "");
  expect(rest).toEqual({
    HOME: "/nowhere",
    LC_ALL: "C",
    HUB_HOME: rig.home.root,
    HUB_PLUGIN_ID: "env",
    HUB_PLUGIN_CONFIG: `${rig.home.root}/some.toml`,
    HUB_MQTT_HOST: "127.0.0.1",
    HUB_MQTT_PORT: "1999",
    HUB_MQTT_USERNAME: "env",
    HUB_MQTT_PASSWORD: PASSWORD,
    HUB_MQTT_CLIENT_ID: "hub-plugin-env",
    HUB_TOPIC_PREFIX: "house",
    TMPDIR: `${folder}/tmp`,
    HUB_RUN: expect.stringMatching(/^[0-9a-f-]{36}\/1$/),
    URL: `mqtt://env:${PASSWORD}@127.0.0.1`,
    PLAIN: "$HOME ${OTHER}",
  });
  expect(textOf(`${folder}/args.txt`)).toBe(`${rig.home.root}/some.toml\none\ntwo words\n`);
  expect(textOf(`${folder}/cwd.txt`)).toBe(`${folder}\n`);
  expect(textOf(`${folder}/stdin.txt`)).toBe("");
});

test("a .ts plugin runs on the given Bun, whatever files are in its folder", async () => {
  const script = `
    await Bun.write("seen.json", JSON.stringify({
      bun: typeof Bun.version, argv: process.argv.slice(2), dotenv: process.env.FROM_DOTENV ?? null,
      preloaded: (globalThis as { preloaded?: boolean }).preloaded ?? false, beBun: process.env.BUN_BE_BUN,
    }));
    setInterval(() => {}, 1000);`;
  await using rig = createRig([{ id: "ts", binary: "p.ts", args: ["--watch"] }], {
    "p.ts": script,
    "plugins/ts/.env": "FROM_DOTENV=1",
    "plugins/ts/bunfig.toml": 'preload = ["./pre.ts"]',
    "plugins/ts/pre.ts": "globalThis.preloaded = true;",
  });
  await rig.plugins.start("ts");
  const seen = await until("the plugin has run", () => textOf(`${rig.home.plugin("ts").root}/seen.json`) || undefined);
  expect(JSON.parse(seen)).toEqual({
    bun: "string",
    argv: [rig.home.plugin("ts").configToml, "--watch"],
    dotenv: null,
    preloaded: false,
    beBun: "1",
  });
});

for (const [what, binary, reason] of [
  ["missing", "nothing/here", "nothing/here does not exist"],
  ["not executable", "plain.txt", "plain.txt is not executable (chmod +x)"],
  ["a directory", "folder", "folder is a directory, not a program"],
  ["a missing script", "gone.ts", "gone.ts does not exist"],
]) {
  test(`a binary that is ${what} is offline with the reason`, async () => {
    await using rig = createRig([{ id: "p", binary }], { "plain.txt": "x" });
    mkdirSync(`${rig.home.root}/folder`);
    const record = await rig.plugins.start("p");
    expect(record).toMatchObject({ status: "offline", pid: null, last_exit: { code: null, reason, output: [] } });
    expect(rig.types()).toEqual(["plugin_status_changed", "plugin_offline"]);
    expect(rig.issued).toEqual([]);
    expect(await rig.plugins.stop("p")).toMatchObject({ status: "stopped" });
  });
}

test("a missing configuration file that the entry names is reported without starting the plugin", async () => {
  const files = { "p.sh": "#!/bin/sh\necho started > started; exec sleep 60\n" };
  await using rig = createRig([{ id: "p", binary: "p.sh", config: "gone.toml" }], files);
  const record = await rig.plugins.start("p");
  expect(record).toMatchObject({ status: "offline", pid: null, last_exit: { reason: "gone.toml does not exist" } });
  expect(rig.issued).toEqual([]);
});

test("a missing interpreter is explained", async () => {
  await using rig = createRig([{ id: "p", binary: "p" }], { p: "#!/no/such/interpreter\n" });
  await rig.plugins.start("p");
  const exit = await until("it has ended", () => rig.plugins.get("p").last_exit);
  expect(exit.reason).toContain("interpreter");
});

test("starting twice makes one process, restarting another", async () => {
  await using rig = createRig([{ id: "p", binary: "p.sh" }], { "p.sh": "#!/bin/sh\necho $$ >> pids; exec sleep 60\n" });
  const [first, second] = await Promise.all([rig.plugins.start("p"), rig.plugins.start("p")]);
  expect(first.status).toBe("starting");
  expect(second.pid).toBe(first.pid);
  await until("it runs", () => pidIn(`${rig.home.plugin("p").root}/pids`));
  const third = await rig.plugins.restart("p");
  expect(third.pid).not.toBe(first.pid);
  await until("the other runs", () => textOf(`${rig.home.plugin("p").root}/pids`)?.split("\n").length === 3);
  expect(textOf(`${rig.home.plugin("p").root}/pids`)).toBe(`${first.pid}\n${third.pid}\n`);
  expect(rig.statuses()).toEqual(["starting", "stopped", "starting"]);
});

test("startAll starts the enabled ones", async () => {
  const files = { "p.sh": "#!/bin/sh\nexec sleep 60\n" };
  await using rig = createRig(
    [
      { id: "on", binary: "p.sh" },
      { id: "off", binary: "p.sh", enabled: false },
    ],
    files,
  );
  rig.plugins.startAll();
  await until("one runs", () => rig.plugins.get("on").pid);
  expect(rig.plugins.list().map(({ id, status, enabled }) => [id, status, enabled])).toEqual([
    ["on", "starting", true],
    ["off", "stopped", false],
  ]);
});

test("a plugin that the hub does not know or run cannot be started", async () => {
  await using rig = createRig([], {});
  rig.plugins.heartbeat("elsewhere", {});
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => "none",
      (error) => (error instanceof HubError ? error.code : error),
    );
  expect(await refusal(rig.plugins.start("nobody"))).toBe("not_found");
  expect(await refusal(rig.plugins.stop("elsewhere"))).toBe("conflict");
  expect(() => rig.plugins.get("nobody")).toThrow(HubError);
  expect(rig.plugins.log("elsewhere", 10)).toEqual([]);
});
