// A part of this machine as small as a Raspberry Pi: control groups with one core, so much memory and a slow disk. For root, and
// control groups of the first version with cpu, memory and blkio.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface SmallGroup extends Disposable {
  /** A program that starts `program` in here, with its arguments. */
  readonly wrapper: string;
  /** Bytes, the page cache of its files included. */
  readonly maxMemory: number;
  /** How often the limit was reached: the kernel then takes back pages of files. */
  readonly memoryLimitReached: number;
  /** Whether something was ended because there was no memory left. */
  readonly outOfMemory: boolean;
  /** Seconds in which it wanted more than its core. */
  readonly throttledSecs: number;
}

export interface SmallGroupOptions {
  program: string;
  /** An empty one on the disk that is made slow. */
  folder: string;
  memoryMiB: number;
  writeMBps: number;
  writesPerSecond: number;
}

const ROOT = "/sys/fs/cgroup";
const KINDS = ["cpu", "memory", "blkio"] as const;
const PERIOD_US = 100_000;

/** Undefined where this machine has no such groups, or for others than root. */
export function openSmallGroup(options: SmallGroupOptions): SmallGroup | undefined {
  if (process.getuid?.() !== 0 || !KINDS.every((kind) => existsSync(join(ROOT, kind, "cgroup.procs"))))
    return undefined;
  const { program, folder, memoryMiB, writeMBps, writesPerSecond } = options;
  const at = (kind: (typeof KINDS)[number], file = ""): string => join(ROOT, kind, `hub-bench-${process.pid}`, file);
  const read = (kind: (typeof KINDS)[number], file: string): string => readFileSync(at(kind, file), "utf8");
  for (const kind of KINDS) mkdirSync(at(kind));
  writeFileSync(at("cpu", "cpu.cfs_period_us"), `${PERIOD_US}`);
  writeFileSync(at("cpu", "cpu.cfs_quota_us"), `${PERIOD_US}`);
  writeFileSync(at("memory", "memory.limit_in_bytes"), `${memoryMiB}M`);
  const disk = diskOf(folder);
  writeFileSync(at("blkio", "blkio.throttle.write_bps_device"), `${disk} ${writeMBps * 1_000_000}`);
  writeFileSync(at("blkio", "blkio.throttle.write_iops_device"), `${disk} ${writesPerSecond}`);
  const wrapper = join(folder, "in-group");
  const enter = KINDS.map((kind) => `echo $$ >${at(kind, "cgroup.procs")}`).join("\n");
  writeFileSync(wrapper, `#!/bin/sh\n${enter}\nexec ${program} "$@"\n`);
  chmodSync(wrapper, 0o755);
  return {
    wrapper,
    get maxMemory() {
      return Number(read("memory", "memory.max_usage_in_bytes"));
    },
    get memoryLimitReached() {
      return Number(read("memory", "memory.failcnt"));
    },
    get outOfMemory() {
      return !/^oom_kill 0$/m.test(read("memory", "memory.oom_control"));
    },
    get throttledSecs() {
      return Number(/^throttled_time (\d+)$/m.exec(read("cpu", "cpu.stat"))?.[1]) / 1e9;
    },
    [Symbol.dispose]() {
      for (const kind of KINDS) rmdirSync(at(kind));
    },
  };
}

/** `254:0`, of the whole disk. */
function diskOf(folder: string): string {
  const { dev } = statSync(folder);
  const [major, minor] = [(dev >> 8) & 0xfff, (dev & 0xff) | ((dev >> 12) & 0xfff00)];
  const partition = `/sys/dev/block/${major}:${minor}/partition`;
  return existsSync(partition) ? readFileSync(join(partition, "..", "..", "dev"), "utf8").trim() : `${major}:${minor}`;
}
