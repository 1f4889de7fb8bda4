// Scenes: the wanted state of many devices. Activating one sends the commands; capturing one takes the present state.
import { isStorageFault } from "../../../kit/files/storage-fault.ts";
import { within } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { type ErrorCode, HubError, messageOf } from "../../../kit/schema/errors.ts";
import { checkId, type RandomBytes, readGivenName, uuid } from "../../../kit/schema/ids.ts";
import { deepFreeze, isObject, type JsonObject, jsonEqual } from "../../../kit/schema/json.ts";
import { jsonBytes } from "../../../kit/schema/memory-size.ts";
import { unmasked } from "../../../kit/text/masking.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { numberIn, objectIn, readEach, textIn } from "../../../server/db/rows.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import type { HubEvent } from "../../../server/events/catalog.ts";
import { Collection, type Crud, idTaken } from "../collection.ts";
import type { Registry } from "../registry.ts";
import { type Delivered, type TakenOutcome, taken } from "./command-answers.ts";
import type { Actor, Commands } from "./commands.ts";
import { captureStates, readSceneStates, type SceneStates } from "./scene-states.ts";

/** Frozen, with its states. */
export interface Scene {
  readonly id: string;
  readonly name: string;
  readonly states: SceneStates;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewScene {
  /** A UUID when absent. */
  id?: string | undefined;
  name: string;
  /** Device id → command; the devices may appear later. */
  states: Readonly<Record<string, unknown>>;
}

export interface SceneEdit {
  name?: string;
  states?: NewScene["states"];
}

interface OfScene {
  scene_id: string;
}
export type Activation = OfScene & SentToAll;
export type AnsweredActivation = OfScene & TakenByAll;

export interface ScenesOptions {
  db: Pick<StateDb, "durable" | "faults">;
  registry: Pick<Registry, "get" | "ownerOf">;
  commands: Pick<Commands, "deliver">;
  clock: Clock;
  random: RandomBytes;
  log: Log;
  emit: (event: HubEvent) => void;
}

const LIMITS = { most: 1000, maxBytes: 8 * 1_048_576 };

export function openScenes(options: ScenesOptions): Scenes {
  return new Scenes(options);
}

export class Scenes implements Crud<Scene, NewScene, SceneEdit> {
  readonly #options: ScenesOptions;
  readonly #store: SceneStore;
  readonly #scenes = new Collection<Scene>("scene", LIMITS);

  constructor(options: ScenesOptions) {
    this.#options = options;
    this.#store = createSceneStore(options.db);
    for (const scene of this.#store.load()) this.#scenes.set(scene.id, scene, bytesOf(scene));
  }

  /** Oldest first. */
  list(): Scene[] {
    return this.#scenes.list();
  }

  get(id: string): Scene {
    return this.#scenes.get(id);
  }

  has(id: string): boolean {
    return this.#scenes.has(id);
  }

  create({ id = uuid(this.#options.random), name: given, states }: NewScene): Scene {
    const name = readGivenName(given);
    checkId(id);
    if (this.#scenes.has(id)) throw idTaken(id);
    const now = this.#options.clock.now();
    return this.#save({ id, name, states: readSceneStates(states), createdAt: now, updatedAt: now });
  }

  /** Written only if something differs. */
  edit(id: string, { name, states }: SceneEdit): Scene {
    const scene = this.get(id);
    const edited = {
      ...scene,
      ...(name !== undefined && { name: readGivenName(name) }),
      // Somebody who sees PINs masked may still change the rest.
      ...(states !== undefined && { states: readSceneStates(unmasked(states, scene.states) as SceneStates) }),
    };
    if (edited.name === scene.name && jsonEqual(edited.states, scene.states)) return scene;
    return this.#save({ ...edited, updatedAt: this.#options.clock.now() });
  }

  /** Those that set this attribute of the device. */
  withAttribute(deviceId: string, attribute: string): Scene[] {
    return this.list().filter(({ states }) => Object.hasOwn(states[deviceId] ?? {}, attribute));
  }

  /** Another name of an attribute: the rows, into the transaction of whoever calls it, and what is to be called once that is committed. */
  renamed(deviceId: string, from: string, to: string): { write(): void; take(): void } {
    const scenes = this.withAttribute(deviceId, from).map((scene): Scene => {
      const all = Object.entries(scene.states[deviceId] ?? {}).filter(([name]) => name !== to);
      const state = Object.fromEntries(all.map(([name, value]) => [name === from ? to : name, value]));
      return deepFreeze({ ...scene, states: { ...scene.states, [deviceId]: state } });
    });
    return {
      write: () => scenes.forEach((scene) => void this.#store.save(scene)),
      take: () => scenes.forEach((scene) => void this.#scenes.set(scene.id, scene, bytesOf(scene))),
    };
  }

  remove(id: string): void {
    this.get(id);
    this.#store.remove(id);
    this.#scenes.delete(id);
  }

  /** Returns the outcome for each device; throws only for an unknown scene. */
  async activate(id: string, actor: Actor, options: { force?: boolean } = {}): Promise<Activation> {
    const { outcome: _, ...activation } = await this.#activate(id, actor, options);
    return activation;
  }

  /** The same for who waits for what becomes of it: a second longer at most. */
  async activateAndWait(id: string, actor: Actor, options: { force?: boolean } = {}): Promise<AnsweredActivation> {
    const { outcome } = await this.#activate(id, actor, options);
    return { scene_id: id, ...(await outcome()) };
  }

  async #activate(id: string, actor: Actor, { force = false }: { force?: boolean }) {
    const { commands, clock, log, emit } = this.#options;
    const { name, states } = this.get(id);
    const { outcome, ...sent } = await sendAll(states, { commands, clock, log, actor, force });
    emit({
      type: "scene_activated",
      scene_id: id,
      scene_name: name,
      source: actor.kind,
      actor_name: actor.name,
      ...sent,
    });
    return { scene_id: id, ...sent, outcome };
  }

  /** Takes the present state of its devices, or of `deviceIds`, which then become its devices. */
  capture(id: string, deviceIds?: readonly string[]): Scene {
    const previous = this.get(id).states;
    return this.edit(id, { states: captureStates(this.#options.registry, { previous, deviceIds }) });
  }

  /** The states that would bring these devices back into their present state. */
  presentStates(deviceIds: readonly string[]): SceneStates {
    return captureStates(this.#options.registry, { previous: {}, deviceIds });
  }

  /** Makes a scene of the present state. */
  captureNew({ deviceIds, ...scene }: Omit<NewScene, "states"> & { deviceIds: readonly string[] }): Scene {
    return this.create({ ...scene, states: this.presentStates(deviceIds) });
  }

  #save(scene: Scene): Scene {
    const bytes = bytesOf(scene);
    this.#scenes.checkLimits(scene.id, bytes);
    this.#store.save(scene);
    this.#scenes.set(scene.id, Object.freeze(scene), bytes);
    return scene;
  }
}

function bytesOf({ name, states }: Scene): number {
  return jsonBytes(name) + jsonBytes(states);
}

interface SceneStore {
  load(): Scene[];
  /** Durable when it returns. */
  save(scene: Scene): void;
  remove(id: string): void;
}

interface Row {
  id: string;
  name: string;
  states: string;
  created_at: number;
  updated_at: number;
}

function createSceneStore({ durable, faults }: ScenesOptions["db"]): SceneStore {
  const upsert = durable.query(
    `INSERT INTO scenes (id, name, states, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, states = excluded.states, updated_at = excluded.updated_at`,
  );
  const remove = durable.query("DELETE FROM scenes WHERE id = ?");
  return {
    load() {
      const rows = durable.query<Row, []>("SELECT * FROM scenes ORDER BY created_at, id");
      return readEach(rows.all(), fromRow, { faults, table: "scenes", keyOf: ({ id }) => id });
    },
    save: ({ id, name, states, createdAt, updatedAt }) =>
      void upsert.run(id, name, JSON.stringify(states), createdAt, updatedAt),
    remove: (id) => void remove.run(id),
  };
}

function fromRow({ id, name, states, created_at, updated_at }: Row): Scene {
  return deepFreeze({
    id: textIn(id, "id"),
    name: textIn(name, "name"),
    states: statesIn(states),
    createdAt: numberIn(created_at, 0),
    updatedAt: numberIn(updated_at, 0),
  });
}

function statesIn(text: string): SceneStates {
  const states = objectIn(text, "states");
  if (Object.values(states).every(isObject)) return states as SceneStates;
  throw new TypeError("states holds a value that is no command");
}

/** Commands for several devices at once, as a scene sends them: each by itself, and what became of each. */
interface SentCommand {
  device_id: string;
  correlation_id: string;
}

interface FailedCommand {
  device_id: string;
  code: ErrorCode | "internal";
  error: string;
}

interface SentToAll {
  sent: SentCommand[];
  failed: FailedCommand[];
}

/** What was refused is among `failed`. */
interface TakenByAll {
  sent: (SentCommand & TakenOutcome)[];
  failed: FailedCommand[];
}

interface SendAllOptions {
  commands: Pick<Commands, "deliver">;
  clock: Clock;
  log: Log;
  actor: Actor;
  force: boolean;
}

const MAX_MS = 5000;

/**
 * Sends all commands at once. A device that is missing, refuses or hangs does not stop the others. `wanted`: device id → command.
 * `outcome` says what became of them, after a second at most.
 */
async function sendAll(
  wanted: Readonly<Record<string, JsonObject>>,
  { commands, clock, log, actor, force }: SendAllOptions,
): Promise<SentToAll & { outcome: () => Promise<TakenByAll> }> {
  async function sendOne(deviceId: string, command: JsonObject): Promise<SentCommand & { delivered: Delivered }> {
    const sending = commands.deliver(deviceId, command, actor, { force });
    if (!(await within(clock, MAX_MS, "scene command", sending))) {
      const message = `was not taken within ${MAX_MS / 1000} s; it may still arrive`;
      throw new HubError("upstream_failed", `the command for "${deviceId}" ${message}`);
    }
    const delivered = await sending;
    return { device_id: deviceId, correlation_id: delivered.correlationId, delivered };
  }
  const failure = (device_id: string, error: unknown): FailedCommand => ({ device_id, ...reasonOf(error, log) });

  const [sent, failed] = parted(
    await Promise.all(
      Object.entries(wanted).map(([id, command]) => sendOne(id, command).catch((error: unknown) => failure(id, error))),
    ),
  );
  return {
    sent: sent.map(({ device_id, correlation_id }) => ({ device_id, correlation_id })),
    failed,
    async outcome() {
      const became = sent.map(async ({ delivered, ...one }) => ({ ...one, ...(await taken(delivered)) }));
      const each = became.map((one, index) => one.catch((error) => failure(sent[index]?.device_id ?? "", error)));
      const [took, refused] = parted(await Promise.all(each));
      return { sent: took, failed: [...failed, ...refused] };
    },
  };
}

function parted<T extends SentCommand>(outcomes: readonly (T | FailedCommand)[]): [T[], FailedCommand[]] {
  const isFailed = (one: T | FailedCommand): one is FailedCommand => !("correlation_id" in one);
  return [outcomes.filter((one): one is T => !isFailed(one)), outcomes.filter(isFailed)];
}

function reasonOf(error: unknown, log: Log): Omit<FailedCommand, "device_id"> {
  if (error instanceof HubError) return { code: error.code, error: error.message };
  if (isStorageFault(error)) return { code: "storage", error: "the disk is full or cannot be written" };
  log.error("a command of a scene failed", { error: messageOf(error) });
  return { code: "internal", error: "something went wrong inside the hub; its log says what" };
}
