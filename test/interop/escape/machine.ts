// A machine in qemu with Debian's own kernel, which is unpacked and never installed, and a disk with nothing but the hub, the programs
// of the escape suite and what these load. Emulated throughout, so that it runs wherever the tests do.
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { compileWays } from "./compile.ts";
import type { Outcome } from "./scene.ts";

export type Boot = "namespaces" | "calls" | "landlock";

/** A line of what the guest says that begins so is one of the table. */
export const MARK = "ROW ";
/** Of the table. */
export interface Row extends Outcome {
  boot: string;
  user: string;
  held_by: string;
}

/** The last line of what it says. */
const END = /^\d+ passed, \d+ failed$/m;

const PROGRAMS = ["sh", "env", "cat", "mv", "sleep", "setpriv", "unshare", "ionice", "setsid"];
const FOLDERS = [
  "proc",
  "sys",
  "dev",
  "run",
  "var",
  "home",
  "srv",
  "etc",
  "mnt",
  "opt",
  "usr/bin",
  "usr/lib",
  "usr/lib64",
  "usr/sbin",
];
const MERGED = ["bin", "lib", "lib64", "sbin"];
const FILES = {
  "etc/passwd": "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
  "etc/group": "root:x:0:\nnogroup:x:65534:\n",
  "etc/hostname": "guest\n",
  "etc/hosts": "127.0.0.1 localhost guest\n",
};
const DISK_MIB = 1024;
const MEMORY_MIB = 2048;
/** Without CMPXCHG16B, whose flags qemu 7.2 gets wrong, and over which newer kernels fall. */
const PROCESSOR = "max,cx16=off";
/** How many times longer than on a machine a wait may take in it. */
const WAIT_FACTOR = 6;

// The first process. What it is given after the kernel's own options it finds in its environment.
const START = `#!/bin/sh
b=/usr/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b mountpoint -q /dev || $b mount -t devtmpfs dev /dev
$b mount -t securityfs security /sys/kernel/security
$b mount -t cgroup2 cgroup /sys/fs/cgroup
$b mkdir -p /dev/shm
$b mount -t tmpfs shm /dev/shm
$b mount -t tmpfs run /run
$b hostname guest
$b ifconfig lo up
[ "$boot" != calls ] || echo 0 >/proc/sys/user/max_user_namespaces
export PATH=/usr/bin HOME=/root BUN_BE_BUN=1 TEST_WAIT_FACTOR=${WAIT_FACTOR}
/srv/hub /srv/guest.js "$boot" >/dev/ttyS1 2>&1
$b sync
$b poweroff -f
`;

async function run(words: string[], cwd?: string): Promise<string> {
  const child = Bun.spawn(words, { stdin: "ignore", stdout: "pipe", stderr: "pipe", ...(cwd && { cwd }) });
  const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`${words.join(" ").slice(0, 200)}: ${error}`);
  return out;
}

/** The kernel of this package, or of what Debian's package for clouds depends on, whose drivers for disks are built in. */
export async function fetchKernel(work: string, given: string | undefined): Promise<string> {
  const folder = join(work, "kernel");
  mkdirSync(folder);
  if (given === undefined) {
    const depends = await run(["apt-cache", "depends", "linux-image-cloud-amd64"]);
    const name = /Depends: (linux-image-\d\S+)/.exec(depends)?.[1];
    if (name === undefined) throw new Error("no kernel for clouds is known: apt-get update");
    await run(
      ["apt-get", "-qq", "-o", "Acquire::Retries=3", "-o", "APT::Sandbox::User=root", "download", name],
      folder,
    );
  }
  const found = given ?? join(folder, readdirSync(folder).find((name) => name.endsWith(".deb")) ?? "");
  await run(["dpkg-deb", "-x", found, folder]);
  const image = readdirSync(join(folder, "boot")).find((name) => name.startsWith("vmlinuz-"));
  if (image === undefined) throw new Error(`${basename(found)} has no kernel`);
  return join(folder, "boot", image);
}

/** A disk that has all that the scenes need. */
export async function makeDisk(work: string, hub: string): Promise<string> {
  const root = join(work, "root");
  for (const folder of FOLDERS) mkdirSync(join(root, folder), { recursive: true });
  for (const name of MERGED) symlinkSync(`usr/${name}`, join(root, name));
  for (const [name, mode] of [["root", 0o700] as const, ["tmp", 0o1777] as const]) {
    mkdirSync(join(root, name));
    chmodSync(join(root, name), mode);
  }
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(root, path), text);
  writeFileSync(join(root, "start"), START, { mode: 0o755 });
  const ways = compileWays(join(root, "srv"));
  copyFileSync(hub, join(root, "srv/hub"));
  chmodSync(join(root, "srv/hub"), 0o755);
  const paths = [...PROGRAMS, "busybox"].map(pathOf);
  for (const path of paths) cpSync(realpathSync(path), join(root, "usr/bin", basename(path)));
  await copyLibraries(root, [...paths, hub, ways]);
  const { outputs } = await Bun.build({ entrypoints: [join(import.meta.dir, "guest.ts")], target: "bun" });
  const [script] = outputs;
  if (script === undefined) throw new Error("the guest's script could not be bundled");
  await Bun.write(join(root, "srv/guest.js"), script);
  const disk = join(work, "disk");
  await run(["mke2fs", "-q", "-t", "ext4", "-E", "root_owner=0:0", "-d", root, disk, `${DISK_MIB}M`]);
  return disk;
}

function pathOf(name: string): string {
  const path = Bun.which(name);
  if (path === null) throw new Error(`${name} is missing: see what this needs`);
  return path;
}

async function copyLibraries(root: string, programs: readonly string[]): Promise<void> {
  // Of a program without any it fails.
  const said = await Promise.all(programs.map((path) => run(["ldd", path]).catch(() => "")));
  for (const path of new Set(
    said.flatMap((text) => [...text.matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path)),
  )) {
    const place = join(root, path.startsWith("/usr/") ? path : `usr${path}`);
    mkdirSync(dirname(place), { recursive: true });
    copyFileSync(realpathSync(path), place);
  }
}

export interface Machine {
  kernel: string;
  disk: string;
  boot: Boot;
  /** For the kernel, beside what every boot has. */
  options: string;
  timeoutMs: number;
  /** Where what it says is kept. */
  folder: string;
}

/** Boots it, and answers what its script printed once it has switched itself off. Writes to the disk are forgotten. */
export async function bootMachine({ kernel, disk, boot, options, timeoutMs, folder }: Machine): Promise<string> {
  const [console, script] = ["console", "script"].map((name) => join(folder, `${boot}-${name}`));
  const base = `root=/dev/nvme0n1 rw init=/start console=ttyS0 quiet panic=-1 boot=${boot}`;
  const child = Bun.spawn(
    [
      ...["qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", PROCESSOR, "-smp", "2", "-m", String(MEMORY_MIB)],
      ...["-display", "none", "-monitor", "none", "-nic", "none", "-no-reboot"],
      ...["-serial", `file:${console}`, "-serial", `file:${script}`],
      ...["-drive", `file=${disk},if=none,id=disk,format=raw,snapshot=on`, "-device", "nvme,serial=disk,drive=disk"],
      ...["-kernel", kernel, "-append", `${base} ${options}`],
    ],
    { stdin: "ignore", stdout: "ignore", stderr: "pipe", timeout: timeoutMs, killSignal: "SIGKILL" },
  );
  try {
    // Where it is no refusal, it names features that are not emulated.
    const complaints = await new Response(child.stderr).text();
    await child.exited;
    const said = (await Bun.file(script ?? "").text()).replaceAll("\r", "");
    if (child.exitCode === 0 && END.test(said)) return said;
    throw new Error(
      `${boot} did not come to its end within ${timeoutMs} ms:\n${said}\n${await Bun.file(console ?? "").text()}\n${complaints}`,
    );
  } finally {
    child.kill("SIGKILL");
  }
}
