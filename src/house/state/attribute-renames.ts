// A person's new name for an attribute: in the device, the rules, the scenes and the history together. What is to be done is noted first,
// so that a hub that is killed meanwhile goes on with it at its next start; where something cannot be written, nothing is changed.
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { HUB_PLUGIN_ID } from "../../kit/schema/ids.ts";
import { isObject, parseJson } from "../../kit/schema/json.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Meta } from "../../server/db/meta.ts";
import type { StateDb } from "../../server/db/state-db.ts";
import { describedAttributes } from "./commands/command-check.ts";
import type { Scenes } from "./commands/scenes.ts";
import type { Device } from "./device.ts";
import type { Registry } from "./registry.ts";
import type { RenamedAttributes } from "./renamed-attributes.ts";
import type { Groups } from "./virtual/groups.ts";
import type { RenamedAttribute } from "./words/device-words.ts";
import { takeNewName } from "./words/given-by-people.ts";
import { DEVICE_KINDS } from "./words/vocabulary.ts";

/** One place that names the attribute. */
export interface RenamePlace {
  kind: "rule" | "scene" | "group" | "history" | "config";
  id: string;
  name: string;
  /** Lines of a rule that are changed. */
  changes: readonly { line: number; before: string; after: string }[];
  /** Why it stays as it is, and what a person can do; undefined where it is changed. */
  whyNot: string | undefined;
}

export interface AttributeName {
  name: string;
  /** What a new house would call it, where that is free. */
  suggested?: string;
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
  groups: Pick<Groups, "list" | "devices">;
  rules: {
    /** Rules that name one of these, or may. Throws HubError `unavailable` while they are being read. */
    plan(renamed: readonly RenamedAttribute[]): Planned[];
    /** Throws HubError at the first whose text cannot be written. */
    putAll(planned: readonly Planned[]): void;
    /** Those that have their new texts get the former ones again. Throws HubError after the last, where one cannot be written. */
    putBack(planned: readonly Planned[]): void;
  };
  /** Patterns in hub.toml that match the former name, and not the new one: `[history] exclude: "lamp/value"`. */
  patterns(one: RenamedAttribute): string[];
}

/** One name that becomes another: of the device, and of groups. */
interface Together {
  renamed: RenamedAttribute[];
  groups: (Pick<Device, "id" | "name"> & { whyNot: string | undefined })[];
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

  /** The places that name it. Throws HubError `not_found`, `invalid`, `conflict` and `unavailable`, each with what to do. */
  plan(one: RenamedAttribute): RenamePlace[] {
    this.#check(one);
    const all = this.#withGroups(one);
    return this.#places(one, all, this.#options.rules.plan(all.renamed));
  }

  /**
   * All attributes of a device, each with the name that it may be given and that a new house would give it; `better` has those by what its
   * source calls them. What a person has named keeps that name.
   */
  names(deviceId: string, better: ReadonlyMap<string, string>): AttributeName[] {
    const { registry } = this.#options;
    const device = registry.get(deviceId);
    const all = new Set([...Object.keys(describedAttributes(device.details) ?? {}), ...Object.keys(device.attributes)]);
    const taken = new Set<string>();
    return [...all].map((name) => {
      const to = registry.given.ownOf(deviceId, name) === name ? better.get(name) : undefined;
      if (to === undefined || taken.has(to) || !this.#isFree({ deviceId, from: name, to })) return { name };
      taken.add(to);
      return { name, suggested: to };
    });
  }

  #isFree(one: RenamedAttribute): boolean {
    try {
      this.#check(one);
      return true;
    } catch (error) {
      if (error instanceof HubError) return false;
      throw error;
    }
  }

  /** Does it; the same list. Throws as `plan` does, and `storage`: then nothing has changed. */
  rename(one: RenamedAttribute): RenamePlace[] {
    this.#check(one);
    if (this.#noted()) throw new HubError("conflict", "another attribute is being given its new name: restart the hub");
    return this.#rename(one);
  }

  /** To be called when all rules are loaded: goes on with what a hub that was killed had begun. */
  finish(): void {
    const { log } = this.#options;
    const one = this.#noted();
    if (!one) return;
    try {
      this.#rename(one);
      log.info("an attribute has the new name that was being given to it when the hub was stopped", { ...one });
    } catch (error) {
      log.error("an attribute could not be given its new name: give it again", { ...one, error: messageOf(error) });
      this.#takeBack(one);
    }
  }

  #noted(): RenamedAttribute | undefined {
    const noted = parseJson(this.#options.meta.get(NOTED) ?? "null");
    if (!noted.ok || !isObject(noted.value)) return undefined;
    const { deviceId, from, to } = noted.value;
    return { deviceId: String(deviceId), from: String(from), to: String(to) };
  }

  #rename(one: RenamedAttribute): RenamePlace[] {
    const { db, clock, meta, registry, renamed, scenes, rules } = this.#options;
    const { deviceId, from, to } = one;
    const all = this.#withGroups(one);
    const planned = rules.plan(all.renamed);
    const places = this.#places(one, all, planned);
    // A sample of this very millisecond is of before.
    const at = clock.now() + 1;
    const parts = all.renamed.flatMap((each) => [renamed.given(each, at), scenes.renamed(each.deviceId, from, to)]);
    meta.set(NOTED, JSON.stringify(one));
    using undo = new DisposableStack();
    // While a rule cannot be put back, it stays noted, and the next start goes on with it.
    undo.defer(() => {
      rules.putBack(planned);
      meta.set(NOTED, "null");
    });
    undo.defer(registry.given.give(deviceId, from, to));
    undo.defer(registry.takeNames(deviceId));
    for (const { id } of all.groups.filter(isAlike)) undo.defer(takeNewName(registry.get(id), from, to));
    rules.putAll(planned);
    db.durable
      .transaction(() => {
        registry.given.write(deviceId, to);
        for (const each of all.renamed) registry.flushDevice(each.deviceId);
        for (const part of parts) part.write();
        meta.set(NOTED, "null");
      })
      .immediate();
    undo.move();
    for (const part of parts) part.take();
    for (const each of all.renamed) registry.tookNames(each.deviceId, from, to);
    return places;
  }

  /** What was begun and cannot be gone on with: the rules that have the new name already get the former one again. */
  #takeBack(one: RenamedAttribute): void {
    const { rules, log, meta } = this.#options;
    const { from: to, to: from } = one;
    try {
      meta.set(NOTED, JSON.stringify(one));
      const { renamed } = this.#withGroups(one);
      rules.putAll(rules.plan(renamed.map(({ deviceId }) => ({ deviceId, from, to }))));
      meta.set(NOTED, "null");
    } catch (error) {
      log.error("rules may have different names of an attribute until the hub can write them, at a later start", {
        ...{ ...one, error: messageOf(error) },
      });
    }
  }

  /** With the same attribute of groups that have it of this device alone. */
  #withGroups(one: RenamedAttribute): Together {
    const { deviceId, from, to } = one;
    const { groups } = this.#options;
    const found = groups.list().flatMap(({ device }) => {
      const members = groups.devices(device.id);
      if (!members.some(({ id }) => id === deviceId) || !has(device, from)) return [];
      const isOthersToo = members.some((other) => other.id !== deviceId && (has(other, from) || has(other, to)));
      return [{ id: device.id, name: device.name, whyNot: isOthersToo ? OTHER_MEMBERS : undefined }];
    });
    return { renamed: [one, ...found.filter(isAlike).map(({ id }) => ({ deviceId: id, from, to }))], groups: found };
  }

  #check({ deviceId, from, to }: RenamedAttribute): void {
    const { registry } = this.#options;
    const device = registry.get(deviceId);
    const { given } = registry;
    if (!has(device, from)) {
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
    if (has(device, to))
      throw new HubError("conflict", `another attribute of the device is called "${to}": choose another name`);
    if (given.isGiven(deviceId, to))
      throw new HubError(
        "conflict",
        `"${to}" was the name of another attribute of the device, and stays its: choose another name`,
      );
    this.#checkWord(to, device.attributes[from], describedAttributes(device.details)?.[from]?.type);
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

  #places(one: RenamedAttribute, { renamed, groups }: Together, planned: readonly Planned[]): RenamePlace[] {
    const { scenes, patterns } = this.#options;
    const unchanged = { changes: [], whyNot: undefined };
    return [
      ...planned.map(
        ({ id, name, changes = [], whyNot }): RenamePlace => ({ kind: "rule", id, name, changes, whyNot }),
      ),
      ...renamed
        .flatMap(({ deviceId, from }) => scenes.withAttribute(deviceId, from))
        .map(({ id, name }): RenamePlace => ({ kind: "scene", id, name, ...unchanged })),
      ...groups.map(({ id, name, whyNot }): RenamePlace => ({ kind: "group", id, name, changes: [], whyNot })),
      ...renamed.map(
        ({ deviceId, from, to }): RenamePlace => ({
          ...{ kind: "history", id: `${deviceId}/${from}`, name: `${deviceId}/${to}`, ...unchanged },
        }),
      ),
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

const OTHER_MEMBERS =
  "other members have an attribute of one of both names: the group has both, and what names the former one of the group stays as it is";

const isAlike = ({ whyNot }: Together["groups"][number]): boolean => whyNot === undefined;

function has({ attributes, details }: Device, name: string): boolean {
  return Object.hasOwn(attributes, name) || Object.hasOwn(describedAttributes(details) ?? {}, name);
}
