// The hub's own devices: timers, switches and modes. They are devices like all others, but their commands are carried out
// here instead of by a plugin.
import type { Clock } from "../../core/clock.ts";
import { HubError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type { HubEvent } from "../../events/catalog.ts";
import type { Device } from "../device.ts";
import type { Registry } from "../registry.ts";
import { type Location, Modes } from "./modes.ts";
import type { ModesProblem } from "./modes-file.ts";
import { createSwitches, type Switches } from "./switches.ts";
import { createTimers, type Timers } from "./timers.ts";

export interface VirtualDevices extends Disposable {
  readonly timers: Omit<Timers, "start" | "prepare">;
  readonly switches: Omit<Switches, "prepare">;
  readonly modes: Pick<Modes, "list" | "get" | "need">;
  /** Called once, after `system_started`: only then do timers end and modes turn. Before, there are no events and no commands. */
  start(): void;
  /**
   * Checks a command for one of the hub's own devices and returns the function that carries it out. Throws HubError
   * `invalid`, `conflict`, or `unavailable` before the start.
   */
  prepare(device: Device, wanted: JsonObject, cause: JsonObject): () => void;
  /** Throws HubError `conflict` for a mode, which is only removed by taking it out of modes.toml. */
  refuseRemoval(device: Device): void;
  /** The present problems of modes.toml. */
  problems(): readonly ModesProblem[];
}

export interface VirtualDevicesOptions {
  registry: Registry;
  clock: Clock;
  log: Log;
  emit: (event: HubEvent) => void;
  location: Location;
  /** The path of modes.toml. */
  modesFile: string;
}

export function openVirtualDevices({ modesFile, location, ...shared }: VirtualDevicesOptions): VirtualDevices {
  const disposables = new DisposableStack();
  const timers = disposables.use(createTimers(shared));
  const switches = createSwitches(shared);
  const modes = disposables.use(new Modes({ ...shared, location, file: modesFile }));
  const types = [timers, switches, modes];
  let started = false;
  // All devices exist before the first request; they change only after the start.
  modes.read();

  return {
    timers,
    switches,
    modes,
    start() {
      started = true;
      timers.start();
      modes.start();
    },
    prepare(device, wanted, cause) {
      if (!started)
        throw new HubError("unavailable", "the hub is starting: its own devices are not ready yet; try again");
      const type = types.find((type) => type.is(device));
      if (!type) throw new HubError("conflict", `the device "${device.id}" takes no commands`);
      return type.prepare(device, wanted, cause);
    },
    refuseRemoval(device) {
      if (!modes.is(device)) return;
      throw new HubError("conflict", `the mode "${device.id}" comes from modes.toml; take it out there`);
    },
    problems: () => modes.problems(),
    [Symbol.dispose]: () => disposables[Symbol.dispose](),
  };
}
