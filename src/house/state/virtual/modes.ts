// Modes of the house, as defined in modes.toml: each is a device that is on or off. The file is read again when it changes;
// a mode with problems, or all of them if the file cannot be read, keeps its last valid definition.
import { watchFile } from "../../../kit/files/file-watch.ts";
import type { FolderNotices } from "../../../kit/lifecycle/folder-notices.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { HUB_PLUGIN_ID } from "../../../kit/schema/ids.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { createSun } from "../../../kit/time/sun.ts";
import type { HubEvent } from "../../../server/events/catalog.ts";
import type { Device } from "../device.ts";
import type { Registry } from "../registry.ts";
import { BUILT_IN_MODES, type ModeDefinition, type ModesProblem, type ReadModes, readModesFile } from "./modes-file.ts";
import { createOwnDevices, type OwnDevices } from "./own-devices.ts";
import { readOnOff } from "./read-command.ts";
import { type ModeState, SunFollower } from "./sun-follower.ts";

export interface Mode {
  device: Device;
  /** Undefined if no valid definition has been read since the start. */
  definition: ModeDefinition | undefined;
  /** Epoch ms of the next moments by the sun. */
  nextOn: number | undefined;
  nextOff: number | undefined;
}

export interface Location {
  latitude?: number | undefined;
  longitude?: number | undefined;
}

export interface ModesOptions {
  registry: Registry;
  clock: Clock;
  /** See kit/files/file-watch.ts. */
  notices?: FolderNotices | undefined;
  log: Log;
  emit: (event: HubEvent) => void;
  location: Location;
  /** The path of modes.toml. */
  file: string;
}

export class Modes implements Disposable {
  readonly #options: ModesOptions;
  readonly #own: OwnDevices;
  /** Undefined without a location. */
  readonly #follower: SunFollower | undefined;
  readonly #definitions = new Map<string, ModeDefinition>();
  readonly #disposables = new DisposableStack();
  #problems: readonly ModesProblem[] = [];
  #started = false;
  /** Of the built-in modes. */
  readonly #needed: Set<string>;

  constructor(options: ModesOptions) {
    const { registry, clock, log, location } = options;
    const { latitude, longitude } = location;
    this.#options = options;
    this.#own = createOwnDevices({ registry, log, deviceType: "mode" });
    // What was needed before a restart is needed again: until rules are read, their modes must not be gone.
    this.#needed = new Set(this.#own.list().flatMap(({ id }) => (isBuiltIn(id) ? [id] : [])));
    if (latitude !== undefined && longitude !== undefined) {
      const sun = createSun({ latitude, longitude });
      const setMode = (id: string, on: boolean): void => this.#set(this.#own.get(id), on);
      const stateOf = (id: string): ModeState => this.#stateOf(id);
      this.#follower = this.#disposables.use(new SunFollower({ clock, log, sun, stateOf, setMode }));
    }
    this.#disposables.use(
      registry.onRemoved("modes", ({ id }) => {
        this.#definitions.delete(id);
        this.#follower?.forget(id);
      }),
    );
  }

  is(device: Device): boolean {
    return this.#own.is(device);
  }

  list(): Mode[] {
    return this.#own.list().map((device) => this.#modeOf(device));
  }

  /** Throws HubError `not_found`. */
  get(id: string): Mode {
    return this.#modeOf(this.#own.get(id));
  }

  /** Checks a command and returns the function that carries it out. Throws HubError `invalid`. */
  prepare(device: Device, wanted: JsonObject, cause: JsonObject): () => void {
    const isOn = device.attributes.on === true;
    const on = readOnOff(wanted, isOn);
    return () => (on === isOn ? undefined : this.#set(device, on, cause));
  }

  /** Some rule names these modes: those that are built in are there from now on, unless there is a modes.toml. */
  need(ids: readonly string[]): void {
    const wanted = ids.filter((id) => isBuiltIn(id) && !this.#needed.has(id));
    if (wanted.length === 0) return;
    for (const id of wanted) this.#needed.add(id);
    this.read();
  }

  /** The present problems of modes.toml. */
  problems(): readonly ModesProblem[] {
    return this.#problems;
  }

  /** Reads the file: from now on its modes are listed, in their stored state. */
  read(): void {
    const where = { located: this.#follower !== undefined, needed: this.#needed };
    const { modes, broken, problems } = readModesFile(this.#options.file, where);
    const found = modes ? [...problems, ...this.#apply(modes, broken)] : problems;
    for (const { id } of this.#own.list())
      if (!this.#definitions.has(id)) this.#options.registry.availability(id, false, HUB_PLUGIN_ID);
    this.#reportProblems(found);
  }

  /** Makes the transitions that were missed, and follows the file and the sun from now on. */
  start(): void {
    const { clock, notices, log, file } = this.#options;
    this.#started = true;
    this.#disposables.use(watchFile({ clock, log, path: file, notices, onChange: () => this.read() }));
    this.read();
  }

  [Symbol.dispose](): void {
    this.#disposables[Symbol.dispose]();
  }

  #modeOf(device: Device): Mode {
    const definition = this.#definitions.get(device.id);
    const next = definition?.kind === "solar" ? this.#follower?.next(definition) : undefined;
    return { device, definition, nextOn: next?.on, nextOff: next?.off };
  }

  #stateOf(id: string): ModeState {
    const { attributes, lastChanged } = this.#options.registry.get(id);
    return {
      overridden: attributes.overridden === true,
      changedAt: Math.max(lastChanged.on ?? 0, lastChanged.overridden ?? 0),
    };
  }

  /** `cause` is the command of a person or rule; without one, the sun turns the mode. */
  #set(device: Device, on: boolean, cause?: JsonObject): void {
    const before = device.attributes.on === true;
    const follower = this.#definitions.get(device.id)?.kind === "solar" ? this.#follower : undefined;
    const attributes: JsonObject = { ...device.attributes, on };
    if (follower) attributes.overridden = cause !== undefined && follower.override(device.id) !== on;
    if (cause) this.#own.commanded(device.id, attributes, cause);
    else this.#own.happened(device.id, attributes);
    if (before !== on) this.#options.emit({ type: "mode_changed", mode_id: device.id, mode_name: device.name, on });
  }

  /** Makes the devices match the definitions; returns why any could not. */
  #apply(modes: readonly ModeDefinition[], broken: ReadModes["broken"]): ModesProblem[] {
    const ids = new Set(modes.map(({ id }) => id));
    // A mistake in the file must not delete what a person set on the device, such as its name.
    const stays = (id: string): boolean => ids.has(id) || broken === "unknown" || broken.has(id);
    const gone = this.#own.list().filter(({ id }) => !stays(id));
    const remove = (id: string): void => this.#options.registry.remove(id);
    const failed = [
      ...gone.flatMap(({ id }) => this.#problemOf(`the mode "${id}" cannot be removed`, () => remove(id))),
      ...modes.flatMap((mode) => this.#problemOf(`the mode "${mode.id}" is left out`, () => this.#place(mode))),
    ];
    if (this.#started) this.#follower?.follow([...this.#definitions.values()].filter((mode) => mode.kind === "solar"));
    return failed;
  }

  #problemOf(what: string, act: () => void): ModesProblem[] {
    try {
      act();
      return [];
    } catch (error) {
      return [{ file: this.#options.file, path: "", message: `${what}: ${messageOf(error)}` }];
    }
  }

  #place(mode: ModeDefinition): void {
    const { registry } = this.#options;
    const { id, name, kind } = mode;
    this.#checkOwner(id);
    // The availability first: registering makes a device available, if only for a moment.
    registry.availability(id, kind === "manual" || this.#follower !== undefined, HUB_PLUGIN_ID);
    registry.register({ device_id: id, name, device_type: "mode" }, HUB_PLUGIN_ID);
    const { on, overridden } = this.#own.get(id).attributes;
    const attributes: JsonObject = { on: on === true, kind };
    if (kind === "solar") attributes.overridden = overridden === true;
    this.#own.happened(id, attributes);
    this.#definitions.set(id, mode);
  }

  #checkOwner(id: string): void {
    const device = this.#options.registry.find(id);
    if (!device || this.#own.is(device)) return;
    const owner = device.pluginId === HUB_PLUGIN_ID ? "the hub itself" : `the plugin "${device.pluginId}"`;
    throw new HubError("conflict", `there is a device of that id already, of ${owner}; choose another id`);
  }

  /** Logs the problems that are new, and their end. */
  #reportProblems(found: readonly ModesProblem[]): void {
    const { log } = this.#options;
    const known = new Set(this.#problems.map(textOf));
    for (const problem of found) if (!known.has(textOf(problem))) log.warn(`modes.toml: ${textOf(problem)}`);
    if (this.#problems.length > 0 && found.length === 0) log.info("modes.toml is right again");
    this.#problems = found;
  }
}

function isBuiltIn(id: string): boolean {
  return BUILT_IN_MODES.some((mode) => mode.id === id);
}

function textOf({ line, path, message }: ModesProblem): string {
  return `${line === undefined ? "" : `line ${line}: `}${path === "" ? "" : `${path}: `}${message}`;
}
