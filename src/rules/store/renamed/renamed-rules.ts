// Rules that were written when an attribute of a device had another name, or was read the other way round: they are found when that
// changes, held back until somebody has decided, and turned on request.
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import { etagOf } from "../../../kit/text/etag.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import { writtenPath } from "../../blueprints/use.ts";
import type { HouseReads } from "../../model/host.ts";
import type { BoundRules } from "../bound-rules.ts";
import type { ListedFile, RuleFiles } from "../files.ts";
import type { RuleReader } from "../read-rule.ts";
import { openPins, type Pin, type Pins } from "./pins.ts";
import { type AttributeUse, type Source, sourcesOf } from "./sources.ts";
import { type ChangedLine, type TurnedText, turnText } from "./turn-text.ts";

/** What meant `from` means `to` now. */
export interface RenamedName {
  readonly deviceId: string;
  readonly from: string;
  readonly to: string;
}

/** The attributes of the house that have other names now. */
export interface RenamedNames {
  list(): Iterable<RenamedName>;
  of(deviceId: string, attribute: string): RenamedName | undefined;
  onAdded(name: string, listener: (one: RenamedName) => void): Disposable;
}

export interface RenamedRule {
  id: string;
  name: string;
  file: string;
  devices: (RenamedName & { deviceName: string })[];
  /** Why only a person can change it. */
  whyNot: string | undefined;
}

/** What another name of an attribute makes of a rule. */
export type PlannedRule = { id: string; name: string; file: string } & (
  | { text: string; before: string; changes: ChangedLine[] }
  | { whyNot: string }
);

export interface RenamedRulesOptions {
  /** Without it, nothing has another name. */
  renamed?: RenamedNames | undefined;
  db: Pick<StateDb, "durable" | "relaxed" | "trouble">;
  clock: Clock;
  log: Log;
  host: Pick<HouseReads, "device" | "devices" | "described">;
  files: Pick<RuleFiles, "list" | "get">;
  bound: Pick<BoundRules, "good" | "idOf">;
  reader: RuleReader;
  /** Whether the blueprint is the hub's own, which means what it says now. */
  isShipped(blueprint: string): boolean;
  /** Whether all files are loaded. */
  isStarted(): boolean;
}

/** All devices of a house announce themselves within moments. */
const LOOK_AFTER_MS = 5000;
const FRESH_MS = 30_000;
const MAX_NAMED = 3;
const NOTHING_NEW = { attributes: 0, rules: [] };

export class RenamedRules implements Disposable {
  readonly #options: RenamedRulesOptions;
  readonly #pins: Pins;
  readonly #stack = new DisposableStack();
  readonly #unlooked = new Map<string, RenamedName>();
  #due: Timer | undefined;
  #unreported: { attributes: number; rules: readonly string[] } = NOTHING_NEW;
  #waiting: { at: number; rules: readonly { id: string; name: string }[] } | undefined;

  constructor(options: RenamedRulesOptions) {
    this.#options = options;
    this.#pins = openPins(options.db);
    for (const { deviceId, attribute } of this.#pins.unlooked()) {
      const one = options.renamed?.of(deviceId, attribute);
      if (one) this.#added(one);
    }
    const listening = options.renamed?.onAdded("rules", (one) => this.#added(one));
    if (listening) this.#stack.use(listening);
    this.#stack.defer(() => this.#due?.[Symbol.dispose]());
  }

  /** Rules that mean something else than they did, until they are turned or dismissed. */
  list(): RenamedRule[] {
    this.#look();
    return [...this.#pins.rules()].flatMap((id) => {
      const entry = this.#entry(id);
      const found = entry ? this.#found(entry) : [];
      if (!entry || found.length === 0) return [];
      const turned = this.#turned(entry);
      return [{ ...nameOf(entry), devices: found, whyNot: "whyNot" in turned ? turned.whyNot : undefined }];
    });
  }

  /** The same rules, as they were half a minute ago at worst. */
  waiting(): readonly { id: string; name: string }[] {
    const { clock } = this.#options;
    if (this.#waiting && clock.mono() - this.#waiting.at < FRESH_MS) return this.#waiting.rules;
    this.#look();
    const entries = [...this.#pins.rules()].flatMap((id) => this.#entry(id) ?? []);
    const rules = entries.filter((entry) => this.#found(entry).length > 0).map(nameOf);
    this.#waiting = { at: clock.mono(), rules };
    return rules;
  }

  /** The file's text with the present names, and its ETag. Throws HubError: `not_found`, `conflict` with what to do. */
  turn(id: string): { text: string; changes: ChangedLine[]; etag: string } {
    this.#look();
    const entry = this.#options.files.get(id);
    if (this.#found(entry).length === 0)
      throw new HubError(
        "conflict",
        "the rule uses no attribute that is called otherwise now: there is nothing to turn",
      );
    const turned = this.#turned(entry);
    if ("whyNot" in turned) throw new HubError("conflict", turned.whyNot);
    return { ...turned, etag: etagOf(entry.text ?? "") };
  }

  /** The rules that speak of an attribute, or may, that several devices call the same. Throws HubError `unavailable`. */
  plan(renamed: readonly RenamedName[]): PlannedRule[] {
    if (!this.#options.isStarted())
      throw new HubError("unavailable", "the hub is starting: the rules are still being read");
    const from = renamed[0]?.from ?? "";
    const names = new Set([from]);
    const isIt = (deviceId: string, name: string) =>
      renamed.find((one) => one.deviceId === deviceId && one.from === name);
    const isNamedIn = (text: string): boolean =>
      renamed.some(({ deviceId }) => text.includes(deviceId) || text.includes(this.#nameOf(deviceId)));
    return this.#options.files.list().flatMap((entry): PlannedRule[] => {
      const { good, problems, text = "" } = entry;
      const isRead = good !== undefined && problems.length === 0;
      const uses = isRead ? this.#sources(entry, names).flatMap(({ find, text: said }) => find(said)) : [];
      if (uses.some(({ devices, name }) => devices.some((id) => isIt(id, name)))) {
        const turned = this.#turned(entry, names, isIt);
        return [{ ...nameOf(entry), ...("whyNot" in turned ? turned : { ...turned, before: text }) }];
      }
      const mayMean = text.includes(from) && (!isRead || isNamedIn(text));
      const isElsewhere = uses.length > 0 || !mayMean;
      return isElsewhere
        ? []
        : [{ ...nameOf(entry), whyNot: `"${from}" is written in it, and may mean this attribute: look at it` }];
    });
  }

  /** It is right as it is. Throws HubError `not_found`. */
  dismiss(id: string): void {
    this.#look();
    this.#pins.dismiss(this.#options.files.get(id).id);
    this.changed();
  }

  /** Why a trigger about this attribute does not fire the rule now. */
  heldBack(ruleId: string, { device_id: deviceId, attribute }: JsonObject): string | undefined {
    if (typeof deviceId !== "string" || typeof attribute !== "string") return undefined;
    if (this.#unlooked.has(keyOf(deviceId, attribute))) this.#look();
    const one = this.#pending({ ruleId, deviceId, attribute });
    return one && `what "${attribute}" of ${this.#nameOf(deviceId)} meant is "${one.to}" now: ${DECIDE}`;
  }

  /** Rules were loaded, or changed. */
  changed(): void {
    this.#waiting = undefined;
  }

  /** To be called when all rules are loaded. */
  start(): void {
    if (this.#unlooked.size > 0) this.#lookSoon();
  }

  [Symbol.dispose](): void {
    this.#stack[Symbol.dispose]();
  }

  #added(one: RenamedName): void {
    this.#unlooked.set(keyOf(one.deviceId, one.from), one);
    this.changed();
    this.#lookSoon();
  }

  #lookSoon(): void {
    this.#due?.[Symbol.dispose]();
    this.#due = this.#options.clock.after("rules: renamed attributes", LOOK_AFTER_MS, () => {
      this.#look();
      this.#report();
    });
  }

  /** Once for each attribute: rules that are written later mean what it means then. */
  #look(): void {
    const { files, db, isStarted } = this.#options;
    if (this.#unlooked.size === 0 || !isStarted()) return;
    const looked = [...this.#unlooked.values()];
    const pins = files.list().flatMap((entry) => this.#pinsOf(entry, looked));
    this.#unlooked.clear();
    this.#unreported = {
      attributes: this.#unreported.attributes + looked.length,
      rules: [...new Set([...this.#unreported.rules, ...pins.map(({ ruleId }) => ruleId)])],
    };
    this.changed();
    try {
      this.#pins.add(pins, looked);
    } catch (error) {
      db.trouble.note(error);
      this.#options.log.error("which rules use renamed attributes cannot be written", { error: messageOf(error) });
    }
  }

  /** One line for all that came together. */
  #report(): void {
    const { attributes, rules } = this.#unreported;
    if (attributes === 0 || this.#unlooked.size > 0) return;
    this.#unreported = NOTHING_NEW;
    const names = rules.flatMap((id) => this.#entry(id) ?? []).map((entry) => nameOf(entry).name);
    this.#options.log.info("attributes of devices have other names now", {
      attributes,
      ...{ rules: rules.length, ...(names.length > 0 && { such_as: names.slice(0, MAX_NAMED).join(", ") }) },
    });
  }

  #pinsOf(entry: ListedFile, looked: readonly RenamedName[]): Pin[] {
    const { id, good, text = "", problems } = entry;
    const pinOf = ({ deviceId, from }: RenamedName): Pin => ({ ruleId: id, deviceId, attribute: from });
    // What it will say once it is mended is not known.
    if (!good || problems.length > 0) return looked.filter(({ from }) => text.includes(from)).map(pinOf);
    const wanted = new Map(looked.map((one) => [keyOf(one.deviceId, one.from), one]));
    const uses = this.#sources(entry, new Set(looked.map(({ from }) => from))).flatMap(({ find, text }) => find(text));
    const found = uses.flatMap(({ devices, name }) =>
      devices.flatMap((device) => wanted.get(keyOf(device, name)) ?? []),
    );
    return [...new Set(found)].map(pinOf);
  }

  #sources({ good }: ListedFile, names: ReadonlySet<string>): Source[] {
    const { host, bound, isShipped } = this.#options;
    if (!good) return [];
    const asItRuns = bound.good(good);
    const said = JSON.stringify(asItRuns.rule);
    if (![...names].some((name) => said.includes(name))) return [];
    const idOf = (name: string): string | undefined => (good.byName ? bound.idOf(name) : name);
    const sources = sourcesOf(asItRuns.rule, { host, idOf, names });
    const { made } = good;
    if (!made || !isShipped(made.use)) return sources;
    return sources.filter(({ path }) => writtenPath(made.origins, path) !== undefined);
  }

  #names(): ReadonlySet<string> {
    return new Set([...(this.#options.renamed?.list() ?? [])].map(({ from }) => from));
  }

  #found(entry: ListedFile): RenamedRule["devices"] {
    const found = new Map<string, RenamedRule["devices"][number]>();
    for (const { find, text } of this.#sources(entry, this.#names())) {
      for (const { devices, name } of find(text)) {
        for (const deviceId of devices) {
          const one = this.#pending({ ruleId: entry.id, deviceId, attribute: name });
          if (!one) continue;
          const { from, to } = one;
          found.set(keyOf(deviceId, name), { deviceId, deviceName: this.#nameOf(deviceId), from, to });
        }
      }
    }
    return [...found.values()];
  }

  #turned(
    entry: ListedFile,
    names = this.#names(),
    renamedAs: RenamedAs = (deviceId, attribute) => this.#pending({ ruleId: entry.id, deviceId, attribute }),
  ): TurnedText {
    const { reader } = this.#options;
    const { text, good, problems, file, id } = entry;
    if (text === undefined || !good || problems.length > 0)
      return { whyNot: `${file} has problems: mend its text first, then it can be turned` };
    const decide = (use: AttributeUse) => this.#decide(use, renamedAs);
    const turned = turnText(this.#sources(entry, names), {
      ...{ text, file, shape: reader.shape, made: good.made, decide },
    });
    if ("whyNot" in turned) return turned;
    const [problem] = reader.read(turned.text, { file, id }).problems;
    return problem ? { whyNot: `it would have a problem then: ${problem.message}; change it by hand` } : turned;
  }

  #decide({ devices, name }: AttributeUse, renamedAs: RenamedAs): { to: string } | { whyNot: string } | undefined {
    const { host } = this.#options;
    const pending = devices.map((deviceId) => renamedAs(deviceId, name));
    const present = new Set(pending.flatMap((one) => one?.to ?? []));
    const [to] = present;
    if (to === undefined) return undefined;
    if (present.size > 1)
      return { whyNot: `"${name}" is called ${[...present].join(" or ")} now, by device: ${SPLIT}` };
    const others = devices.filter((device, index) => !pending[index] && has(host, device, name));
    if (others.length === 0) return { to };
    const named = others
      .slice(0, MAX_NAMED)
      .map((device) => this.#nameOf(device))
      .join(", ");
    const more = others.length > MAX_NAMED ? `, and ${others.length - MAX_NAMED} more` : "";
    return {
      whyNot: `"${name}" still means the same of ${named}${more}, and "${to}" is right for the others only: ${SPLIT}`,
    };
  }

  #pending(pin: Pin): RenamedName | undefined {
    return this.#pins.has(pin) ? this.#options.renamed?.of(pin.deviceId, pin.attribute) : undefined;
  }

  #nameOf(deviceId: string): string {
    return this.#options.host.device(deviceId)?.name ?? deviceId;
  }

  #entry(id: string): ListedFile | undefined {
    try {
      return this.#options.files.get(id);
    } catch {
      // The rule is gone.
      return undefined;
    }
  }
}

type RenamedAs = (deviceId: string, attribute: string) => RenamedName | undefined;

const DECIDE = "turn the rule on the page or with `hub rules turn`, or say there that it is right as it is";
const SPLIT = "make two of it by hand, one for each name, or say that it is right as it is";

const keyOf = (deviceId: string, attribute: string): string => `${deviceId}\n${attribute}`;

function nameOf({ id, good, file }: ListedFile): { id: string; name: string; file: string } {
  return { id, name: good?.rule.name ?? file, file };
}

function has(host: RenamedRulesOptions["host"], deviceId: string, attribute: string): boolean {
  const device = host.device(deviceId);
  if (!device) return false;
  return Object.hasOwn(device.attributes, attribute) || Object.hasOwn(host.described?.(deviceId) ?? {}, attribute);
}
