// What a confined plugin can and cannot access, with real processes and this machine's kernel.
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { probeLandlock } from "../../../../src/reach/plugins/confine/landlock.ts";
import { probeNamespaces } from "../../../../src/reach/plugins/confine/namespaces.ts";
import { openAround } from "../../../../src/reach/plugins/confine/trees.ts";
import { createRig, type RigOptions, textOf, until } from "../rig.ts";
import { attempt, HUBS, landlock, ranOn, SECRET } from "./confine-rig.ts";

const { abi } = probeLandlock();

const DETAILS = {
  landlock: new RegExp(`^Landlock ${abi}`),
  namespaces: /^namespaces and a filter of system calls, as this kernel/,
};
const MACHINES: { heldBy: "landlock" | "namespaces"; machine: RigOptions }[] = [
  ...(abi > 0 ? [{ heldBy: "landlock", machine: {} } as const] : []),
  ...(probeNamespaces().command ? [{ heldBy: "namespaces", machine: { landlock } } as const] : []),
];

describe.each(MACHINES)("held by $heldBy", ({ heldBy, machine }) => {
  const ran = (script: string, entry: object = {}, options: RigOptions = {}, files: Record<string, string> = {}) =>
    ranOn(script, entry, { ...machine, ...options }, files);

  test("the kernel denies the hub's secrets, and the record says so", async () => {
    await using run = await ran(
      `#!/bin/sh\ncat ../../config/hub.toml >out; echo $? >code; touch done; exec sleep 60\n`,
    );
    expect({ out: run.text("out"), code: run.text("code") }).toEqual({ out: "", code: "1\n" });
    const record = await until("the record says so", () =>
      [run.rig.plugins.get("p")].find((one) => one.notices.length > 0),
    );
    expect(record).toMatchObject({
      confined: true,
      held_by: heldBy,
      confined_detail: expect.stringMatching(DETAILS[heldBy]),
    });
    expect(record.notices[0]?.message).toBe(
      `the kernel denied access to ${run.rig.home.hubToml}, which belongs to the hub and stays closed to plugins`,
    );
  });

  test("a plugin that ends because it was denied a file says what would allow it", async () => {
    const outside = mkdtempSync(join(tmpdir(), "hub-outside-"));
    writeFileSync(join(outside, "music"), "x");
    try {
      await using run = await ran(`#!/bin/sh\nexec cat ${outside}/music\n`);
      expect(run.rig.plugins.get("p").last_exit?.reason).toContain(`read = ["${outside}/music"]`);
      await using opened = await ran(`#!/bin/sh\n${attempt(`cat ${outside}/music && echo y >${outside}/music`)}`, {
        read: [outside],
      });
      expect({ out: opened.text("out"), code: opened.text("code") }).toEqual({ out: "x", code: "2\n" });
      await using written = await ran(`#!/bin/sh\n${attempt(`echo y >${outside}/new`)}`, { write: [outside] });
      expect({ code: written.text("code"), made: textOf(`${outside}/new`) }).toEqual({ code: "0\n", made: "y\n" });
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  const HUB = process.pid;
  const ESCAPES = {
    "a path through /proc/self/root": "cat /proc/self/root$HUB_HOME/config/hub.toml",
    "the folder of the hub's process": `cat /proc/${HUB}/root$HUB_HOME/config/hub.toml`,
    "the working folder of the hub's process": `cat /proc/${HUB}/cwd/package.json`,
    "what the hub has open": `for f in /proc/${HUB}/fd/*; do cat $f; done`,
    "the hub's environment": `cat /proc/${HUB}/environ`,
    "the hub's memory": `head -c 1 /proc/${HUB}/mem`,
    "a link of its own": "ln -s $HUB_HOME/config/hub.toml link && cat link",
    "a hard link": "ln $HUB_HOME/config/hub.toml hard && cat hard",
    "moving it here": "mv $HUB_HOME/config/hub.toml here && cat here",
    "copying the state": "cp $HUB_HOME/data/state.redb here",
    "listing the home": "ls $HUB_HOME",
    "the rules": "cat $HUB_HOME/rules/one.toml",
    "the log": "cat $HUB_HOME/logs/hub.log",
    "another plugin": "cat ../other/secret",
    "a file in the rules": "touch $HUB_HOME/rules/mine.toml",
    "a file in the place of the hub's": "mv done0 $HUB_HOME/config/hub.toml",
    "a file of another plugin": "touch ../other/mine",
    "a folder in the place of its own": "mv $HUB_HOME/plugins/p $HUB_HOME/plugins/q",
    "a device file": "mknod disk b 8 0",
    mounting: "mkdir m && mount --bind $HUB_HOME/config m && cat m/hub.toml",
    "a namespace of its own": "unshare -rm sh -c 'mkdir -p n && mount --bind '$HUB_HOME'/config n && cat n/hub.toml'",
    "the temporary files of others": "touch /tmp/hub-plugin-was-here",
    "somebody's home": "ls /root",
  };
  test.each(Object.entries(ESCAPES))("%s is refused", async (_, command) => {
    await using run = await ran(`#!/bin/sh\ntouch done0\n${attempt(command)}`);
    const out = run.text("out") ?? "";
    expect(run.text("code")).not.toBe("0\n");
    expect(out).not.toContain(SECRET);
    expect(out).toBe("");
    expect(textOf(run.rig.home.hubToml)).toBe(SECRET);
    expect(existsSync(run.rig.home.resolve("rules/mine.toml"))).toBe(false);
  });

  const WHAT = `
import ctypes, os, sys, json
libc = ctypes.CDLL(None, use_errno=True)
hub, home = ${HUB}, os.environ["HUB_HOME"]
found = {}
# The folder that is listed is closed by then.
found["files"] = sorted(name for name in os.listdir("/proc/self/fd") if os.path.lexists("/proc/self/fd/" + name))
open("done0", "w")
def attempt(name, work):
    try: found[name] = repr(work())
    except OSError as error: found[name] = os.strerror(error.errno)
def call(*arguments):
    result = libc.syscall(*arguments)
    if result < 0: raise OSError(ctypes.get_errno(), "")
    return result
attempt("kill", lambda: os.kill(hub, 0))
attempt("ptrace", lambda: call(${process.arch === "arm64" ? 117 : 101}, 16, hub, 0, 0))
attempt("vm", lambda: os.readlink("/proc/%d/exe" % hub))
attempt("truncate", lambda: os.truncate(home + "/config/hub.toml", 0))
attempt("exchange", lambda: call(${process.arch === "arm64" ? 276 : 316}, -100, b"done0", -100, (home + "/config/hub.toml").encode(), 2))
class Handle(ctypes.Structure): _fields_ = [("bytes", ctypes.c_uint), ("type", ctypes.c_int), ("data", ctypes.c_char * 128)]
def by_handle():
    handle, mount = Handle(128), ctypes.c_int()
    if libc.name_to_handle_at(-100, (home + "/config/hub.toml").encode(), ctypes.byref(handle), ctypes.byref(mount), 0) < 0: raise OSError(ctypes.get_errno(), "")
    folder = os.open("/etc", os.O_RDONLY)
    file = libc.open_by_handle_at(os.open(".", os.O_RDONLY), ctypes.byref(handle), os.O_RDONLY)
    if file < 0: raise OSError(ctypes.get_errno(), "")
    return os.read(file, 100)
attempt("handle", by_handle)
attempt("pidfd", lambda: call(438, os.pidfd_open(hub), 0, 0))
import resource, socket
attempt("limits", lambda: resource.prlimit(hub, resource.RLIMIT_NOFILE, (3, 3)))
attempt("own limits", lambda: resource.prlimit(0, resource.RLIMIT_NOFILE)[0] > 0)
attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, hub, 19))
attempt("priority of the user", lambda: os.setpriority(os.PRIO_USER, 0, 19))
attempt("own priority", lambda: os.setpriority(os.PRIO_PROCESS, 0, 5))
attempt("affinity", lambda: os.sched_setaffinity(hub, [0]))
attempt("own affinity", lambda: os.sched_setaffinity(0, [0]))
attempt("io priority", lambda: call(${process.arch === "arm64" ? 30 : 251}, 1, hub, 3 << 13))
attempt("io priority of the user", lambda: call(${process.arch === "arm64" ? 30 : 251}, 3, os.getuid(), 3 << 13))
attempt("namespace", lambda: call(${process.arch === "arm64" ? 97 : 272}, 0x10000000))
attempt("namespace of a child", lambda: call(${process.arch === "arm64" ? 220 : 56}, 0x10000000 | 17, 0, 0, 0, 0))
attempt("keys", lambda: call(${process.arch === "arm64" ? 219 : 250}, 0, -3, 0))
attempt("io_uring", lambda: call(425, 1, bytes(120)))
attempt("clone3", lambda: call(435, bytes(64), 64))
attempt("unix socket", lambda: socket.socket(socket.AF_UNIX).connect("/run/nowhere"))
attempt("datagram pair", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
attempt("stream pair", lambda: len(socket.socketpair()))
attempt("crypto socket", lambda: socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET))
status = dict(line.rstrip("\\n").split(":\\t", 1) for line in open("/proc/self/status") if ":\\t" in line)
found["privileges"] = status["NoNewPrivs"]
found["signals"] = [status["SigIgn"], status["SigBlk"]]
found["oom"] = open("/proc/self/oom_score_adj").read().strip()
found["stdin"] = sys.stdin.read()
found["ids"] = [os.getpid() == os.getpgid(0), os.getpid() == os.getsid(0)]
found["tmp"] = os.environ["TMPDIR"]
found["libraries"] = [__import__("ssl").OPENSSL_VERSION != "", __import__("socket").gethostbyname("localhost")]
found["devices"] = [len(os.urandom(4)), open("/dev/null", "r+b").write(b"x"), len(open("/dev/urandom", "rb").read(4))]
found["system"] = [len(open("/proc/meminfo").read()) > 0, len(os.listdir("/sys/class")) > 0, len(open("/etc/passwd").read()) > 0]
import multiprocessing, subprocess, tempfile
found["shared"] = multiprocessing.Lock().acquire()
found["temporary"] = tempfile.NamedTemporaryFile().name.startswith(os.environ["TMPDIR"])
found["child"] = subprocess.run(["/bin/sh", "-c", "cat $HUB_HOME/config/hub.toml; exit 7"], capture_output=True, text=True).returncode
json.dump(found, open("found.json", "w")); open("done", "w")
`;
  test("dangerous system calls are denied, and what a plugin needs is allowed", async () => {
    await using run = await ran(`#!/usr/bin/python3\n${WHAT}`);
    const found = JSON.parse(run.text("found.json") ?? JSON.stringify(run.rig.plugins.get("p").last_exit));
    const refused = expect.stringMatching(/not permitted|denied|cross-device|no such file/i);
    const absent = "Function not implemented";
    expect(found).toEqual({
      ...{
        kill: heldBy === "namespaces" || abi >= 6 ? refused : "None",
        truncate: refused,
      },
      ...{ ptrace: refused, vm: refused, exchange: refused, handle: refused, pidfd: refused },
      ...{ limits: refused, priority: refused, "priority of the user": refused, affinity: refused },
      ...{ "own limits": "True", "own priority": "None", "own affinity": "None" },
      ...{ "io priority": refused, "io priority of the user": refused, keys: refused },
      ...{ namespace: refused, "namespace of a child": refused, clone3: absent, io_uring: absent },
      ...{ "unix socket": refused, "datagram pair": refused, "stream pair": "2" },
      "crypto socket": expect.stringMatching(/not supported/),
      ...{ privileges: "1", oom: "500", stdin: "", ids: [true, true], files: ["0", "1", "2"] },
      // Python ignores SIGPIPE and SIGXFSZ by itself.
      signals: ["0000000001001000", "0000000000000000"],
      tmp: join(run.folder, "tmp"),
      libraries: [true, "127.0.0.1"],
      devices: [4, 1, 4],
      system: [true, true, true],
      ...{ shared: true, temporary: true, child: 7 },
    });
  });

  test("a plugin whose entry allows UNIX sockets may use them", async () => {
    const connects = `#!/usr/bin/python3
import os, socket
socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
try: socket.socket(socket.AF_UNIX).connect("/run/nowhere")
except OSError as error: open("out", "w").write(os.strerror(error.errno))
open("done", "w")
`;
    await using run = await ran(connects, { unix_sockets: true });
    expect(run.text("out")).toBe("No such file or directory");
  });

  test("it has no capabilities that lead around this", async () => {
    await using run = await ran("#!/bin/sh\ngrep Cap /proc/self/status >caps; touch done; exec sleep 60\n");
    const of = (set: string) => BigInt(`0x${new RegExp(`${set}:\\t(\\w+)`).exec(run.text("caps") ?? "")?.[1]}`);
    const dangerous = heldBy === "namespaces" ? -1n : (1n << 21n) | (1n << 19n) | (1n << 2n);
    for (const set of ["CapInh", "CapPrm", "CapEff", "CapAmb"])
      expect({ set, has: of(set) & dangerous }).toEqual({ set, has: 0n });
  });

  test("signals and working folder are as for a new program", async () => {
    await using run = await ran(
      "#!/bin/sh\ngrep Sig /proc/self/status >signals; pwd >cwd; touch done; exec sleep 60\n",
    );
    expect(run.text("signals")).toMatch(/SigBlk:\t0+\nSigIgn:\t0+\n/);
    expect(run.text("cwd")).toBe(`${run.folder}\n`);
  });

  test("its own folder can be used freely, and its temporary files are deleted at the start", async () => {
    const script = `#!/bin/sh\n${attempt("set -e; mkdir -p a b; echo x >a/f; mv a/f b/g; ln b/g a/h; ln -s b c; mkfifo pipe; printf '#!/bin/sh\\necho hi\\n' >run; chmod +x run; ./run; ls $TMPDIR; rm -r a b c run; mktemp >/dev/null")}`;
    await using run = await ran(script, {}, {}, { "plugins/p/tmp/old/file": "x" });
    expect({ out: run.text("out"), err: run.text("err"), code: run.text("code") }).toEqual({
      out: "hi\n",
      err: "",
      code: "0\n",
    });
  });

  test("a link instead of its temporary folder deletes no file of the hub", async () => {
    await using rig = createRig(
      [{ id: "p", binary: "plugins/p/run" }],
      {
        ...HUBS,
        "plugins/p/run": "#!/bin/sh\ntouch done; exec sleep 60\n",
      },
      machine,
    );
    symlinkSync(rig.home.rules, join(rig.home.plugin("p").root, "tmp"));
    await rig.plugins.start("p");
    await until("it is done", () => existsSync(join(rig.home.plugin("p").root, "done")));
    expect(textOf(rig.home.resolve("rules/one.toml"))).toBe(SECRET);
  });

  test("a file in its folder cannot change the launcher", async () => {
    const hostile = `require("fs").writeFileSync("${"$"}{process.env.HUB_HOME ?? ""}/owned", "x");`;
    await using run = await ran(
      "#!/bin/sh\ntouch done; exec sleep 60\n",
      { env: { BUN_JSC_x: "1", NODE_OPTIONS: "--require ./evil.js", LD_PRELOAD: "./evil.so" } },
      {},
      {
        "plugins/p/bunfig.toml": 'preload = ["./evil.js"]',
        "plugins/p/evil.js": hostile,
        "plugins/p/tsconfig.json": '{"compilerOptions":{"paths":{"bun:ffi":["./evil.js"],"fs":["./evil.js"]}}}',
        "plugins/p/node_modules/bun:ffi/index.js": hostile,
      },
    );
    expect(existsSync(join(run.rig.home.root, "owned"))).toBe(false);
    expect(run.rig.plugins.get("p")).toMatchObject({ last_exit: null, confined: true });
  });

  test("a program outside its folder runs from there, and of its configuration's folder only that file is open", async () => {
    const outside = realpathSync(mkdtempSync(join(tmpdir(), "hub-outside-")));
    mkdirSync(join(outside, "bin"));
    writeFileSync(join(outside, "bin", "lib"), "library\n");
    writeFileSync(join(outside, "private"), SECRET);
    writeFileSync(
      join(outside, "bin", "tool"),
      '#!/bin/sh\ncat "$(dirname "$0")/lib" "$1" >out; cat "$(dirname "$0")/../private" "$(dirname "$1")/hub.toml" >>out; touch done; exec sleep 60\n',
      { mode: 0o755 },
    );
    try {
      await using rig = createRig(
        [{ id: "p", binary: join(outside, "bin", "tool"), config: "config/p.toml" }],
        {
          ...HUBS,
          "config/p.toml": "own\n",
        },
        machine,
      );
      await rig.plugins.start("p");
      await until("it is done", () => existsSync(join(rig.home.plugin("p").root, "done")));
      expect(textOf(join(rig.home.plugin("p").root, "out"))).toBe("library\nown\n");
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  test.each([
    [{ read: ["plugins/p/link"] }, 'read = ["plugins/p/link"]'],
    [{ write: ["plugins/p/home"] }, 'write = ["plugins/p/home"]'],
    [{ read: [tmpdir()] }, `read = ["${tmpdir()}"]`],
  ])("%j does not open the hub's files", async (entry, named) => {
    const files = { ...HUBS, "plugins/p/run": "#!/bin/sh\nsleep 60\n" };
    await using rig = createRig([{ id: "p", binary: "plugins/p/run", ...entry }], files, machine);
    symlinkSync(rig.home.config, rig.home.resolve("plugins/p/link"));
    symlinkSync(rig.home.root, rig.home.resolve("plugins/p/home"));
    const record = await rig.plugins.start("p");
    expect(record).toMatchObject({ status: "offline", pid: null });
    expect(record.last_exit?.reason).toContain(`${named} would open `);
    expect(record.last_exit?.reason).toContain("stays closed to plugins");
  });

  test("the hub's folders elsewhere are not opened, their neighbours may be", async () => {
    const outside = realpathSync(mkdtempSync(join(tmpdir(), "hub-outside-")));
    mkdirSync(join(outside, "backups"));
    mkdirSync(join(outside, "music"));
    const options = { secrets: [join(outside, "backups")] };
    try {
      const script = "#!/bin/sh\ntouch done; exec sleep 60\n";
      await using refused = await ran(script, { read: [outside] }, options);
      expect(refused.rig.plugins.get("p").last_exit?.reason).toContain(`would open ${outside}/backups`);
      await using beside = await ran(script, { read: [join(outside, "music")] }, options);
      expect(beside.rig.plugins.get("p")).toMatchObject({ confined: true, last_exit: null });
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  test("a secret of the hub in /etc, which is open as a whole, is a reported problem", async () => {
    await using run = await ran(
      "#!/bin/sh\ntouch done; exec sleep 60\n",
      {},
      { secrets: ["/etc/ssl/private/hub.key"] },
    );
    expect(run.rig.plugins.problems()).toEqual([
      `/etc/ssl/private/hub.key is a secret that confined plugins can read: keep it in ${run.rig.home.config}`,
    ]);
  });

  test("a program that cannot be executed says why", async () => {
    const cases: [string, string][] = [
      ["\x7fELF not a program", "Exec format error"],
      ["#!/root/nowhere/python\n", "interpreter"],
    ];
    for (const [content, words] of cases) {
      await using rig = createRig([{ id: "p", binary: "plugins/p/run" }], { "plugins/p/run": `#!${content}` }, machine);
      writeFileSync(rig.home.resolve("plugins/p/run"), content);
      await rig.plugins.start("p");
      const exit = await until("it has ended", () => rig.plugins.get("p").last_exit);
      expect(`${exit.reason} ${exit.output.join(" ")}`).toContain(words);
    }
  });
});

test("a closed folder stays closed, and what is beside it is open", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hub-trees-")));
  try {
    for (const path of ["opt/hub/config", "opt/tool/bin", "opt/other", "usr/lib"])
      mkdirSync(join(root, path), { recursive: true });
    symlinkSync(join(root, "opt/hub"), join(root, "opt/link"));
    const at = (...paths: string[]) => paths.map((path) => join(root, path));
    expect(openAround(join(root, "usr"), at("opt/hub"))).toEqual(at("usr"));
    expect(openAround(join(root, "opt"), at("opt/hub")).sort()).toEqual(at("opt/other", "opt/tool"));
    expect(openAround(join(root, "opt/hub"), at("opt/hub"))).toEqual([]);
    expect(openAround(join(root, "opt/hub/config"), at("opt/hub"))).toEqual([]);
    expect(openAround(root, at("opt/hub", "opt/tool/bin")).sort()).toEqual(at("opt/other", "usr"));
  } finally {
    rmSync(root, { recursive: true });
  }
});
