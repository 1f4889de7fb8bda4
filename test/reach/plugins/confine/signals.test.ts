// Whom a plugin's signals reach where Landlock does not keep them, with real processes: its own, and nobody else.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Landlock, probeLandlock } from "../../../../src/reach/plugins/confine/landlock.ts";
import { meansOf } from "../../../../src/reach/plugins/confine/means.ts";
import { probeNamespaces } from "../../../../src/reach/plugins/confine/namespaces.ts";
import { createSignalGuard } from "../../../../src/reach/plugins/confine/signals/guard.ts";
import { alive, createRig, type RigOptions, textOf, until } from "../rig.ts";
import { landlock, ranOn } from "./confine-rig.ts";

const { abi } = probeLandlock();
const old: Landlock = { abi: Math.min(abi, 2), reason: "" };
const namespaces = () => ({ command: undefined, reason: "the test says so" });
const MACHINES: { by: string; machine: RigOptions }[] = [
  ...(abi > 0 ? [{ by: "Landlock 2", machine: { landlock: () => old } }] : []),
  ...(probeNamespaces().command ? [{ by: "namespaces", machine: { landlock } }] : []),
  { by: "the filter alone", machine: { landlock, namespaces } },
];

// By numbers; whoever has these is told of by the test.
const AIM = `#!/usr/bin/python3
import ctypes, json, os, signal
libc = ctypes.CDLL(None, use_errno=True)
KILL, TKILL, TGKILL, QUEUE, QUEUE_THREAD, PIDFD = ${process.arch === "arm64" ? "129, 130, 131, 138, 240, 424" : "62, 200, 234, 129, 297, 424"}
reached = []
def attempt(name, *arguments):
    if libc.syscall(*arguments) == 0: reached.append(name)
TERM = TARGET_SIGNAL
info = (ctypes.c_int * 32)(TERM, 0, -1)
for number in TARGETS:
    attempt("kill %d" % number, KILL, number, TERM)
    attempt("kill group %d" % number, KILL, -number, TERM)
    attempt("tkill %d" % number, TKILL, number, TERM)
    attempt("tgkill %d" % number, TGKILL, number, number, TERM)
    attempt("tgkill first %d" % number, TGKILL, TARGETS[0], number, TERM)
    attempt("sigqueue %d" % number, QUEUE, number, TERM, info)
    attempt("tgsigqueue %d" % number, QUEUE_THREAD, TARGETS[0], number, TERM, info)
    try: attempt("pidfd %d" % number, PIDFD, os.pidfd_open(number), TERM, None, 0)
    except OSError: pass
attempt("all", KILL, -1, 0)
# It cannot become one of another plugin's, whose label is another, nor one that its own plugin is not known to have.
import resource
try: resource.setrlimit(10, (5, 5)); reached.append("no label")
except (ValueError, OSError): pass
try: resource.prlimit(0, 10, (5, 5)); reached.append("no label by the newer call")
except (ValueError, OSError): pass
try: resource.setrlimit(10, (resource.getrlimit(10)[1], resource.getrlimit(10)[1] + 1)); reached.append("its label")
except (OSError, ValueError): pass
json.dump(reached, open("found", "w")); open("done", "w")
signal.pause()
`;

const LIVES = `#!/usr/bin/python3
import json, os, signal, subprocess, time
found = {}
def ended(name, words, end, **more):
    child = subprocess.Popen(words, **more)
    end(child)
    found[name] = child.wait()
SLEEP = ["sleep", "100"]
ended("child", SLEEP, lambda child: child.terminate())
ended("killed", SLEEP, lambda child: child.kill())
ended("stopped, then killed", SLEEP, lambda child: [os.kill(child.pid, signal.SIGSTOP), os.kill(child.pid, signal.SIGCONT), child.kill()])
ended("group", ["sh", "-c", "sleep 100 & wait"], lambda child: os.killpg(child.pid, signal.SIGKILL), start_new_session=True)
found["timeout"] = subprocess.run(["timeout", "0.1", "sleep", "100"]).returncode
found["timeout kill"] = subprocess.run(["timeout", "-s", "KILL", "0.1", "sleep", "100"]).returncode
found["shell"] = subprocess.run(["sh", "-c", "sleep 100 & kill $!; wait $!"]).returncode
found["pipeline"] = subprocess.run(["sh", "-c", "trap 'exit 5' USR1; kill -USR1 $$; exit 1"]).returncode
# It gives up its parent and begins a session of its own.
orphan = int(subprocess.run(["setsid", "sh", "-c", "sleep 100 >/dev/null 2>&1 & echo $!"], capture_output=True, text=True).stdout)
os.kill(orphan, signal.SIGTERM)
while True:
    try: os.kill(orphan, 0)
    except ProcessLookupError: break
    time.sleep(0.01)
found["orphan"] = "ended"
got = []
signal.signal(signal.SIGUSR1, lambda *_: got.append(1))
os.kill(os.getpid(), signal.SIGUSR1); signal.raise_signal(signal.SIGUSR1); os.kill(0, 0)
# Handlers of a process that signals children that end at once are not disturbed.
signal.signal(signal.SIGCHLD, lambda *_: None)
for _ in range(50):
    child = subprocess.Popen(SLEEP); child.kill(); child.wait()
found["itself"] = len(got)
try: os.kill(2 ** 22 + 1, 0)
except OSError as error: found["nobody"] = error.strerror
try: os.kill(os.getpid(), 99)
except OSError as error: found["no signal"] = error.strerror
json.dump(found, open("found", "w")); open("done", "w")
signal.pause()
`;

// By Bun itself, whose threads it signals while it collects what is unused.
const SCRIPT = `
import { writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
const ends = (child) => new Promise((done) => child.once("exit", (code, signal) => done(signal)));
const one = spawn("sleep", ["100"]); one.kill();
const group = spawn("sleep", ["100"], { detached: true }); process.kill(-group.pid, "SIGKILL");
const found = [await ends(one), await ends(group)];
Bun.gc(true);
process.on("SIGTERM", () => process.exit(7));
writeFileSync("found", JSON.stringify(found)); writeFileSync("done", "");
setInterval(() => {}, 1000);
`;

describe.each(MACHINES)("held by $by", ({ machine }) => {
  let other: ReturnType<typeof Bun.spawn>;
  beforeAll(() => {
    other = Bun.spawn(["sleep", "1000"], { detached: true });
  });
  afterAll(() => other.kill("SIGKILL"));

  const aim = (targets: number[], signal: number): string =>
    AIM.replaceAll("TARGETS", JSON.stringify(targets)).replace("TARGET_SIGNAL", String(signal));
  const foundBy = async (script: string) => {
    await using run = await ranOn(script, {}, machine);
    return JSON.parse(run.text("found") ?? JSON.stringify(run.rig.plugins.get("p").last_exit));
  };

  test("it reaches no thread of the hub", async () => {
    const threads = readdirSync(`/proc/${process.pid}/task`).map(Number);
    expect(threads.length).toBeGreaterThan(1);
    expect(await foundBy(aim([process.pid, ...threads], 0))).toEqual([]);
  });

  test("it reaches no process of the hub's user, nor its group", async () => {
    expect(await foundBy(aim([other.pid, process.ppid], 0))).toEqual([]);
    expect(await foundBy(aim([other.pid], 15))).toEqual([]);
    expect(alive(other.pid)).toBe(true);
  });

  test("it reaches no other plugin", async () => {
    await using run = await ranOn("#!/bin/sh\ntouch done; exec sleep 100\n", {}, machine);
    const { pid } = run.rig.plugins.get("p");
    expect(await foundBy(aim([pid ?? 0], 15))).toEqual([]);
    expect(run.rig.plugins.get("p")).toMatchObject({ pid, last_exit: null });
  });

  test("it ends its own children, groups and orphans, and signals itself", async () => {
    expect(await foundBy(LIVES)).toEqual({
      ...{ child: -15, killed: -9, "stopped, then killed": -9, group: -9, timeout: 124, "timeout kill": -9 },
      ...{ shell: 143, pipeline: 5, orphan: "ended", itself: 2 },
      ...{ nobody: "No such process", "no signal": "Invalid argument" },
    });
  });

  test("a script on the hub's runtime ends its children, and its own end is seen", async () => {
    const path = "plugins/p/bin/run.js";
    await using rig = createRig([{ id: "p", binary: path }], { [path]: SCRIPT }, machine);
    await rig.plugins.start("p");
    const found = await until("it is done", () => foundIn(rig.home.plugin("p").root) ?? rig.plugins.get("p").last_exit);
    expect(found).toEqual(["SIGTERM", "SIGKILL"]);
    await rig.plugins.stop("p");
    expect(rig.plugins.get("p").last_exit).toMatchObject({ code: 7, signal: null });
  });
});

function foundIn(folder: string): unknown {
  return existsSync(join(folder, "done")) ? JSON.parse(textOf(join(folder, "found")) ?? "") : undefined;
}

describe("where the hub cannot answer for signals", () => {
  test("the record says what that leaves open, and why", () => {
    const guard = { whyNot: () => "this kernel is older than Linux 5.9" };
    const means = (landlock: Landlock) =>
      meansOf({ ...{ landlock, filtersCalls: true, guard }, namespaces: () => ({ command: ["unshare"], reason: "" }) });
    expect(means({ abi: 2, reason: "" })).toMatchObject({
      signals: "not_the_hub",
      detail:
        "Landlock 2: this kernel cannot refuse signals to processes of the same user (Linux 6.12; this kernel is older than Linux 5.9)",
    });
    expect(means(landlock())).toMatchObject({
      signals: "not_the_hub",
      detail:
        "namespaces and a filter of system calls, as this kernel was built without Landlock: they cannot refuse signals to processes of the same user (this kernel is older than Linux 5.9)",
    });
    expect(means({ abi: 6, reason: "" })).toMatchObject({ signals: "scoped", detail: "Landlock 6" });
  });

  test("a limit that takes the label's place is named", () => {
    const source = resolve(import.meta.dir, "../../../../src/reach/plugins/confine/signals/guard.ts");
    const script = `import { createSignalGuard } from ${JSON.stringify(source)}; console.log(createSignalGuard(process.execPath).whyNot())`;
    const { stdout } = Bun.spawnSync(["prlimit", "--locks=1000", process.execPath, "-e", script]);
    expect(stdout.toString().trim()).toBe("the hub's own file locks are limited (`LimitLOCKS=`)");
  });

  test("here it can", () => {
    using guard = createSignalGuard(process.execPath);
    expect(guard.whyNot()).toBeUndefined();
  });
});
