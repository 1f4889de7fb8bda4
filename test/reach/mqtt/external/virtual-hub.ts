// A hub at an external broker, with a clock that stands still but for the hub's own pauses: what the broker answers may take as long as
// it takes on a busy machine.
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";
import { until } from "../../../support/wait.ts";
import { type ExternalHub, startExternalHub } from "./rig.ts";

export interface VirtualHub extends ExternalHub {
  readonly clock: VirtualClock;
  /** One step, where the hub pauses before it connects again. */
  pass(): Promise<void>;
  /** `connected`, while time passes: less than 45 s of it. */
  back(): Promise<void>;
  /** `troubled`, while time passes: less than 45 s of it. */
  says(text: string): Promise<string>;
  /** What comes of it, while time passes. */
  meanwhile<T>(what: string, work: Promise<T>): Promise<T>;
}

export interface VirtualHubOptions extends NonNullable<Parameters<typeof startExternalHub>[1]> {
  clock?: VirtualClock;
  /** Time passes also while the hub waits for the broker: for one that leaves something out. */
  unanswered?: boolean;
}

const PAUSE_STEP_MS = 1000;
// Not so fast that a busy machine's answers come too late by this clock.
const UNANSWERED_STEP_MS = 50;
// Shorter than the hub pauses where a person has to act.
const SOON_MS = 45_000;

export async function startVirtualHub(
  url: string,
  { clock = createVirtualClock(), unanswered = false, ...options }: VirtualHubOptions = {},
): Promise<VirtualHub> {
  async function pass(): Promise<void> {
    if (clock.pending().includes("mqtt broker")) await clock.advance(PAUSE_STEP_MS);
    else if (unanswered) await clock.advance(UNANSWERED_STEP_MS);
  }
  async function meanwhile<T>(what: string, work: Promise<T>): Promise<T> {
    let isOver = false;
    const end = (): void => {
      isOver = true;
    };
    work.then(end, end);
    await until(what, async () => {
      if (!isOver) await pass();
      return isOver;
    });
    return work;
  }
  async function soon<T>(what: string, work: Promise<T>): Promise<T> {
    const since = clock.mono();
    const done = await work;
    const tookMs = clock.mono() - since;
    if (tookMs >= SOON_MS) throw new Error(`only after ${tookMs / 1000} s by its own clock: ${what}`);
    return done;
  }
  const hub = await meanwhile("the hub has started", startExternalHub(url, { ...options, clock }));
  return Object.assign(hub, {
    ...{ clock, pass, meanwhile },
    back: () => soon("the hub is connected", hub.connected(pass)),
    says: (text: string) => soon(`a problem says "${text}"`, hub.troubled(text, pass)),
  });
}
