// Kills the processes that plugins would leave behind. While the hub runs, `killEscaped` finds those that left their process group by
// a mark in their environment, or by their label where they emptied that. When the hub is killed, a small shell does it: it knows every
// process group and label, and reads from a pipe that closes however the hub dies, by SIGKILL too.
import { readdirSync, readFileSync } from "node:fs";
import { background } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { type RandomBytes, uuid } from "../../../kit/schema/ids.ts";
import { labelOf } from "../confine/label.ts";

/** The environment variable with the mark. Linux shows it under /proc; other systems do not, and nothing is found there. */
export const RUN_MARK = "HUB_RUN";

// An incomplete last line makes `read` fail, so the line before it counts: the newest process has not run yet.
// dash does not know `kill -KILL -- -1`, hence the two spellings. TERM is ignored because systemd sends it to every
// process of a unit at once. Processes that left their group are found by the mark, or by their label.
const SCRIPT = `
trap "" TERM INT HUP
while read -r line; do groups=$line; done
for g in $groups; do case $g in
  label*) labels="$labels|\${g#label}" ;;
  *) kill -KILL "-$g" || kill -s KILL -- "-$g" ;;
esac; done
for look in 1 2 3; do
  for f in $(grep -lF "$2=$1" /proc/[0-9]*/environ; grep -lE "^Max file locks +[0-9]+ +(none$labels) " /proc/[0-9]*/limits)
  do f=\${f#/proc/}; kill -KILL "\${f%/*}"; done
done`;

const MAX_TRIES = 3;
const MAX_LOOKS = 5;

export interface Reaper extends AsyncDisposable {
  /** Resolves once the reaper knows the process group; until then the group must not do anything. */
  add(group: number, label?: number): Promise<void>;
  remove(group: number): void;
  /** The shell's process, if it runs. */
  readonly pid: number | null;
  /** A new value for `RUN_MARK`. All have the same beginning, by which the shell finds them all. */
  newMark(): string;
}

export function createReaper(log: Log, random: RandomBytes): Reaper {
  const hub = uuid(random);
  let marks = 0;
  /** With what its processes are labelled with. */
  const groups = new Map<number, number | undefined>();
  let shell: ReturnType<typeof spawnShell> | undefined;
  let closed = false;

  function start(): ReturnType<typeof spawnShell> {
    const started = spawnShell(hub);
    shell = started;
    background(
      log,
      "plugin reaper",
      started.exited.then(() => replace(started)),
    );
    return started;
  }

  async function replace(ended: typeof shell): Promise<void> {
    if (shell === ended) shell = undefined;
    if (closed || shell || groups.size === 0) return;
    log.warn("the plugin reaper ended and is started again");
    await sendGroups();
  }

  async function sendGroups(): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES && !closed; tries++) {
      const current = shell ?? start();
      try {
        const words = [...groups].flatMap(([group, label]) =>
          label === undefined ? [group] : [group, `label${label}`],
        );
        current.stdin.write(`${words.join(" ")}\n`);
        await current.stdin.flush();
        if (current.exitCode === null && current.signalCode === null) return;
      } catch {
        // The pipe is broken: the shell has ended.
      }
      // If it should still run, it must not act on an old list when its pipe closes.
      current.kill("SIGKILL");
      if (shell === current) shell = undefined;
    }
    throw new HubError("unavailable", "the process that ends plugins together with the hub cannot be reached");
  }

  return {
    newMark: () => `${hub}/${++marks}`,
    get pid() {
      return shell?.pid ?? null;
    },
    add(group, label) {
      groups.set(group, label);
      return sendGroups();
    },
    remove(group) {
      if (groups.delete(group) && shell) background(log, "plugin reaper", sendGroups());
    },
    async [Symbol.asyncDispose]() {
      if (closed) return;
      if (shell && groups.size === 0) await sendGroups().catch(() => {});
      closed = true;
      // Groups that are still listed have survived a SIGKILL so far: the shell tries once more.
      await shell?.stdin.end();
      // It rejects where Bun misses the end; the shell ends all the same.
      await shell?.exited.catch(() => {});
    },
  };
}

function spawnShell(hub: string) {
  return Bun.spawn(["/bin/sh", "-c", SCRIPT, "sh", hub, RUN_MARK], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
    // In a session of its own, so that Ctrl+C in the hub's terminal does not reach it.
    detached: true,
  });
}

/** What the processes of one run are known by. */
export interface Marks {
  /** In their environment. */
  mark: string;
  label?: number | undefined;
}

/** SIGKILL to every process with one of these, including those they start meanwhile. */
export function killEscaped(marks: Marks): void {
  // Repeated, as a process may start another one between the search and the kill; limited, in case a kill has no effect.
  for (let look = 0; look < MAX_LOOKS; look++) {
    const found = processesWith(marks);
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }
  }
}

function processesWith({ mark, label }: Marks): number[] {
  const wanted = `${RUN_MARK}=${mark}`;
  const isMarked = (pid: number): boolean =>
    environmentOf(pid).split("\0").includes(wanted) || (label !== undefined && labelOf(pid) === String(label));
  return numbersIn("/proc").filter((pid) => pid !== process.pid && isMarked(pid));
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

// Empty for processes that have ended, zombies included, and those of other users.
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}
