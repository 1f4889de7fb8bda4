// Reads modes.toml and reports all problems at once, each with its line. A mode with a problem does not affect the others.
import { type Static, Type } from "@sinclair/typebox";
import { didYouMean } from "../../../kit/schema/did-you-mean.ts";
import { messageOf, systemCode } from "../../../kit/schema/errors.ts";
import { ID_RULE, isValidId } from "../../../kit/schema/ids.ts";
import { isObject } from "../../../kit/schema/json.ts";
import { checkValue, type Problem } from "../../../kit/schema/schema.ts";
import { type LineProblem, readToml, readTomlFile, type TomlFile } from "../../../kit/schema/toml.ts";
import { withTomlAdvice } from "../../../kit/schema/toml-advice.ts";
import { SOLAR_EVENTS, type SolarEvent, type SolarMoment } from "../../../kit/time/sun.ts";

export type ModeDefinition = ManualMode | SolarMode;

export interface ManualMode {
  readonly kind: "manual";
  readonly id: string;
  readonly name: string;
}

export interface SolarMode {
  readonly kind: "solar";
  readonly id: string;
  readonly name: string;
  readonly on: SolarMoment;
  readonly off: SolarMoment;
}

export interface ModesProblem extends LineProblem {
  file: string;
}

export interface ReadModes {
  /** The valid ones; absent if the file as a whole cannot be read. */
  modes?: ModeDefinition[];
  /** Ids of modes with problems; `unknown` if the id of one of them cannot be read. */
  broken: ReadonlySet<string> | "unknown";
  problems: LineProblem[];
}

const closed = { additionalProperties: false } as const;
const Offset = Type.Optional(Type.Integer({ minimum: -720, maximum: 720 }));
const File = Type.Object(
  { modes: Type.Optional(Type.Array(Type.Unknown(), { expected: "a list of tables" })) },
  closed,
);
const Entry = Type.Object(
  {
    id: Type.String(),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    kind: Type.Union([Type.Literal("manual"), Type.Literal("solar")]),
    on_event: Type.Optional(Type.String()),
    off_event: Type.Optional(Type.String()),
    on_offset_minutes: Offset,
    off_offset_minutes: Offset,
  },
  closed,
);
type Entry = Static<typeof Entry>;
const SOLAR_KEYS = ["on_event", "off_event", "on_offset_minutes", "off_offset_minutes"] as const;

/** The modes of a text. Unless `located`, the house has no location and solar modes cannot follow the sun: a warning. */
export function readModes(given: Uint8Array | string, where: { located: boolean }): ReadModes {
  return modesOf(readToml(given), where);
}

function modesOf(read: TomlFile, { located }: { located: boolean }): ReadModes {
  if (!read.ok) return { broken: "unknown", problems: [read.problem] };
  const { modes: list } = read.table;
  const whole = checkValue(File, read.table);
  const entries: readonly unknown[] = Array.isArray(list) ? list : [];
  const checked = entries.map((_, index) => checkOne(entries, index, { located, known: read.problems }));
  const problems = [
    ...(whole.ok ? [] : whole.problems),
    ...read.problems,
    ...checked.flatMap(({ problems }) => problems),
  ].map((problem) => ({ ...withTomlAdvice(problem), line: read.locate(problem.path) }));
  const modes = checked.flatMap(({ mode }) => mode ?? []);
  const right = new Set(modes.map(({ id }) => id));
  const wrong = entries.filter((_, index) => !checked[index]?.mode).map(idOf);
  // An unknown key may be a misspelt `modes`, with any ids in it.
  const unknown = !whole.ok || wrong.includes(undefined);
  const broken = new Set(wrong.filter((id): id is string => id !== undefined && !right.has(id)));
  return { modes, broken: unknown ? "unknown" : broken, problems };
}

/** In a house without modes.toml: rules that come from homeCore count on these two. */
export const BUILT_IN_MODES: readonly SolarMode[] = [
  { kind: "solar", id: "mode_night", name: "Night", on: moment("sunset"), off: moment("sunrise") },
  { kind: "solar", id: "mode_day", name: "Day", on: moment("sunrise"), off: moment("sunset") },
];

function moment(event: SolarEvent): SolarMoment {
  return { event, offsetMinutes: 0 };
}

/** As `readModes`, of a file; without one there are those of the built-in modes that are needed. */
export function readModesFile(
  file: string,
  where: { located: boolean; needed?: ReadonlySet<string> },
): Omit<ReadModes, "problems"> & { problems: ModesProblem[] } {
  try {
    const { problems, ...rest } = modesOf(readTomlFile(file), where);
    return { ...rest, problems: problems.map((problem) => ({ file, ...problem })) };
  } catch (error) {
    if (systemCode(error) === "ENOENT")
      return {
        modes: BUILT_IN_MODES.filter(({ id }) => where.needed?.has(id)),
        broken: new Set(),
        problems: [],
      };
    return { broken: "unknown", problems: [{ file, path: "", message: `cannot be read: ${messageOf(error)}` }] };
  }
}

interface Context {
  located: boolean;
  /** Problems of the table as a whole. */
  known: readonly Problem[];
}

/** Checks one entry; `mode` is absent if it has a problem that is not just a warning. */
function checkOne(entries: readonly unknown[], index: number, { located, known }: Context) {
  const path = `modes[${index}]`;
  const { mode, problems } = checkEntry(entries[index], path, located);
  problems.push(...repeatedId(entries, index));
  const isRight = [...problems, ...known.filter((one) => one.path.startsWith(path))].every(({ warning }) => warning);
  return { mode: isRight ? mode : undefined, problems };
}

function idOf(entry: unknown): string | undefined {
  return isObject(entry) && typeof entry.id === "string" ? entry.id : undefined;
}

function checkEntry(entry: unknown, path: string, located: boolean): { mode?: ModeDefinition; problems: Problem[] } {
  const checked = checkValue(Entry, entry, path);
  if (!checked.ok) return { problems: checked.problems };
  const { id, name = id, kind } = checked.value;
  const problems = isValidId(id) ? [] : [{ path: `${path}.id`, message: ID_RULE }];
  if (kind === "manual")
    return { mode: { id, name, kind }, problems: [...problems, ...manualProblems(checked.value, path)] };
  const solar = solarMoments(checked.value, path);
  problems.push(...solar.problems);
  if (!located) problems.push(withoutLocation(path));
  return solar.moments ? { mode: { id, name, kind, ...solar.moments }, problems } : { problems };
}

function manualProblems(entry: Entry, path: string): Problem[] {
  return SOLAR_KEYS.filter((key) => entry[key] !== undefined).map((key) => ({
    path: `${path}.${key}`,
    message: 'has no meaning for a manual mode; take it out, or set kind = "solar"',
  }));
}

function solarMoments(entry: Entry, path: string): { moments?: Pick<SolarMode, "on" | "off">; problems: Problem[] } {
  const problems = (["on_event", "off_event"] as const).flatMap((key) => eventProblems(entry[key], `${path}.${key}`));
  if (problems.length > 0) return { problems };
  const [onEvent, offEvent] = [solarEvent(entry.on_event), solarEvent(entry.off_event)];
  if (!onEvent || !offEvent) return { problems };
  const on = { event: onEvent, offsetMinutes: entry.on_offset_minutes ?? 0 };
  const off = { event: offEvent, offsetMinutes: entry.off_offset_minutes ?? 0 };
  if (on.event !== off.event || on.offsetMinutes !== off.offsetMinutes) return { moments: { on, off }, problems };
  const message = "the mode would turn on and off in the same moment; choose another event or offset";
  return { problems: [{ path: `${path}.off_event`, message }] };
}

/** `CivilDusk`, as homeCore writes it, is `civil_dusk`. */
function solarEvent(word = ""): SolarEvent | undefined {
  const plain = word.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();
  return SOLAR_EVENTS.find((event) => event === plain);
}

function eventProblems(event: string | undefined, path: string): Problem[] {
  if (solarEvent(event) !== undefined) return [];
  const choice = `must be one of ${SOLAR_EVENTS.join(", ")}`;
  return [
    { path, message: event === undefined ? `missing: ${choice}` : `${choice}${didYouMean(event, SOLAR_EVENTS)}` },
  ];
}

function withoutLocation(path: string): Problem {
  return {
    path: `${path}.kind`,
    message: "a solar mode needs latitude and longitude under [location] in hub.toml; until then it is not available",
    warning: true,
  };
}

/** The first entry keeps the id. */
function repeatedId(entries: readonly unknown[], index: number): Problem[] {
  const id = idOf(entries[index]);
  if (id === undefined || entries.findIndex((entry) => idOf(entry) === id) === index) return [];
  return [{ path: `modes[${index}].id`, message: `"${id}" is the id of another mode above; each needs its own` }];
}
