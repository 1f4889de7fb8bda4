// Modes of the house, as modes.toml has them: each is a device that is on or off. The file is read again when it changes;
// what is broken in it, a mode or all of it, stays as it was last good.
import type { Clock } from "../../core/clock.ts";
import { HubError, messageOf } from "../../core/errors.ts";
import { watchFile } from "../../core/file-watch.ts";
import { HUB_PLUGIN_ID } from "../../core/ids.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { createSun } from "../../core/sun.ts";
import type { HubEvent } from "../../events/catalog.ts";
import type { Device } from "../device.ts";
import type { Registry } from "../registry.ts";
import { type ModeDefinition, type ModesProblem, type ReadModes, readModesFile, type SolarMode } from "./modes-file.ts";
import { createOwnDevices, type OwnDevices } from "./own-devices.ts";
import { readOnOff } from "./read-command.ts";
import { createSunFollower } from "./sun-follower.ts";

export interface Mode {
  device: Device;
  /** Undefined while it cannot be read from the file and never could since the start. */
  definition: ModeDefinition | undefined;
  /** Epoch ms of the next moments by the sun. */
  nextOn: number | undefined;
  nextOff: number | undefined;
}

export interface Modes extends Disposable, Pick<OwnDevices, "is"> {
  list(): Mode[];
  /** Throws HubError `not_found`. */
  get(id: string): Mode;
  /** Checks a command and gives back what carries it out. */
  prepare(device: Device, wanted: JsonObject, cause: JsonObject): () => void;
  /** What is wrong with modes.toml now. */
  problems(): readonly ModesProblem[];
  /** Reads the file: from now on its modes are listed, as they stood. */
  read(): void;
  /** Makes up for the moments that were missed, and follows the file and the sun from now on. */
  start(): void;
}

export interface Location {
  latitude?: number | undefined;
  longitude?: number | undefined;
}

export interface ModesOptions {
  registry: Registry;
  clock: Clock;
  log: Log;
  emit: (event: HubEvent) => void;
  location: Location;
  /** The path of modes.toml. */
  file: string;
}

export function createModes({ registry, clock, log, emit, location, file }: ModesOptions): Modes {
  const own = createOwnDevices({ registry, log, deviceType: "mode" });
  const { latitude, longitude } = location;
  const sun = latitude === undefined || longitude === undefined ? undefined : createSun({ latitude, longitude });
  const follower = sun && createSunFollower({ clock, log, sun, standing, turn: (id, on) => set(own.get(id), on) });
  const definitions = new Map<string, ModeDefinition>();
  let problems: readonly ModesProblem[] = [];
  let started = false;
  const parts = new DisposableStack();
  if (follower) parts.use(follower);
  parts.use(
    registry.onRemoved("modes", ({ id }) => {
      definitions.delete(id);
      follower?.forget(id);
    }),
  );

  function standing(id: string) {
    const { attributes, lastChanged } = registry.get(id);
    return {
      overridden: attributes.overridden === true,
      changedAt: Math.max(lastChanged.on ?? 0, lastChanged.overridden ?? 0),
    };
  }

  /** Because the sun wants it so, or a person or rule, which then is the cause. */
  function set(device: Device, on: boolean, cause?: JsonObject): void {
    const before = device.attributes.on === true;
    const solar = follower && definitions.get(device.id)?.kind === "solar";
    const overridden = cause !== undefined && solar && follower.giveWay(device.id) !== on;
    const attributes = { ...device.attributes, on, ...(solar ? { overridden: overridden === true } : {}) };
    if (cause) own.commanded(device.id, attributes, cause);
    else own.happened(device.id, attributes);
    if (before !== on) emit({ type: "mode_changed", mode_id: device.id, mode_name: device.name, on });
  }

  function load(): void {
    const { modes, broken, problems: read } = readModesFile(file, { located: sun !== undefined });
    const found = [...read];
    if (modes) found.push(...apply(modes, broken));
    for (const { id } of own.list()) if (!definitions.has(id)) registry.availability(id, false, HUB_PLUGIN_ID);
    tell(found);
  }

  /** Makes the devices what the file says; gives back what kept a mode out. */
  function apply(modes: readonly ModeDefinition[], broken: ReadModes["broken"]): ModesProblem[] {
    const ids = new Set(modes.map(({ id }) => id));
    // What a person made of its device, such as a name, is not lost to a slip in the file.
    const stays = (id: string): boolean => ids.has(id) || broken === "unknown" || broken.has(id);
    const gone = own.list().filter(({ id }) => !stays(id));
    const failed = [
      ...gone.flatMap(({ id }) => problemOf(`the mode "${id}" cannot be removed`, () => registry.remove(id))),
      ...modes.flatMap((mode) => problemOf(`the mode "${mode.id}" is left out`, () => place(mode))),
    ];
    if (started) follower?.follow([...definitions.values()].filter((mode): mode is SolarMode => mode.kind === "solar"));
    return failed;
  }

  function problemOf(what: string, act: () => void): ModesProblem[] {
    try {
      act();
      return [];
    } catch (error) {
      return [{ file, path: "", message: `${what}: ${messageOf(error)}` }];
    }
  }

  function place(mode: ModeDefinition): void {
    const { id, name, kind } = mode;
    refuseForeign(id);
    // First whether it is available: registering it would else call it so for a moment.
    registry.availability(id, kind === "manual" || sun !== undefined, HUB_PLUGIN_ID);
    registry.register({ device_id: id, name, device_type: "mode" }, HUB_PLUGIN_ID);
    const { on, overridden } = own.get(id).attributes;
    const attributes: JsonObject = { on: on === true, kind };
    if (kind === "solar") attributes.overridden = overridden === true;
    own.happened(id, attributes);
    definitions.set(id, mode);
  }

  function refuseForeign(id: string): void {
    const owner = registry.ownerOf(id);
    if (owner === undefined || own.is(registry.get(id))) return;
    const whose = owner === HUB_PLUGIN_ID ? "the hub itself" : `the plugin "${owner}"`;
    throw new HubError("conflict", `there is a device of that id already, of ${whose}; choose another id`);
  }

  function tell(found: readonly ModesProblem[]): void {
    const told = new Set(problems.map(textOf));
    for (const problem of found) if (!told.has(textOf(problem))) log.warn(`modes.toml: ${textOf(problem)}`);
    if (problems.length > 0 && found.length === 0) log.info("modes.toml is right again");
    problems = found;
  }

  function modeOf(device: Device): Mode {
    const definition = definitions.get(device.id);
    const next = follower && definition?.kind === "solar" ? follower.next(definition) : undefined;
    return { device, definition, nextOn: next?.on, nextOff: next?.off };
  }

  return {
    is: own.is,
    list: () => own.list().map(modeOf),
    get: (id) => modeOf(own.get(id)),
    prepare(device, wanted, cause) {
      const isOn = device.attributes.on === true;
      const on = readOnOff(wanted, isOn);
      return () => (on === isOn ? undefined : set(device, on, cause));
    },
    problems: () => problems,
    read: load,
    start() {
      started = true;
      parts.use(watchFile({ clock, log, path: file, onChange: load }));
      load();
    },
    [Symbol.dispose]: () => parts[Symbol.dispose](),
  };
}

function textOf({ line, path, message }: ModesProblem): string {
  return `${line === undefined ? "" : `line ${line}: `}${path === "" ? "" : `${path}: `}${message}`;
}
