// A person's new name for an attribute: in the device, the rules, the scenes and the history together. What is to be done is noted first,
// so that a hub that is killed meanwhile goes on with it at its next start; where something cannot be written, nothing is changed.
import type { Clock } from "../core/clock.ts";
import { HubError, messageOf } from "../core/errors.ts";
import { HUB_PLUGIN_ID } from "../core/ids.ts";
import { isObject, parseJson } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { Meta } from "../db/meta.ts";
import type { StateDb } from "../db/state-db.ts";
import { describedAttributes } from "./command-check.ts";
import type { Registry } from "./registry.ts";
import type { RenamedAttributes } from "./renamed-attributes.ts";
import type { Scenes } from "./scenes.ts";
import type { RenamedAttribute } from "./words/device-words.ts";
import { DEVICE_KINDS } from "./words/vocabulary.ts";

/** One place that names the attribute. */
export interface RenamePlace {
  kind: "rule" | "scene" | "history" | "config";
  id: string;
  name: string;
  /** Lines of a rule that are changed. */
  changes: readonly { line: number; before: string; after: string }[];
  /** Why it stays as it is, and what a person can do; undefined where it is changed. */
  whyNot: string | undefined;
}

export interface PlannedText {
  id: string;
  name: string;
  changes?: RenamePlace["changes"];
  whyNot?: string;
}

export interface AttributeRenamesOptions<Planned extends PlannedText> {
  db: Pick<StateDb, "durable">;
  clock: Clock;
  log: Log;
  meta: Meta;
  registry: Registry;
  renamed: Pick<RenamedAttributes, "given">;
  scenes: Pick<Scenes, "withAttribute" | "renamed">;
  rules: {
    plan(one: RenamedAttribute): Planned[];
    /** All or none; returns what puts the former texts back. */
    putAll(planned: readonly Planned[]): () => void;
  };
  /** Patterns in hub.toml that match the former name, and not the new one: `[history] exclude: "lamp/value"`. */
  patterns(one: RenamedAttribute): string[];
}

const NOTED = "attribute_rename";
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
/** What commands, events and the hub itself call something else so. */
const RESERVED: readonly string[] = [
  "command",
  "action",
  "available",
  "constructor",
  "device",
  "trigger",
  "true",
  "false",
  "null",
  "in",
];

export class AttributeRenames<Planned extends PlannedText = PlannedText> {
  readonly #options: AttributeRenamesOptions<Planned>;

  constructor(options: AttributeRenamesOptions<Planned>) {
    this.#options = options;
  }

  /** The places that name it. Throws HubError `not_found`, `invalid` and `conflict`, each with what to do. */
  plan(one: RenamedAttribute): RenamePlace[] {
    this.#check(one);
    return this.#places(one, this.#options.rules.plan(one));
  }

  /** Does it; the same list. Throws as `plan` does, and `storage`: then nothing has changed. */
  rename(one: RenamedAttribute): RenamePlace[] {
    this.#check(one);
    const { db, clock, meta, registry, renamed, scenes, rules } = this.#options;
    const { deviceId, from, to } = one;
    const planned = rules.plan(one);
    const places = this.#places(one, planned);
    // A sample of this very millisecond is of before.
    const parts = [renamed.given(one, clock.now() + 1), scenes.renamed(deviceId, from, to)];
    using undo = new DisposableStack();
    meta.set(NOTED, JSON.stringify(one));
    undo.defer(() => meta.set(NOTED, "null"));
    undo.defer(registry.given.give(deviceId, from, to));
    undo.defer(registry.takeNames(deviceId));
    undo.defer(rules.putAll(planned));
    db.durable
      .transaction(() => {
        registry.given.write(deviceId, to);
        registry.secure(deviceId);
        for (const part of parts) part.write();
        meta.set(NOTED, "null");
      })
      .immediate();
    undo.move();
    for (const part of parts) part.take();
    registry.tookNames(deviceId, from, to);
    return places;
  }

  /** To be called when all rules are loaded: goes on with what a hub that was killed had begun. */
  finish(): void {
    const { meta, log } = this.#options;
    const noted = parseJson(meta.get(NOTED) ?? "null");
    if (!noted.ok || !isObject(noted.value)) return;
    const { deviceId, from, to } = noted.value;
    const one = { deviceId: String(deviceId), from: String(from), to: String(to) };
    try {
      this.rename(one);
      log.info("an attribute has the new name that was being given to it when the hub was stopped", { ...one });
    } catch (error) {
      log.error("an attribute could not be given its new name: give it again", { ...one, error: messageOf(error) });
      meta.set(NOTED, "null");
    }
  }

  #check({ deviceId, from, to }: RenamedAttribute): void {
    const { registry } = this.#options;
    const device = registry.get(deviceId);
    const { given } = registry;
    const described = describedAttributes(device.details) ?? {};
    const has = (name: string): boolean => Object.hasOwn(device.attributes, name) || Object.hasOwn(described, name);
    if (!has(from)) {
      const present = given.presentOf(deviceId, from);
      const hint = present === from ? "" : `; it is called "${present}" now`;
      throw new HubError("not_found", `the device "${deviceId}" has no attribute "${from}"${hint}`);
    }
    if (device.pluginId === HUB_PLUGIN_ID)
      throw new HubError(
        "conflict",
        "timers, switches, modes, groups and schedules of the hub keep their names: the hub works by them",
      );
    if (from === to) throw new HubError("invalid", `to: it is called "${to}" already`);
    const wasIts = given.isGiven(deviceId, to) && given.ownOf(deviceId, to) === given.ownOf(deviceId, from);
    if (wasIts) return;
    if (!NAME.test(to))
      throw new HubError(
        "invalid",
        "to: a name begins with a letter, and has letters from a to z, digits and _, 64 at most",
      );
    if (RESERVED.includes(to))
      throw new HubError("invalid", `to: "${to}" means something else to the hub: choose another name`);
    if (has(to))
      throw new HubError("conflict", `another attribute of the device is called "${to}": choose another name`);
    if (given.isGiven(deviceId, to))
      throw new HubError(
        "conflict",
        `"${to}" was the name of another attribute of the device, and stays its: choose another name`,
      );
    this.#checkWord(to, device.attributes[from], described[from]?.type);
  }

  /** A word that all devices share says what kind of value it is. */
  #checkWord(to: string, value: unknown, described: unknown): void {
    const type = typeof described === "string" ? described.replace("integer", "number") : typeof value;
    const words = DEVICE_KINDS.flatMap((kind) => kind.words).filter(({ name }) => name === to);
    if (words.length === 0 || value === null || words.some((word) => word.type === type)) return;
    throw new HubError(
      "invalid",
      `to: "${to}" is a ${words[0]?.type} wherever a device has it, and this is a ${type}: choose another name`,
    );
  }

  #places(one: RenamedAttribute, planned: readonly Planned[]): RenamePlace[] {
    const { deviceId, from, to } = one;
    const { scenes, patterns } = this.#options;
    const changed = { changes: [], whyNot: undefined };
    return [
      ...planned.map(
        ({ id, name, changes = [], whyNot }): RenamePlace => ({ kind: "rule", id, name, changes, whyNot }),
      ),
      ...scenes
        .withAttribute(deviceId, from)
        .map(({ id, name }): RenamePlace => ({ kind: "scene", id, name, ...changed })),
      { kind: "history", id: `${deviceId}/${from}`, name: `${deviceId}/${to}`, ...changed },
      ...patterns(one).map(
        (name): RenamePlace => ({
          kind: "config",
          id: "hub.toml",
          name,
          changes: [],
          whyNot: "change it in hub.toml by hand",
        }),
      ),
    ];
  }
}
