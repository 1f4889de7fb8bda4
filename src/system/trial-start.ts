// Starts another executable on the home while this process's own hub is down, to see whether it works there; then ends it again.
import { type Clock, sleep } from "../core/clock.ts";
import { within } from "../core/lifecycle.ts";
import type { Home } from "../home/paths.ts";
import { askHealth, type HealthAddress } from "./ask-health.ts";

const TRIAL_MS = 60_000;
const ASK_EVERY_MS = 100;
const ANSWER_WITHIN_MS = 5000;
const STOP_WITHIN_MS = 15_000;
// Once this process is told to end, which has to be over before the supervisor kills it.
const STOP_SOON_MS = 3000;
// Messages for the supervisor are this process's own.
const OURS = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"];

export interface TrialStart {
  clock: Clock;
  home: Home;
  address: HealthAddress;
  env: Readonly<Record<string, string | undefined>>;
  /** What it is to say. */
  version: string;
  /** Ends the trial early. */
  stopped: Promise<unknown>;
}

/** Why the home's executable does not work; undefined if it answered as that version. Nothing of it runs any more. */
export async function tryStart({
  clock,
  home,
  address,
  env,
  version,
  stopped,
}: TrialStart): Promise<string | undefined> {
  const begun = clock.mono();
  const child = Bun.spawn([home.executable, "serve", "--home", home.root], {
    cwd: home.root,
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !OURS.includes(name))),
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  });
  // It must not outlive this process, which may be told to end at any moment.
  const end = (): void => child.kill("SIGTERM");
  process.on("exit", end);
  try {
    let over: string | undefined;
    const ended = Promise.race([
      child.exited.then((code) => `it ended with ${child.signalCode ?? code}`),
      stopped.then(() => "the hub was told to stop"),
    ]).then((why) => {
      over = why;
      return undefined;
    });
    while (over === undefined && clock.mono() - begun < TRIAL_MS) {
      const health = await Promise.race([askHealth(address, ANSWER_WITHIN_MS), ended]);
      if (over === undefined && health?.version === version && health.ready) return undefined;
      await sleep(clock, "upgrade", ASK_EVERY_MS);
    }
    return over ?? `it did not answer ${address.host}:${address.port} within ${TRIAL_MS / 1000} s`;
  } finally {
    end();
    const soon = stopped.then(() => sleep(clock, "upgrade-end", STOP_SOON_MS));
    await within(clock, STOP_WITHIN_MS, "upgrade-end", Promise.race([child.exited, soon]));
    child.kill("SIGKILL");
    await child.exited;
    process.off("exit", end);
  }
}
