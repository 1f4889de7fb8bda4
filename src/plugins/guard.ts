// Ends the plugins when the hub is killed: one tiny shell that knows every process group and sits on a pipe the hub
// holds. The pipe breaks however the hub dies, SIGKILL included.
import { HubError } from "../core/errors.ts";
import { type RandomBytes, uuid } from "../core/ids.ts";
import { background } from "../core/lifecycle.ts";
import type { Log } from "../core/log.ts";
import { RUN_MARK } from "./strays.ts";

// A half-written last line makes `read` fail, so the list before it counts: its newcomers were never let go.
// dash does not know `kill -KILL -- -1`, hence the two spellings. TERM is ignored because systemd sends it to every
// process of a unit at once. Whoever left its group is found by the mark in its environment.
const SCRIPT = `
trap "" TERM INT HUP
while read -r line; do groups=$line; done
for g in $groups; do kill -KILL "-$g" || kill -s KILL -- "-$g"; done
for look in 1 2 3; do
  for f in $(grep -lF "$2=$1" /proc/[0-9]*/environ); do f=\${f#/proc/}; kill -KILL "\${f%/environ}"; done
done`;

export interface Guard extends AsyncDisposable {
  /** Resolves once the guard is told; the group may do something only then. */
  add(group: number): Promise<void>;
  remove(group: number): void;
  /** Its process, while there is one. */
  readonly pid: number | null;
  /** A mark for one more run, for `RUN_MARK`. All begin alike, so that the guard finds them all. */
  newMark(): string;
}

export function createGuard(log: Log, random: RandomBytes): Guard {
  const hub = uuid(random);
  let runs = 0;
  const groups = new Set<number>();
  let shell: ReturnType<typeof spawnShell> | undefined;
  let closed = false;

  function start(): ReturnType<typeof spawnShell> {
    const started = spawnShell(hub);
    shell = started;
    background(
      log,
      "plugin guard",
      started.exited.then(() => replace(started)),
    );
    return started;
  }

  async function replace(ended: typeof shell): Promise<void> {
    if (shell === ended) shell = undefined;
    if (closed || shell || groups.size === 0) return;
    log.warn("the plugin guard ended and is started again");
    await tell();
  }

  async function tell(): Promise<void> {
    for (let tries = 0; tries < 3 && !closed; tries++) {
      const current = shell ?? start();
      try {
        current.stdin.write(`${[...groups].join(" ")}\n`);
        await current.stdin.flush();
        if (current.exitCode === null && current.signalCode === null) return;
      } catch {
        // Its end broke: it is gone, whether or not that was noticed yet.
      }
      // Should it live after all, it must not act on an old list once its pipe closes.
      current.kill("SIGKILL");
      if (shell === current) shell = undefined;
    }
    throw new HubError("unavailable", "the guard that ends plugins together with the hub cannot be reached");
  }

  return {
    newMark: () => `${hub}/${++runs}`,
    get pid() {
      return shell?.pid ?? null;
    },
    add(group) {
      groups.add(group);
      return tell();
    },
    remove(group) {
      if (groups.delete(group) && shell) background(log, "plugin guard", tell());
    },
    async [Symbol.asyncDispose]() {
      if (closed) return;
      if (shell && groups.size === 0) await tell().catch(() => {});
      closed = true;
      // Groups that are still listed outlived their SIGKILL so far: the guard tries once more.
      await shell?.stdin.end();
      await shell?.exited;
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
    // A session of its own: what is typed at the hub's terminal does not reach it.
    detached: true,
  });
}
