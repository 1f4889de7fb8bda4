// The hub's own devices: timers, switches, modes, schedules and groups. They are devices like all others, but their commands are carried out
// here instead of by a plugin.
import { HubError } from "../../../kit/schema/errors.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import type { Zone } from "../../../kit/time/zone.ts";
import type { CarryOut } from "../commands/commands.ts";
import type { Device } from "../device.ts";
import { createGroups, type Groups, type GroupsOptions } from "./groups.ts";
import { Modes, type ModesOptions } from "./modes.ts";
import type { ModesProblem } from "./modes-file.ts";
import { createOwnDevices, type OwnDevicesOptions, type OwnDeviceType } from "./own-devices.ts";
import { readOnOff } from "./read-command.ts";
import { createSchedules, type Schedules } from "./schedules.ts";
import { createTimers, type Timers } from "./timers.ts";

export interface VirtualDevices extends Disposable {
  readonly timers: Omit<Timers, "start" | "prepare">;
  readonly switches: Omit<Switches, "prepare">;
  readonly modes: Pick<Modes, "list" | "get" | "need">;
  readonly schedules: Omit<Schedules, "start" | "prepare">;
  readonly groups: Omit<Groups, "start" | "prepare">;
  /** Called once, after `system_started`: only then do timers end and modes and schedules turn. Before, there are no events and no commands. */
  start(): void;
  /**
   * Checks a command for one of the hub's own devices and returns the function that carries it out. Throws HubError
   * `invalid`, `conflict`, or `unavailable` before the start.
   */
  prepare(device: Device, wanted: JsonObject, cause: JsonObject, options: { force: boolean }): CarryOut;
  /** Throws HubError `conflict` for a mode, which is only removed by taking it out of modes.toml. */
  refuseRemoval(device: Device): void;
  /** How many commands came for those of them that are kept: for all but groups. */
  commanded(): number;
  /** The present problems of modes.toml. */
  problems(): readonly ModesProblem[];
}

export interface VirtualDevicesOptions extends GroupsOptions, Omit<ModesOptions, "file"> {
  /** The time zone of the house. */
  zone: Zone;
  /** The path of modes.toml. */
  modesFile: string;
}

export function openVirtualDevices({ modesFile, location, ...shared }: VirtualDevicesOptions): VirtualDevices {
  const disposables = new DisposableStack();
  const timers = disposables.use(createTimers(shared));
  const switches = createSwitches(shared);
  const modes = disposables.use(new Modes({ ...shared, location, file: modesFile }));
  const schedules = disposables.use(createSchedules(shared));
  const groups = disposables.use(createGroups(shared));
  const types = [timers, switches, modes, schedules, groups];
  let started = false;
  let commanded = 0;
  // All devices exist before the first request; they change only after the start.
  modes.read();

  return {
    timers,
    switches,
    modes,
    schedules,
    groups,
    start() {
      started = true;
      timers.start();
      modes.start();
      schedules.start();
      groups.start();
    },
    prepare(device, wanted, cause, options) {
      if (!started)
        throw new HubError("unavailable", "the hub is starting: its own devices are not ready yet; try again");
      const type = types.find((type) => type.is(device));
      if (!type) throw new HubError("conflict", `the device "${device.id}" takes no commands`);
      // What a group is follows from its members.
      if (type !== groups) commanded++;
      return type.prepare(device, wanted, cause, options);
    },
    refuseRemoval(device) {
      if (!modes.is(device)) return;
      throw new HubError("conflict", `the mode "${device.id}" comes from modes.toml; take it out there`);
    },
    problems: () => modes.problems(),
    commanded: () => commanded,
    [Symbol.dispose]: () => disposables[Symbol.dispose](),
  };
}

type Switches = OwnDeviceType;

function createSwitches(options: Omit<OwnDevicesOptions, "deviceType">): Switches {
  const own = createOwnDevices({ ...options, deviceType: "switch" });
  return {
    ...own,
    create: (device) => own.create(device, { on: false }),
    prepare(device, wanted, cause) {
      const on = readOnOff(wanted, device.attributes.on === true);
      return () => own.commanded(device.id, { on }, cause);
    },
  };
}
