// The house as a key for MCP sees it. A device outside its areas, or one that protects the house and is not named, does not
// exist for it: neither by itself nor in groups, scenes, rules and events that have to do with it.
import type { Areas } from "../../house/state/areas.ts";
import type { Scene, Scenes } from "../../house/state/commands/scenes.ts";
import type { Device } from "../../house/state/device.ts";
import { isProtective } from "../../house/state/protective.ts";
import type { Registry } from "../../house/state/registry.ts";
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { HUB_PLUGIN_ID } from "../../kit/schema/ids.ts";
import { oneCalled } from "../../kit/text/called.ts";
import type { Rules } from "../../rules/rules.ts";
import type { RuleInfo } from "../../rules/store/describe.ts";
import { allows } from "../../server/auth/roles.ts";
import type { McpCaller } from "./caller.ts";

export interface HouseDeps {
  registry: Pick<Registry, "list" | "find">;
  areas: Pick<Areas, "list">;
  scenes: Pick<Scenes, "list" | "has" | "get">;
  rules: Pick<Rules, "list" | "get">;
  /** The devices of a group, those of groups in it as well; none where it is no group. */
  membersOf: (id: string) => readonly Device[];
}

type Reference = RuleInfo["references"][number];

export class SeenHouse {
  readonly #deps: HouseDeps;
  readonly #areas: ReadonlySet<string> | undefined;
  readonly #named: ReadonlySet<string>;
  readonly #mayAct: boolean;
  /** By id of a device. */
  readonly #seen = new Map<string, boolean>();
  /** By what devices are found by. */
  readonly #found = new Map<string, boolean>();
  /** Ids; those that are no single word are looked for anywhere in a text. */
  #hidden: { words: ReadonlySet<string>; others: readonly string[] } | undefined;

  /** For one call of a tool. */
  constructor(deps: HouseDeps, { scope, role }: Pick<McpCaller, "scope" | "role">) {
    this.#deps = deps;
    this.#areas = scope.areas === null ? undefined : new Set(scope.areas);
    this.#named = new Set(scope.devices);
    this.#mayAct = !scope.readOnly && allows(role, "user");
  }

  /** Whether the key is for the house, not for some areas. */
  get whole(): boolean {
    return this.#areas === undefined;
  }

  /** Whether it may change anything at all. */
  get mayAct(): boolean {
    return this.#mayAct;
  }

  devices(): Device[] {
    return [...this.#deps.registry.list()].filter((device) => this.sees(device));
  }

  /**
   * By its id or its name. Throws HubError `conflict` where several are called so, and `not_found` in the same words whether it is
   * hidden or missing.
   */
  device(text: string): Device {
    const byId = this.#deps.registry.find(text);
    const device = byId && this.sees(byId) ? byId : oneCalled("device", this.devices(), text);
    if (device) return device;
    throw notThere("device", text);
  }

  /** The id of an area, by that or its name. Throws as `device`. */
  area(text: string): string {
    const ids = new Set(this.devices().flatMap(({ area }) => area ?? []));
    const seen = this.#deps.areas.list().filter(({ id }) => ids.has(id) || (this.#areas?.has(id) ?? true));
    const area = oneCalled("area", seen, text);
    if (area) return area.id;
    throw notThere(
      "area",
      text,
      didYouMean(
        text,
        seen.map(({ name }) => name),
      ),
    );
  }

  sees(device: Device): boolean {
    const known = this.#seen.get(device.id);
    if (known !== undefined) return known;
    const sees = this.#isIn(device) && this.#deps.membersOf(device.id).every((member) => this.#isIn(member));
    this.#seen.set(device.id, sees);
    return sees;
  }

  /** A mode decides what rules do, those of alarms too: it is commanded only where it is named. */
  commands(device: Device): boolean {
    return this.#mayAct && this.sees(device) && (!isMode(device) || this.#named.has(device.id));
  }

  scenes(): Scene[] {
    return this.#deps.scenes.list().filter((scene) => this.seesScene(scene));
  }

  /** As `device`. */
  scene(text: string): Scene {
    const scene = oneCalled("scene", this.scenes(), text);
    if (scene) return scene;
    throw notThere("scene", text);
  }

  seesScene({ states }: Pick<Scene, "states">): boolean {
    return Object.keys(states).every((id) => this.#seesNamed(id));
  }

  activates({ states }: Pick<Scene, "states">): boolean {
    return (
      this.#mayAct &&
      Object.keys(states).every((id) => {
        const device = this.#deps.registry.find(id);
        return device === undefined ? this.whole : this.commands(device);
      })
    );
  }

  rules(): RuleInfo[] {
    return this.#deps.rules.list().filter((rule) => this.seesRule(rule));
  }

  /** As `device`. Throws HubError `unavailable` while the hub starts. */
  rule(text: string): RuleInfo {
    const byId = this.#ruleWith(text);
    const rule = byId && this.seesRule(byId) ? byId : oneCalled("rule", this.rules(), text);
    if (rule) return rule;
    throw notThere("rule", text);
  }

  /** All it names is there for the key; a key for some areas also wants something of them in it. */
  seesRule({ references }: Pick<RuleInfo, "references">): boolean {
    if (!references.every((reference) => this.#seesReference(reference))) return false;
    return this.whole || references.some(({ kind }) => HOUSE_KINDS.has(kind));
  }

  seesId(id: string): boolean {
    const device = this.#deps.registry.find(id);
    return device ? this.sees(device) : false;
  }

  seesRuleId(id: string): boolean {
    const rule = this.#ruleWith(id);
    return rule !== undefined && this.seesRule(rule);
  }

  seesSceneId(id: string): boolean {
    return this.#deps.scenes.has(id) && this.seesScene(this.#deps.scenes.get(id));
  }

  /** Whether a text names a device that is hidden, so that nothing slips through where devices are found, not named. */
  mentionsHidden(text: string): boolean {
    this.#hidden ??= this.#hiddenIds();
    const { words, others } = this.#hidden;
    if (others.some((id) => text.includes(id))) return true;
    return words.size > 0 && (text.match(WORDS) ?? []).some((word) => words.has(word.replace(/[.:-]+$/, "")));
  }

  #hiddenIds(): { words: ReadonlySet<string>; others: readonly string[] } {
    const ids = [...this.#deps.registry.list()].filter((device) => !this.sees(device)).map(({ id }) => id);
    return { words: new Set(ids), others: ids.filter((id) => !IS_WORD.test(id)) };
  }

  #isIn(device: Device): boolean {
    if (this.#named.has(device.id)) return true;
    if (isProtective(device)) return false;
    return this.#areas === undefined || (device.area !== undefined && this.#areas.has(device.area));
  }

  /** In a scene or a rule. Of a device that is not there now, a key for the house learns nothing. */
  #seesNamed(id: string): boolean {
    return this.#deps.registry.find(id) === undefined ? this.whole : this.seesId(id);
  }

  #seesReference({ kind, name }: Reference): boolean {
    const { registry } = this.#deps;
    const found = (fits: (device: Device) => boolean): boolean => {
      const key = `${kind} ${name}`;
      const sees = this.#found.get(key) ?? Iterator.from(registry.list()).every((one) => !fits(one) || this.sees(one));
      this.#found.set(key, sees);
      return sees;
    };
    switch (kind) {
      case "device":
      case "mode":
        return this.#seesNamed(name);
      case "scene":
        return this.#deps.scenes.has(name) ? this.seesSceneId(name) : this.whole;
      case "area":
        return found(({ area }) => area === name) && (this.#areas?.has(name) ?? true);
      case "device_type":
        return found(({ deviceType }) => deviceType === name);
      case "tag":
        return found(({ tags }) => tags.includes(name));
      case "rule":
        return this.whole;
      default:
        return true;
    }
  }

  #ruleWith(id: string): RuleInfo | undefined {
    try {
      return this.#deps.rules.get(id);
    } catch (error) {
      if (error instanceof HubError && error.code === "not_found") return undefined;
      throw error;
    }
  }
}

const WORDS = /[\p{L}\p{N}_.:-]+/gu;
const IS_WORD = /^[\p{L}\p{N}_.:-]*[\p{L}\p{N}_]$/u;

/** References that tie a rule to a part of the house. */
const HOUSE_KINDS: ReadonlySet<string> = new Set(["device", "scene", "area", "device_type", "tag"]);

function isMode({ pluginId, deviceType }: Device): boolean {
  return pluginId === HUB_PLUGIN_ID && deviceType === "mode";
}

function notThere(what: string, text: string, meant = ""): HubError {
  return new HubError("not_found", `there is no ${what} "${text.slice(0, 200)}" that this key may see${meant}`);
}
