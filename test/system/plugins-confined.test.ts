// Plugins of every kind, run by the compiled hub as root and as a user: each works, and none can read the hub's files. The same on a
// kernel that seems to have no Landlock, where there is a compiler for what makes it seem so (.ci/run).
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { probeLandlock } from "../../src/reach/plugins/confine/landlock.ts";
import { probeNamespaces } from "../../src/reach/plugins/confine/namespaces.ts";
import { giveAway, OWNER, startAsOwner } from "../support/home-owner.ts";
import { createHubPlace, type HubPlace, SECRET } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/wait.ts";

const { abi } = probeLandlock();
const NODE = Bun.which("node", { PATH: "/usr/local/bin:/usr/bin:/bin" });
const PYTHON = Bun.which("python3", { PATH: "/usr/local/bin:/usr/bin:/bin" });
const FIXED = "a-fixed-password";

// Like homeCore's plugins: broker, id and password from its own file, which it rewrites; plain MQTT 3.1.1.
const HOMECORE = `#!${PYTHON}
import os, socket, struct, sys, time, tomllib
path = sys.argv[1]
home = tomllib.load(open(path, "rb"))["homecore"]
with open(path + ".new", "w") as file: file.write(open(path).read() + "# seen\\n")
os.replace(path + ".new", path)
text = lambda value: struct.pack("!H", len(value)) + value.encode()
def packet(kind, body):
    length, n = b"", len(body)
    while True:
        n, digit = n // 128, n % 128
        length += bytes([digit | (128 if n else 0)])
        if not n: return bytes([kind]) + length + body
broker = socket.create_connection((home["broker_host"], int(os.environ["HUB_MQTT_PORT"])))
broker.sendall(packet(0x10, text("MQTT") + bytes([4, 0xC2, 0, 60]) + text("homecore-1") + text(home["plugin_id"]) + text(home["password"])))
if broker.recv(4)[3] != 0: sys.exit("refused")
prefix = os.environ["HUB_TOPIC_PREFIX"]
while True:
    broker.sendall(packet(0x30, text(prefix + "/devices/ts_lamp/cmd") + b'{"on":true}'))
    broker.sendall(packet(0x30, text(prefix + "/plugins/homecore/heartbeat") + b"{}"))
    try: open("../../config/hub.toml")
    except OSError as error: print(error, flush=True)
    time.sleep(1)
`;
const LAMP = `import { runPlugin, Type } from "../../sdk/hub-sdk.js";
import { readFileSync } from "node:fs";
interface State { on: boolean }
const initial: State = { on: false };
runPlugin({
  version: "1.2.3",
  configSchema: Type.Object({}),
  start(plugin) {
    const lamp = plugin.device({ id: "ts_lamp", name: "Lamp", onCommand: (wanted: State) => ({ on: wanted.on }) });
    lamp.set(initial);
    try { console.log(readFileSync("../../config/hub.toml", "utf8")); } catch (error) { console.log(String(error)); }
    console.log(Bun.spawnSync(["/bin/cat", process.env.HUB_HOME + "/data/state.redb"]).stderr.toString());
  },
});
`;
const NODE_PLUGIN = `#!/usr/bin/env node
const fs = require("fs"), net = require("net"), os = require("os");
try { console.log(fs.readFileSync("../../config/hub.toml", "utf8")); } catch (error) { console.log(String(error)); }
fs.writeFileSync(os.tmpdir() + "/x", "y");
new (require("worker_threads").Worker)("1", { eval: true });
net.connect(Number(process.env.HUB_MQTT_PORT), "localhost", () => { fs.writeFileSync("connected", require("dns").getServers().join()); });
setInterval(() => {}, 1000);
`;
const SHELL = `#!/bin/sh
# nothing
cat ../../config/hub.toml
date >connected
exec sleep 1000
`;

interface PluginBody {
  id: string;
  status: string;
  pid: number | null;
  confined: boolean;
  confined_detail: string;
  held_by: string;
  last_exit: { reason: string } | null;
  notices: { code: string; message: string }[];
}

function furnish(place: HubPlace): void {
  place.put("plugins/lamp/bin/lamp.ts", LAMP);
  place.put("plugins/node/bin/node", NODE_PLUGIN, 0o755);
  place.put("plugins/shell/bin/shell", SHELL, 0o755);
  place.put("plugins/homecore/bin/hc", HOMECORE, 0o755);
  const own = `[homecore]\nbroker_host = "127.0.0.1"\nplugin_id = "homecore"\npassword = "${FIXED}"\n`;
  place.put("plugins/homecore/config/config.toml", own);
  const entry = (id: string, binary: string, more = ""): string =>
    `[[plugins]]\nid = "${id}"\nbinary = "plugins/${binary}"\n${more}`;
  place.configure({
    toml: [
      entry("sysmon", "sysmon/bin/sysmon.js", 'confine = "strict"\n'),
      entry("virtual", "virtual/bin/virtual.js"),
      entry("lamp", "lamp/bin/lamp.ts"),
      entry("node", "node/bin/node"),
      entry("shell", "shell/bin/shell"),
      entry("homecore", "homecore/bin/hc", `password = "${FIXED}"\npublish = ["hub/devices/+/cmd"]\n`),
    ].join(""),
  });
}

const GCC = Bun.which("gcc", { PATH: "/usr/bin:/bin" });
const sources = join(import.meta.dir, "..", "interop", "escape");
const built = resolve(process.env.HUB_BINARY ?? join(import.meta.dir, "..", "..", "bin", "hub"));
const LANDLOCK = { heldBy: "landlock", detail: `Landlock ${abi}`, denial: /permission denied/i };
const NAMESPACES = { heldBy: "namespaces", detail: "as this kernel", denial: /no such file/i };
const KINDS = [
  ...(abi > 0 ? [["root", 0, LANDLOCK] as const, ["a user of its own", OWNER, LANDLOCK] as const] : []),
  ...(GCC && probeNamespaces().command
    ? [["root without Landlock", 0, NAMESPACES] as const, ["a user without Landlock", OWNER, NAMESPACES] as const]
    : []),
];

/** A hub that finds no Landlock: a script in the folder that starts one. */
function hubWithoutLandlock(folder: string): string {
  const [program, script] = [join(folder, "no-landlock"), join(folder, "hub")];
  const { exitCode, stderr } = Bun.spawnSync(["gcc", "-O2", "-o", program, join(sources, "no-landlock.c")]);
  if (exitCode !== 0) throw new Error(stderr.toString());
  // Where the hub's user can reach it.
  copyFileSync(built, join(folder, "real-hub"));
  writeFileSync(script, `#!/bin/sh\nexec ${program} ${join(folder, "real-hub")} "$@"\n`, { mode: 0o755 });
  return script;
}

describe.if(process.getuid?.() === 0).each(KINDS)("as %s", (_, uid, { heldBy, detail, denial }) => {
  const folder = createTemporaryFolder();
  chmodSync(folder.path, 0o711);
  const place =
    heldBy === "landlock" ? createHubPlace() : createHubPlace({}, undefined, hubWithoutLandlock(folder.path));
  let hub: HubProcess;
  beforeAll(async () => {
    furnish(place);
    if (uid === 0) hub = await place.start();
    else {
      giveAway(place);
      hub = await startAsOwner(place);
    }
  });
  afterAll(async () => {
    await hub?.end();
    await place[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });
  const plugin = (id: string) => hub.get<PluginBody>(`/plugins/${id}`);
  const log = async (id: string) => (await hub.get<string[]>(`/plugins/${id}/log?lines=100`)).join("\n");
  test.each(["sysmon", "virtual", "lamp", "homecore"])("%s is active and confined", async (id) => {
    const active = await until("it is active", async () =>
      [await plugin(id)].find(({ status }) => status === "active"),
    ).catch(async (error: unknown) => {
      throw new Error(`${error}\n${await log(id)}`);
    });
    expect(active).toMatchObject({
      confined: true,
      held_by: heldBy,
      confined_detail: expect.stringContaining(detail),
      last_exit: null,
    });
  });

  test.each(["node", "shell"])("%s runs and does its work", async (id) => {
    if (id === "node" && !NODE) return;
    const done = () => existsSync(place.at("plugins", id, "connected"));
    await until("it has done its work", done).catch(async (error: unknown) => {
      throw new Error(`${error}\n${await log(id)}`);
    });
    expect(await plugin(id)).toMatchObject({ status: "starting", confined: true });
  });

  test.each(["lamp", "homecore", "node", "shell"])(
    "the kernel denies %s access to hub.toml, and its record says so",
    async (id) => {
      const message = `the kernel denied access to ${place.at("config", "hub.toml")}, which belongs to the hub and stays closed to plugins`;
      const said = async () => (await plugin(id)).notices.find((notice) => notice.message === message);
      expect(await until("the record says so", said)).toMatchObject({ level: "warning", code: "refused" });
      expect(await log(id)).toMatch(denial);
      expect(await log(id)).not.toContain(SECRET);
    },
  );

  test("sysmon measures the same as when it is not confined", async () => {
    const readings = async () =>
      (await hub.get<{ id: string }[]>("/devices")).filter(({ id }) => id.startsWith("sysmon")).length;
    await until("its devices are there", async () => (await readings()) >= 3);
  });

  test("the rights and the fixed password of its entry are used", async () => {
    await until("the lamp was switched by another plugin", async () => {
      const lamp = await hub.request("GET", "/devices/ts_lamp");
      return lamp.status === 200 && lamp.json<{ attributes: { on: boolean } }>().attributes.on;
    });
    const second = await hub.mqtt({ username: "homecore", password: FIXED, clientId: "homecore-2" });
    expect(second.connected).toBe(true);
  });

  test("the status counts plugins that are not confined", async () => {
    expect(await hub.get("/system/status")).toMatchObject({ plugins: 6, plugins_unconfined: 0 });
  });
});
