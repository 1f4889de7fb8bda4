// Virtual timers. While the hub runs, the monotonic clock decides when one ends; over a restart the wall clock decides, by
// the stored end. On disk a timer is its attributes, and nothing else.
import { Type } from "@sinclair/typebox";
import { guarded } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import { msSince, restoreMoment } from "../../../kit/time/durable-moment.ts";
import type { HubEvent } from "../../../server/events/catalog.ts";
import type { Device } from "../device.ts";
import type { Registry } from "../registry.ts";
import { createOwnDevices, type OwnDeviceType } from "./own-devices.ts";
import { commandSchema, readCommand } from "./read-command.ts";
import {
  durationOf,
  earlierEnd,
  endsAtOf,
  isoAt,
  msOf,
  numberIn,
  settingsOf,
  stateOf,
  type TimerSettings,
  type TimerState,
  withSettings,
} from "./timer-attributes.ts";

export interface Timers extends Disposable, OwnDeviceType {
  /** Seconds left now, of a started or paused timer. */
  remainingSecs(device: Device): number | undefined;
  /** Continues the timers that ran when the hub stopped; those that ended meanwhile expire, in the order of their ends. */
  start(): void;
}

export interface TimersOptions {
  registry: Registry;
  clock: Clock;
  log: Log;
  emit: (event: HubEvent) => void;
}

/** A timer that is counting down. */
interface Run extends Disposable {
  /** Monotonic ms. */
  readonly endsAtMono: number;
  /** Restored from disk, not started in this run of the hub. */
  readonly restored: boolean;
}

const TEN_YEARS_SECS = 10 * 365.25 * 86_400;
const COMMANDS = {
  start: commandSchema("start", {
    duration_secs: Type.Optional(
      Type.Number({
        minimum: 0.001,
        maximum: TEN_YEARS_SECS,
        problem: `must be a number of seconds from 0.001 to ${TEN_YEARS_SECS} (ten years)`,
      }),
    ),
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    repeat: Type.Optional(Type.Boolean()),
  }),
  pause: commandSchema("pause", {}),
  resume: commandSchema("resume", {}),
  cancel: commandSchema("cancel", {}),
  restart: commandSchema("restart", {}),
};
// Each end is written to disk and reported.
const SHORTEST_REPEAT_SECS = 1;
const COMPARE_EVERY_MS = 10_000;
// A smaller difference is a clock being slewed, which changes its speed by parts in ten thousand.
const STEP_MS = 1000;
// A Raspberry Pi has no clock that runs while it is off. It boots with the time of its last shutdown, and the network
// corrects that within minutes. Until then the end of a restored timer is not known, only that it is no later than its
// duration from now: so during this time a step forward brings it nearer. A timer that was started in this run is not
// changed by a step: the monotonic clock says how long it has been running.
const CLOCK_UNSURE_MS = 15 * 60_000;

export function createTimers({ registry, clock, log, emit }: TimersOptions): Timers {
  const own = createOwnDevices({ registry, log, deviceType: "timer" });
  const running = new Map<string, Run>();
  const removals = registry.onRemoved("timers", ({ id }) => put(id, undefined)?.[Symbol.dispose]());
  let startedMono = clock.mono();
  let comparing: Timer | undefined;

  /** Replaces the run of a timer and returns the previous one; clocks are compared while there is a run. */
  function put(id: string, run: Run | undefined): Run | undefined {
    const before = running.get(id);
    if (run) running.set(id, run);
    else running.delete(id);
    if (running.size > 0)
      comparing ??= clock.every("compare clocks", COMPARE_EVERY_MS, guarded(log, "timers", compare));
    else {
      comparing?.[Symbol.dispose]();
      comparing = undefined;
    }
    return before;
  }

  function arm(id: string, ms: number, restored: boolean): Run {
    const endsAtMono = clock.mono() + ms;
    let timer: Timer;
    const onDue = guarded(log, `timer ${id}`, () =>
      clock.mono() < endsAtMono ? wait() : end(own.get(id), clock.mono() - endsAtMono),
    );
    const wait = (): void => {
      timer = clock.after(`timer ${id}`, Math.ceil(endsAtMono - clock.mono()), onDue);
    };
    wait();
    return { endsAtMono, restored, [Symbol.dispose]: () => timer[Symbol.dispose]() };
  }

  const remainingMs = (run: Run): number => Math.max(0, Math.ceil(run.endsAtMono - clock.mono()));
  const endOf = (run: Run): string => isoAt(clock.now() + remainingMs(run));

  /** Changes the state, with the run that belongs to it. If it cannot be written, nothing has changed. */
  function move(device: Device, to: { attributes: JsonObject; run?: Run }, cause?: JsonObject): void {
    const previous = stateOf(device);
    const before = put(device.id, to.run);
    try {
      if (cause) own.commanded(device.id, to.attributes, cause);
      else own.happened(device.id, to.attributes);
    } catch (error) {
      to.run?.[Symbol.dispose]();
      put(device.id, before);
      throw error;
    }
    before?.[Symbol.dispose]();
    const state = to.attributes.state as TimerState;
    emit({ type: "timer_state_changed", device_id: device.id, previous_state: previous, state });
  }

  function begin(device: Device, ms: number, settings: TimerSettings, cause?: JsonObject): void {
    const run = arm(device.id, ms, false);
    move(device, { attributes: { ...withSettings("started", settings), ends_at: endOf(run) }, run }, cause);
  }

  function pause(device: Device, cause: JsonObject): void {
    const run = running.get(device.id);
    const remaining_secs = run ? remainingMs(run) / 1000 : 0;
    move(device, { attributes: { ...withSettings("paused", settingsOf(device)), remaining_secs } }, cause);
  }

  /** `lateMs`: how long ago it ended. One that repeats goes on in step with its first start, without the ends in between. */
  function end(device: Device, lateMs: number): void {
    const settings = settingsOf(device);
    const { repeat, duration_secs = 0 } = settings;
    move(device, { attributes: withSettings("expired", settings) });
    // A listener to that event may have commanded it.
    if (!repeat || stateOf(device) !== "expired") return;
    const ms = msOf(duration_secs);
    begin(device, ms - (lateMs % ms), settings);
  }

  function prepare(device: Device, wanted: JsonObject, cause: JsonObject): () => void {
    const command = readCommand(COMMANDS, wanted);
    const known = durationOf(device);
    const settings = settingsOf(device);
    switch (command.command) {
      case "start": {
        const duration = command.duration_secs ?? known;
        if (duration === undefined) {
          throw new HubError("invalid", "duration_secs: missing: this timer has not run yet, so say for how long");
        }
        const { label, repeat } = command;
        if (repeat && duration < SHORTEST_REPEAT_SECS)
          throw new HubError("invalid", `repeat: needs a duration of at least ${SHORTEST_REPEAT_SECS} second`);
        const begun = {
          duration_secs: duration,
          ...(label !== undefined && { label }),
          ...(repeat && { repeat }),
        } satisfies TimerSettings;
        return () => begin(device, msOf(duration), begun, cause);
      }
      case "restart":
        if (known === undefined)
          throw wrongState(device, "restart it: it has not run yet, start it with duration_secs");
        return () => begin(device, msOf(known), settings, cause);
      case "pause":
        if (stateOf(device) !== "started") throw wrongState(device, "pause it: only a started timer can be paused");
        return () => pause(device, cause);
      case "resume":
        if (stateOf(device) !== "paused") throw wrongState(device, "resume it: only a paused timer can be resumed");
        return () => begin(device, msOf(numberIn(device, "remaining_secs") ?? 0), settings, cause);
      case "cancel":
        // Of one that does not run as well: whoever wants none to run has it.
        if (stateOf(device) === "cancelled") return () => {};
        return () => move(device, { attributes: withSettings("cancelled", settings) }, cause);
    }
  }

  /** Detects a step of the wall clock: a stored end no longer lies as far ahead as the timer has time left. */
  function compare(): void {
    const unsure = clock.mono() - startedMono < CLOCK_UNSURE_MS;
    for (const device of [...running.keys()].map(own.get).sort(earlierEnd)) {
      const run = running.get(device.id);
      // A listener to the event of one timer may have commanded the next one.
      if (!run) continue;
      const aheadMs = endsAtOf(device) - clock.now();
      const leftMs = remainingMs(run);
      if (Math.abs(aheadMs - leftMs) <= STEP_MS) continue;
      if (!run.restored || !unsure) own.happened(device.id, { ...device.attributes, ends_at: endOf(run) });
      else if (aheadMs < leftMs) takeUp(device);
    }
  }

  function takeUp(device: Device): void {
    const durationMs = msOf(durationOf(device) ?? 0);
    const left = durationMs - msSince(clock, restoreMoment(clock, endsAtOf(device) - durationMs));
    if (left > 0) put(device.id, arm(device.id, left, true))?.[Symbol.dispose]();
    else end(device, -left);
  }

  return {
    ...own,
    create: (device) => own.create(device, { state: "idle" }),
    remainingSecs(device) {
      const run = running.get(device.id);
      return run ? remainingMs(run) / 1000 : numberIn(device, "remaining_secs");
    },
    prepare,
    start() {
      startedMono = clock.mono();
      const started = own.list().filter((device) => stateOf(device) === "started");
      for (const device of started.sort(earlierEnd)) if (stateOf(device) === "started") takeUp(device);
    },
    [Symbol.dispose]() {
      removals[Symbol.dispose]();
      for (const run of running.values()) run[Symbol.dispose]();
      comparing?.[Symbol.dispose]();
    },
  };
}

function wrongState(device: Device, what: string): HubError {
  return new HubError("conflict", `the timer "${device.id}" is ${stateOf(device)}: cannot ${what}`);
}
