// Starts another executable on the home while this process's own hub is down, to see whether it works there and stays well; then ends it
// again.
import { within } from "../../../kit/lifecycle/lifecycle.ts";
import { type Clock, sleep } from "../../../kit/time/clock.ts";
import type { Home } from "../../home/paths.ts";
import type { HealthAddress } from "./ask-health.ts";
import { watchHealth } from "./watch-health.ts";

const STOP_WITHIN_MS = 15_000;
// Once this process is ordered to end, which has to be over before the supervisor kills it.
const STOP_SOON_MS = 3000;
// Messages for the supervisor are this process's own.
const OURS = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"];

/** In the environment of a hub on trial: how the upgrade ends is not for it to say. */
export const ON_TRIAL = "HUB_ON_TRIAL";

export interface TrialStart {
  clock: Clock;
  home: Home;
  address: HealthAddress;
  env: Readonly<Record<string, string | undefined>>;
  /** What it is to say. */
  version: string;
  /** How long it has to stay well once it is up. */
  watchSecs: number;
  /** Ends the trial early. */
  stopped: Promise<unknown>;
}

/** Why the home's executable does not work; undefined if it answered as that version, and went on. Nothing of it runs any more. */
export async function tryStart(trial: TrialStart): Promise<string | undefined> {
  const { clock, home, env, stopped } = trial;
  const child = Bun.spawn([home.executable, "serve", "--home", home.root], {
    cwd: home.root,
    env: { ...Object.fromEntries(Object.entries(env).filter(([name]) => !OURS.includes(name))), [ON_TRIAL]: "1" },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  });
  // It must not outlive this process, which may be ordered to end at any moment.
  const end = (): void => child.kill("SIGTERM");
  process.on("exit", end);
  try {
    const ended = Promise.race([
      child.exited.then((code) => `it ended with ${child.signalCode ?? code}`),
      stopped.then(() => "the hub was told to stop"),
    ]);
    return await watchHealth({ ...trial, isReady: true, ended });
  } finally {
    end();
    const soon = stopped.then(() => sleep(clock, "upgrade-end", STOP_SOON_MS));
    await within(clock, STOP_WITHIN_MS, "upgrade-end", Promise.race([child.exited, soon]));
    child.kill("SIGKILL");
    await child.exited;
    process.off("exit", end);
  }
}
