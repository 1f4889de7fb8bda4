// The host of runs that began before the hub was started. Their commands would come before the devices do: a device is not
// available until it is seen. So for a while after the start they wait for it.
import type { Clock } from "../../../kit/time/clock.ts";
import type { RuleHost } from "../../model/host.ts";
import type { Waits } from "../waits.ts";

// As long as devices have to come back: see house/state/availability.ts.
const TIMEOUT_MS = 120_000;

export interface PatientHostOptions {
  clock: Clock;
  waits: Pick<Waits, "forEvent">;
}

/** To be called at the start of the hub. */
export function createPatience({
  clock,
  waits,
}: PatientHostOptions): (host: RuleHost, signal: AbortSignal) => RuleHost {
  const started = { wall: clock.now(), mono: clock.mono(), restored: false };

  const leftMs = (): number => TIMEOUT_MS - (clock.mono() - started.mono);

  /** False if the time is over. */
  async function change(deviceId: string | undefined, signal: AbortSignal): Promise<boolean> {
    const wanted = { event: "device_availability_changed", deviceId };
    return (await waits.forEvent(wanted, { deadline: { since: started, ms: TIMEOUT_MS }, signal })) !== undefined;
  }

  const waiting = (host: RuleHost, signal: AbortSignal): Pick<RuleHost, "command" | "activateScene"> => ({
    async command(deviceId, command, actor, options) {
      while (leftMs() > 0 && host.device(deviceId)?.available === false) if (!(await change(deviceId, signal))) break;
      await host.command(deviceId, command, actor, options);
    },
    async activateScene(id, actor) {
      for (;;) {
        try {
          return await host.activateScene(id, actor);
        } catch (error) {
          if (leftMs() <= 0 || !host.hasScene(id) || !(await change(undefined, signal))) throw error;
        }
      }
    },
  });

  // Each run has a signal of its own, and asks for its host with every action.
  const hosts = new WeakMap<AbortSignal, RuleHost>();
  return function patientHost(host, signal) {
    const found = hosts.get(signal);
    if (found) return found;
    // All else is the host's own: thousands of runs may go on at once, and a copy for each takes long.
    const made: RuleHost = Object.assign(Object.create(host), waiting(host, signal));
    hosts.set(signal, made);
    return made;
  };
}
