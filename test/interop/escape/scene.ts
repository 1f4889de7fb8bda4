// One scene of the escape suite: a hub with the plugin in C beside another, all ways tried, and the hub, the other plugin, files and
// sockets looked at afterwards. Which scenes there are, escape.ts and escape-kernel.ts decide.
import { chmodSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { giveAway } from "../../support/home-owner.ts";
import { createHubPlace, type HubPlace } from "../../support/hub-place.ts";
import { type HubProcess, spawnHub } from "../../support/hub-process.ts";
import { until } from "../../support/wait.ts";
import { check, compare, print } from "../checks.ts";

export interface Stage {
  /** The compiled hub. */
  binary: string;
  /** The plugin in C. */
  ways: string;
  /** A folder that others may pass. */
  work: string;
}

/** What a scene came to. */
export interface Outcome {
  detail: string;
  tried: number;
  refused: number;
  secs: number;
}

export interface Scene {
  name: string;
  heldBy: "landlock" | "namespaces" | "system_calls";
  /** Before the hub's command. */
  before: string[];
  uid: number;
  /** What holds plugins there, up to this. */
  held: number;
}

interface Tried {
  name: string;
  tries: string;
  how: string;
  why: string;
}

interface PluginBody {
  pid: number | null;
  held_by: string;
  confined_detail: string;
}

/** As the program numbers them: a filter of system calls, and a view of the files. */
export const HOLDERS = { calls: 0, view: 1 } as const;
/** How many ways are held by each of these and those before it, at least. */
const WAYS = [190, 315];

const CANARIES = {
  "rules/canary.toml": "# nobody may read or change this\n",
  "backups/canary.zip": "a backup\n",
  "plugins/other/secret": "a secret\n",
};

/** A socket that nobody may connect to. */
async function listen(at: string): Promise<{ server: Server; connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((done) => server.listen({ path: at }, done));
  return { server, connections: () => connections };
}

function furnish(place: HubPlace, ways: string): void {
  for (const [path, text] of Object.entries(CANARIES)) place.put(path, text, 0o600);
  place.put("plugins/other/run", "#!/bin/sh\nexec sleep 100000\n", 0o755);
  place.put("plugins/escape/ways", "", 0o755);
  copyFileSync(ways, place.at("plugins/escape/ways"));
  const entry = (id: string, program: string) => `[[plugins]]\nid = "${id}"\nbinary = "plugins/${id}/${program}"\n`;
  place.configure({ toml: entry("other", "run") + entry("escape", "ways") });
}

async function start(place: HubPlace, { before, uid }: Scene, work: string): Promise<HubProcess> {
  const script = join(work, `start-${crypto.randomUUID()}`);
  const user = uid === 0 ? [] : ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
  // A session of its own: one that began outside is number 0, and a signal to group 0 is one to the sender's own.
  writeFileSync(script, `#!/bin/sh\nexec setsid ${[...user, ...before, place.binary].join(" ")} "$@"\n`, {
    mode: 0o755,
  });
  if (uid !== 0) giveAway(place);
  const as = { ...place, binary: script };
  const hub = spawnHub(as);
  await hub.up();
  place.admin = as.admin;
  return hub;
}

/** What others can change of a process: its limits, its place in the queues, its name. */
function stateOf(pid: number): Record<string, string> {
  const read = (file: string): string => readFileSync(`/proc/${pid}/${file}`, "utf8");
  const afterName = read("stat")
    .replace(/^.*\) /s, "")
    .split(" ");
  return {
    limits: read("limits"),
    processors: /^Cpus_allowed:.*$/m.exec(read("status"))?.[0] ?? "",
    nice: afterName[16] ?? "",
    policy: afterName[38] ?? "",
    name: read("comm"),
    badness: read("oom_score_adj"),
    disk: Bun.spawnSync(["ionice", "-p", String(pid)]).stdout.toString(),
    start: afterName[19] ?? "",
  };
}

function filesOf(place: HubPlace): Record<string, string> {
  const fixed = [...Object.keys(CANARIES), "config/hub.toml", "config/modes.toml", "plugins/other/run"];
  const contents = fixed.map((path) => [path, place.read(path)]);
  const names = ["config", "rules", "plugins", "plugins/other", "bin", "backups"].map((folder) => [
    `${folder}/`,
    namesIn(place.at(folder)),
  ]);
  return Object.fromEntries([...contents, ...names]);
}

/** Without what the hub itself makes for a plugin. */
function namesIn(folder: string): string {
  const ofHub = ["logs", "tmp"];
  return readdirSync(folder)
    .filter((name) => !ofHub.includes(name))
    .sort()
    .join(" ");
}

function changed(before: Record<string, string>, after: Record<string, string>): string[] {
  return Object.keys(before).flatMap((path) =>
    before[path] === after[path] ? [] : [`${path}: ${before[path]?.slice(0, 200)} → ${after[path]?.slice(0, 200)}`],
  );
}

export async function play(scene: Scene, { binary, ways, work }: Stage): Promise<Outcome> {
  const begun = performance.now();
  print(`     ${scene.name}`);
  await using place = createHubPlace({}, undefined, binary);
  furnish(place, ways);
  await using hub = await start(place, scene, work);
  const plugin = (id: string) =>
    until(`${id} runs`, async () => [await hub.get<PluginBody>(`/plugins/${id}`)].find(({ pid }) => pid));
  const [other, one] = [await plugin("other"), await plugin("escape")];
  compare(`${scene.name}: the record says by what it is held`, one.held_by, scene.heldBy);
  print(`     ${one.confined_detail}`);
  const name = `hub-escape-${crypto.randomUUID()}`;
  const path = join(work, `${name}.sock`);
  const listeners = [await listen(path), await listen(`\0${name}`)];
  chmodSync(path, 0o777);
  const outside = join(work, `${name}.txt`);
  writeFileSync(outside, "outside\n", { mode: 0o666 });
  try {
    const pids = [hub.pid, other.pid ?? 0];
    const before = { processes: pids.map(stateOf), files: filesOf(place) };
    place.put(
      "plugins/escape/targets.new",
      `${scene.held} ${pids.join(" ")} ${place.home} ${path} ${name} ${outside}\n`,
      0o644,
    );
    Bun.spawnSync(["mv", place.at("plugins/escape/targets.new"), place.at("plugins/escape/targets")]);
    const text = await until("it has tried all", () => resultsOf(place), { timeoutMs: 180_000 }).catch(
      (error: unknown) => {
        throw new Error(`${error}\n${hub.output.slice(-2000)}`);
      },
    );
    const tried = triesIn(text);
    for (const { name: way, tries, how, why } of tried)
      await check(`${scene.name}: ${way}`, () => {
        if (how !== "refused") throw new Error(`${how}: ${tries}: ${why}`);
      });
    const enough = WAYS[scene.held] ?? 0;
    compare(`${scene.name}: ${tried.length} ways were tried, ${enough} at least`, tried.length >= enough, true);
    compare(
      `${scene.name}: whoever gets the number of one of its processes goes on`,
      await takeOver(place, scene.uid),
      {
        ...{ taken: TAKE_OVERS, ended: 0 },
      },
    );
    compare(`${scene.name}: the processes are as before`, pids.map(stateOf), before.processes);
    compare(`${scene.name}: the files are as before`, changed(before.files, filesOf(place)), []);
    compare(
      `${scene.name}: nobody connected`,
      listeners.map(({ connections }) => connections()),
      [0, 0],
    );
    compare(`${scene.name}: what is outside is as before`, readFileSync(outside, "utf8"), "outside\n");
    await check(`${scene.name}: the hub answers, and still writes`, async () => {
      const { status } = await hub.request("PUT", "/variables/after", { body: { value: 1 } });
      if (status >= 300) throw new Error(`it answered ${status}`);
    });
    return {
      detail: one.confined_detail,
      tried: tried.length,
      refused: tried.filter(({ how }) => how === "refused").length,
      secs: Math.round((performance.now() - begun) / 1000),
    };
  } finally {
    for (const { server } of listeners) server.close();
  }
}

const TAKE_OVERS = 20;
const MAX_TRIES = 500;
/** How long each has the number while it is aimed at. */
const HELD_MS = 100;

/** Gives the number of a process of the plugin that has ended to others of the hub's user; answers how many of them it ended. */
async function takeOver(place: HubPlace, uid: number): Promise<{ taken: number; ended: number }> {
  const number = Number(await until("its process has ended", () => textOf(place, "plugins/escape/number")));
  const counts = { taken: 0, ended: 0 };
  for (let tries = 0; counts.taken < TAKE_OVERS && tries < MAX_TRIES; tries++) {
    // What the machine starts next gets the number behind this one.
    writeFileSync("/proc/sys/kernel/ns_last_pid", String(number - 1));
    const child = Bun.spawn(["setpriv", `--reuid=${uid}`, "sleep", "100"]);
    if (child.pid === number) {
      await until("it is the hub's user's", () => readFileSync(`/proc/${number}/comm`, "utf8").startsWith("sleep"));
      await Promise.race([child.exited, Bun.sleep(HELD_MS)]);
      counts.taken++;
      if (child.exitCode !== null || child.signalCode !== null) counts.ended++;
    }
    child.kill("SIGKILL");
    await child.exited;
  }
  place.put("plugins/escape/stop", "");
  return counts;
}

function resultsOf(place: HubPlace): string | undefined {
  return textOf(place, "plugins/escape/results");
}

function textOf(place: HubPlace, path: string): string | undefined {
  try {
    return place.read(path);
  } catch {
    return undefined;
  }
}

function triesIn(text: string): Tried[] {
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", tries = "", how = "", why = ""] = line.split("\t");
      return { name, tries, how, why };
    });
}
