// Scenes: what is wanted of many devices at once. Activating one sends the commands; capturing takes the house as it is.
import type { Clock } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import { isValidId, type RandomBytes, uuid } from "../core/ids.ts";
import { jsonEqual } from "../core/json.ts";
import { jsonBytes } from "../core/json-bytes.ts";
import type { Log } from "../core/log.ts";
import { withHeld } from "../core/masking.ts";
import type { StateDb } from "../db/state-db.ts";
import type { HubEvent } from "../events/catalog.ts";
import type { Actor, Commands } from "./commands.ts";
import { givenName } from "./given-name.ts";
import type { Registry } from "./registry.ts";
import { commandAll, type FailedCommand, type SentCommand } from "./scenes-activate.ts";
import { captureStates } from "./scenes-capture.ts";
import { readSceneStates, type SceneStates } from "./scenes-states.ts";
import { createSceneStore, type Scene } from "./scenes-store.ts";

export interface NewScene {
  /** A UUID when absent. */
  id?: string | undefined;
  name: string;
  /** Device id → command; devices may appear later. */
  states: Readonly<Record<string, unknown>>;
}

export interface Activation {
  scene_id: string;
  sent: SentCommand[];
  failed: FailedCommand[];
}

/** Throws HubError: `not_found`, `invalid`, `too_large`, or `conflict` for an id that is taken. */
export interface Scenes {
  /** Oldest first. */
  list(): Scene[];
  get(id: string): Scene;
  has(id: string): boolean;
  create(scene: NewScene): Scene;
  /** Writes only what is different. */
  edit(id: string, edit: { name?: string; states?: NewScene["states"] }): Scene;
  remove(id: string): void;
  /** Answers what happened to each device; refuses only an unknown scene. */
  activate(id: string, actor: Actor, options?: { force?: boolean }): Promise<Activation>;
  /** Takes the present state of its devices, or of those that are named, which then are its devices. */
  capture(id: string, deviceIds?: readonly string[]): Scene;
  /** What would have to be asked of these devices to bring them into their present state. */
  presentStates(deviceIds: readonly string[]): Scene["states"];
  /** A new scene from the present state. */
  captureNew(scene: Omit<NewScene, "states"> & { deviceIds: readonly string[] }): Scene;
}

export interface ScenesOptions {
  db: Pick<StateDb, "durable" | "faults">;
  registry: Pick<Registry, "get" | "ownerOf">;
  commands: Pick<Commands, "send">;
  clock: Clock;
  random: RandomBytes;
  log: Log;
  emit: (event: HubEvent) => void;
}

// They are held in memory.
const MOST_SCENES = 1000;
const MOST_BYTES = 8 * 1_048_576;

export function openScenes({ db, registry, commands, clock, random, log, emit }: ScenesOptions): Scenes {
  const store = createSceneStore(db);
  const scenes = new Map(store.load().map((scene) => [scene.id, scene]));
  const sizes = new Map([...scenes.values()].map((scene) => [scene.id, bytesOf(scene)]));
  let held = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);

  function get(id: string): Scene {
    const scene = scenes.get(id);
    if (!scene) throw new HubError("not_found", `there is no scene "${id}"`);
    return scene;
  }

  function keep(scene: Scene): Scene {
    const bytes = bytesOf(scene);
    const more = bytes - (sizes.get(scene.id) ?? 0);
    if (more > 0 && held + more > MOST_BYTES)
      throw new HubError("conflict", `all scenes together may take ${MOST_BYTES} bytes: remove some`);
    store.save(scene);
    sizes.set(scene.id, bytes);
    held += more;
    scenes.set(scene.id, Object.freeze(scene));
    return scene;
  }

  function create({ id = uuid(random), name: text, states }: NewScene): Scene {
    const name = givenName(text);
    if (!isValidId(id)) throw new HubError("invalid", "id: leave it out, or give one without / + # that can be an id");
    if (scenes.has(id)) throw new HubError("conflict", `there is a scene "${id}" already; choose another id`);
    if (scenes.size >= MOST_SCENES) throw new HubError("conflict", `there are ${MOST_SCENES} scenes: remove some`);
    const now = clock.now();
    return keep({ id, name, states: readSceneStates(states), createdAt: now, updatedAt: now });
  }

  function edit(id: string, { name, states }: { name?: string; states?: NewScene["states"] }): Scene {
    const scene = get(id);
    const edited = {
      ...scene,
      ...(name === undefined ? {} : { name: givenName(name) }),
      // Whoever may not see its PINs may still change the rest.
      ...(states === undefined ? {} : { states: readSceneStates(withHeld(states, scene.states) as SceneStates) }),
    };
    if (edited.name === scene.name && jsonEqual(edited.states, scene.states)) return scene;
    return keep({ ...edited, updatedAt: clock.now() });
  }

  return {
    list: () => [...scenes.values()],
    get,
    has: (id) => scenes.has(id),
    create,
    edit,
    remove(id) {
      get(id);
      store.remove(id);
      scenes.delete(id);
      held -= sizes.get(id) ?? 0;
      sizes.delete(id);
    },
    async activate(id, actor, { force = false } = {}) {
      const { name, states } = get(id);
      const outcome = await commandAll(states, { commands, clock, log, actor, force });
      emit({
        type: "scene_activated",
        scene_id: id,
        scene_name: name,
        source: actor.kind,
        actor_name: actor.name,
        ...outcome,
      });
      return { scene_id: id, ...outcome };
    },
    capture: (id, deviceIds) => edit(id, { states: captureStates(registry, { held: get(id).states, deviceIds }) }),
    presentStates: (deviceIds) => captureStates(registry, { held: {}, deviceIds }),
    captureNew: ({ deviceIds, ...scene }) =>
      create({ ...scene, states: captureStates(registry, { held: {}, deviceIds }) }),
  };
}

function bytesOf({ name, states }: Scene): number {
  return jsonBytes(name) + jsonBytes(states);
}
