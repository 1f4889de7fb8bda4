// Confines what is wrong in hub.toml: it is cut out and listed as a fault, and the rest is the configuration. What is
// cut out for a problem is an entry of a list, a key, or a whole section where its key alone would do harm. Who may do
// what is never guessed: nothing is cut out of [server] and [auth], nor of [mqtt] but single accounts.
import type { TSchema } from "@sinclair/typebox";
import { isObject, type JsonObject } from "../../kit/schema/json.ts";
import { checkValue, type Problem } from "../../kit/schema/schema.ts";
import { withTomlAdvice } from "../../kit/schema/toml-advice.ts";
import { confinedProblems, crossProblems, type Fault, HubConfig, sectionsWith } from "./sections.ts";

export interface Confined {
  /** There when what remains is right. */
  config?: HubConfig;
  /** All that was found, what was cut out marked as `confined`. Paths are those of the whole table. */
  problems: Problem[];
}

interface Found {
  problem: Problem;
  /** Undefined for warnings, and for what the hub cannot do without. */
  cut: Cut | undefined;
}

// Each round cuts something out.
const MAX_ROUNDS = 100;

/** Changes the table. `known`: problems that were found in it before. */
export function confine(
  table: JsonObject,
  known: readonly Problem[] = [],
  beside: { readonly otherMqttAccounts?: boolean } = {},
): Confined {
  const channels = confinedProblems(table).map((problem) => withTomlAdvice(problem));
  const entries = createEntries(table);
  const settled: Problem[] = entries.cutExcess();
  let before = known;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const checked = checkValue(HubConfig, table);
    const now = checked.ok
      ? between(checked.value, () => beside.otherMqttAccounts || entries.haveLost("mqtt.users"))
      : checked.problems.map(withMend);
    const found = [...before, ...now].map(
      (problem): Found => ({ problem, cut: problem.warning ? undefined : cutFor(problem.path) }),
    );
    before = before.filter(({ warning }) => warning);
    const cuts = found.flatMap(({ cut }) => cut ?? []);
    const fatal = found.some(({ problem, cut }) => !cut && !problem.warning);
    // Warnings are there in each round: those of the last one count.
    if (!fatal && cuts.length > 0) {
      settled.push(...found.flatMap(({ problem, cut }) => (cut ? entries.fault(problem, cut) : [])));
      if (entries.cut(cuts)) continue;
    }
    const problems = [
      ...settled,
      ...found.map(({ problem, cut }) => (cut ? entries.fault(problem, cut) : entries.inFile(problem))),
    ];
    if (fatal || cuts.length > 0 || !checked.ok) return { problems: [...problems, ...channels] };
    return { config: withFaults(checked.value, [...settled, ...channels]), problems: [...problems, ...channels] };
  }
  const message = "has too many problems to leave each of them out; mend those below";
  return { problems: [{ path: "", message }, ...settled, ...channels] };
}

/** `haveUsers`: where accounts are elsewhere or were cut out, it is no mistake that [mqtt] has none for other machines. */
function between(config: HubConfig, haveUsers: () => boolean): Problem[] {
  return crossProblems(config).filter(({ path }) => path !== "mqtt.host" || !haveUsers());
}

/** Says what to write; for a key before any heading, or under the wrong one, where it belongs. */
function withMend(problem: Problem): Problem {
  const unknown = /^unknown key "([^"]+)"(?! –)/.exec(problem.message)?.[1] ?? "";
  const isInSection = /^[^.[\]]+(?:\.[^.[\]]+)?$/.test(problem.path);
  const sections = isInSection ? sectionsWith(unknown).map((name) => `[${name}]`) : [];
  if (sections.length === 0) return withTomlAdvice(problem);
  return { ...problem, message: `unknown key "${unknown}" here: it belongs under ${sections.join(" or ")}` };
}

function withFaults(config: HubConfig, problems: readonly Problem[]): HubConfig {
  const faults = problems.filter((problem): problem is Fault => problem.confined === true);
  return faults.length > 0 ? { ...config, faults } : config;
}

/** The entries of the lists, with the place of each in the file. */
interface Entries {
  fault(problem: Problem, cut: Cut): Fault;
  inFile(problem: Problem): Problem;
  haveLost(list: string): boolean;
  /** Returns whether there was anything to cut. */
  cut(cuts: readonly Cut[]): boolean;
  /** Cuts what is behind the last entry that a list may have; returns a fault for each list. */
  cutExcess(): Fault[];
}

function createEntries(table: JsonObject): Entries {
  /** Where the entries that are left stood; of lists that have lost some. */
  const origins = new Map<unknown[], number[]>();
  const shortened = new Set<string>();

  function inFile(problem: Problem): Problem {
    let at: unknown = table;
    const path = problem.path.replace(/\[(\d+)\]|[^.[\]]+/g, (part, digits: string | undefined) => {
      const inside = at;
      at = digits === undefined ? (isObject(inside) ? inside[part] : undefined) : listed(inside)[Number(digits)];
      return digits === undefined ? part : `[${origins.get(listed(inside))?.[Number(digits)] ?? digits}]`;
    });
    return { ...problem, path };
  }

  function fault(problem: Problem, cut: Cut): Fault {
    const { path, message } = inFile(problem);
    const name = nameAt(table, problem.path);
    const whole = `${message}; until this is mended, ${cut.meanwhile}`;
    return { path, message: whole, confined: true, ...(name !== undefined && { name }) };
  }

  function cutEntries(cuts: readonly EntryCut[]): boolean {
    const gone = Map.groupBy(cuts, ({ list }) => listAt(table, list));
    for (const [entries, ofList] of gone) {
      const left = origins.get(entries) ?? [...entries.keys()];
      origins.set(entries, left);
      const indexes = new Set(ofList.map(({ index }) => index).filter((index) => index < entries.length));
      for (const index of [...indexes].sort((a, b) => b - a)) {
        entries.splice(index, 1);
        left.splice(index, 1);
      }
      if (indexes.size === 0) gone.delete(entries);
      for (const { list } of ofList) shortened.add(list);
    }
    return gone.size > 0;
  }

  return {
    inFile,
    fault,
    haveLost: (list) => shortened.has(list),
    cut(cuts) {
      let any = cutEntries(cuts.filter((cut): cut is EntryCut => "list" in cut));
      for (const cut of cuts) if ("apply" in cut) any = cut.apply(table) || any;
      return any;
    },
    cutExcess() {
      return excessIn(HubConfig, table).flatMap(({ list, max, count }) => {
        const path = `${list}[${max}]`;
        const first = cutFor(path);
        if (!first || !("list" in first)) return [];
        const names = listAt(table, list).slice(max).map(nameOf);
        // It may be in an entry that is too many itself.
        if (names.length === 0) return [];
        const found = fault({ path, message: excessMessage({ max, count, names }) }, first);
        const surplus = Array.from({ length: count - max }, (_, index) => ({ ...first, index: max + index }));
        cutEntries(surplus);
        return [found];
      });
    },
  };
}

function nameOf(entry: unknown): string | undefined {
  if (!isObject(entry)) return undefined;
  const name = [entry.id, entry.username, entry.name].find((text) => typeof text === "string" && text !== "");
  return name as string | undefined;
}

/** Of the entry of a list that the path leads into. */
function nameAt(table: JsonObject, path: string): string | undefined {
  const [, list, index] = ENTRY.exec(path) ?? [];
  return list === undefined ? undefined : nameOf(listAt(table, list)[Number(index)]);
}

type Cut = EntryCut | KeyCut;

interface EntryCut {
  /** Its path in what is left of the table. */
  readonly list: string;
  readonly index: number;
  /** What that means until the file is mended, for the message. */
  readonly meanwhile: string;
}

interface KeyCut {
  readonly meanwhile: string;
  /** Returns whether there was anything to remove. */
  apply(table: JsonObject): boolean;
}

const ENTRY = /^(plugins|mqtt\.users|calendars|people|history\.export|backup\.targets)\[(\d+)\]/;

/**
 * Lists whose single elements can be done without. Not those that hold something off, such as what is not recorded: what is wrong there
 * may have been meant to hold off more.
 */
const ELEMENT =
  /^(people\[\d+\]\.(?:channels|groups|modes|quiet_hours)|notify\.picture_hosts|history\.include)\[(\d+)\]/;

/** Undefined where the hub cannot do without what is wrong. */
function cutFor(path: string): Cut | undefined {
  const [, elements, place] = ELEMENT.exec(path) ?? [];
  if (elements !== undefined) return { list: elements, index: Number(place), meanwhile: "it is left out" };
  const [, list, index] = ENTRY.exec(path) ?? [];
  if (list === "plugins") return { list, index: Number(index), meanwhile: "the plugin is not started" };
  if (list === "mqtt.users") return { list, index: Number(index), meanwhile: "the account is left out" };
  if (list === "calendars") return { list, index: Number(index), meanwhile: "the calendar is not read" };
  if (list === "people") return { list, index: Number(index), meanwhile: "the person is told nothing" };
  if (list === "history.export") return { list, index: Number(index), meanwhile: "nothing is exported there" };
  if (path === "history.export") return cut("nothing is exported", ({ history }) => remove(history, "export"));
  if (list === "backup.targets") return { list, index: Number(index), meanwhile: "nothing is copied there" };
  if (path === "mqtt.users") return cut("no account of it may log in", ({ mqtt }) => remove(mqtt, "users"));
  const [section = "", key = ""] = path.split(/[.[]/);
  switch (section) {
    case "plugins":
      return cut("no plugin is started", (table) => replace(table, section, []));
    case "calendars":
      return cut("no calendar is read", (table) => replace(table, section, []));
    case "people":
      return cut("no person is told anything", (table) => replace(table, section, []));
    case "backup":
      if (key === "notify_channel") return cut("nobody is notified", ({ backup }) => remove(backup, key));
      if (key === "targets") return cut("nothing is copied elsewhere", ({ backup }) => remove(backup, key));
      // Backups that are not encrypted, or that push older ones out too early, are worse than none.
      return cut("no backups are made by themselves", (table) => replace(table, section, {}));
    case "history":
      // With a default, samples would be removed that somebody wants to keep.
      return cut("nothing is recorded", (table) => replace(table, section, { enabled: false }));
    case "discovery":
      // Nothing is taken in that somebody may not have wanted.
      return cut("a new device waits until you accept it", (table) => replace(table, section, { approve: "ask" }));
    case "location":
      if (key === "latitude" || key === "longitude") return cut("nothing follows the sun", removePlace);
      return cut("it is left out", (table) => remove(table.location, key) || replace(table, section, {}));
    case "notify":
    case "events":
    case "storage":
    case "battery":
    case "log":
      return cut("it is left out", (table) => remove(table[section], key) || replace(table, section, {}));
    default:
      return undefined;
  }
}

/** The list itself; empty where it is none. */
function listAt(table: JsonObject, path: string): unknown[] {
  const parts = path.match(/[^.[\]]+/g) ?? [];
  return listed(
    parts.reduce<unknown>((inside, part) => (isObject(inside) ? inside[part] : listed(inside)[Number(part)]), table),
  );
}

const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function cut(meanwhile: string, apply: KeyCut["apply"]): KeyCut {
  return { meanwhile, apply };
}

function remove(from: unknown, key: string): boolean {
  return isObject(from) && Object.hasOwn(from, key) && delete from[key];
}

function removePlace({ location }: JsonObject): boolean {
  return [remove(location, "latitude"), remove(location, "longitude")].includes(true);
}

function replace(table: JsonObject, section: string, by: JsonObject | []): boolean {
  if (Bun.deepEquals(table[section], by)) return false;
  table[section] = by;
  return true;
}

interface Excess {
  /** `people[2].channels` */
  list: string;
  max: number;
  count: number;
}

const MAX_NAMED = 5;

function excessIn(schema: TSchema, value: unknown, path = ""): Excess[] {
  if (Array.isArray(value)) {
    const alternatives: TSchema[] = schema.anyOf ?? [schema];
    const list = alternatives.find(({ type }) => type === "array");
    if (!list) return [];
    const own = list.maxItems < value.length ? [{ list: path, max: Number(list.maxItems), count: value.length }] : [];
    return [...own, ...value.flatMap((item, index) => excessIn(list.items, item, `${path}[${index}]`))];
  }
  if (!isObject(value) || schema.properties === undefined) return [];
  return Object.entries(schema.properties as Record<string, TSchema>).flatMap(([key, inner]) =>
    excessIn(inner, value[key], path === "" ? key : `${path}.${key}`),
  );
}

/** `names`: of those that are too many, where they have some. */
function excessMessage({ max, count, names }: Pick<Excess, "max" | "count"> & { names: (string | undefined)[] }) {
  const known = names.flatMap((name) => (name === undefined ? [] : [`"${name}"`]));
  const shown = known.slice(0, MAX_NAMED).join(", ");
  const which = shown === "" ? "" : `: ${shown}${known.length > MAX_NAMED ? " …" : ""}`;
  return `there are ${count} entries, and at most ${max} count; the last ${count - max} ${count - max === 1 ? "is" : "are"} left out${which}`;
}
