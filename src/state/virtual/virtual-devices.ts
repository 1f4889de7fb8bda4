// The hub's own devices behind one door: timers, switches and modes. They are devices like all others; only what carries
// out a command sits here instead of in a plugin.
import type { Clock } from "../../core/clock.ts";
import { HubError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type { HubEvent } from "../../events/catalog.ts";
import type { Device } from "../device.ts";
import type { Registry } from "../registry.ts";
import { createModes, type Location, type Modes } from "./modes.ts";
import type { ModesProblem } from "./modes-file.ts";
import { createSwitches, type Switches } from "./switches.ts";
import { createTimers, type Timers } from "./timers.ts";

export interface VirtualDevices extends Disposable {
  readonly timers: Omit<Timers, "start" | "prepare">;
  readonly switches: Omit<Switches, "prepare">;
  readonly modes: Pick<Modes, "list" | "get">;
  /** Once, after `system_started`: only now timers end and modes turn. Before that nothing is told, and nothing commanded. */
  start(): void;
  /**
   * Checks a command for one of the hub's own devices and gives back what carries it out. Throws HubError `invalid`,
   * `conflict`, or `unavailable` before the start.
   */
  prepare(device: Device, wanted: JsonObject, cause: JsonObject): () => void;
  /** Throws HubError `conflict` for a device that goes only when modes.toml says so. */
  refuseRemoval(device: Device): void;
  /** What is wrong with modes.toml now. */
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
  const parts = new DisposableStack();
  const timers = parts.use(createTimers(shared));
  const switches = createSwitches(shared);
  const modes = parts.use(createModes({ ...shared, location, file: modesFile }));
  const kinds = [timers, switches, modes];
  let started = false;
  // The house is complete before anybody asks; what happens in it happens after the start.
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
      if (!started) throw new HubError("unavailable", "the hub is starting: its own devices are not up yet; try again");
      const kind = kinds.find((kind) => kind.is(device));
      if (!kind) throw new HubError("conflict", `the device "${device.id}" takes no commands`);
      return kind.prepare(device, wanted, cause);
    },
    refuseRemoval(device) {
      if (!modes.is(device)) return;
      throw new HubError("conflict", `the mode "${device.id}" comes from modes.toml; take it out there`);
    },
    problems: modes.problems,
    [Symbol.dispose]: () => parts[Symbol.dispose](),
  };
}
