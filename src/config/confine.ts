// Keeps what is wrong in hub.toml to where it stands: it is cut out and listed as a fault, and the rest is the configuration.
import { isObject, type JsonObject } from "../core/json.ts";
import { checkValue, type Problem } from "../core/schema.ts";
import { type Cut, cutFor, type EntryCut, listAt } from "./cuts.ts";
import { confinedProblems, crossProblems, type Fault, HubConfig } from "./sections.ts";

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

// Each round cuts something out; what needs more of them is beyond mending piece by piece.
const MOST_ROUNDS = 100;

/** Cuts out of the table itself. `known`: problems that were found in it before. */
export function confine(table: JsonObject, known: readonly Problem[] = []): Confined {
  const channels = confinedProblems(table);
  const entries = createEntries(table);
  const told: Problem[] = [];
  let before = known;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const checked = checkValue(HubConfig, table);
    const now = checked.ok ? between(checked.value, entries) : checked.problems;
    const found = [...before, ...now].map(
      (problem): Found => ({ problem, cut: problem.warning ? undefined : cutFor(problem.path) }),
    );
    before = [];
    const cuts = found.flatMap(({ cut }) => cut ?? []);
    const fatal = found.some(({ problem, cut }) => !cut && !problem.warning);
    // Warnings are found again in each round: those of the last one count.
    if (!fatal && cuts.length > 0) {
      told.push(...found.flatMap(({ problem, cut }) => (cut ? entries.fault(problem, cut) : [])));
      if (entries.cut(cuts)) continue;
    }
    const problems = [
      ...told,
      ...found.map(({ problem, cut }) => (cut ? entries.fault(problem, cut) : entries.inFile(problem))),
    ];
    if (fatal || cuts.length > 0 || !checked.ok) return { problems: [...problems, ...channels] };
    return { config: withFaults(checked.value, [...told, ...channels]), problems: [...problems, ...channels] };
  }
  return { problems: [{ path: "", message: "has too many problems to go on without them" }, ...told, ...channels] };
}

function between(config: HubConfig, { haveLost }: Entries): Problem[] {
  // Where accounts were cut out, that nobody can log in from elsewhere is no mistake in [mqtt].
  return crossProblems(config).filter(({ path }) => path !== "mqtt.host" || !haveLost("mqtt.users"));
}

function withFaults(config: HubConfig, problems: readonly Problem[]): HubConfig {
  const faults = problems.filter((problem): problem is Fault => problem.confined === true);
  return faults.length > 0 ? { ...config, faults } : config;
}

/** The entries of the lists, and where each stood in the file. */
interface Entries {
  fault(problem: Problem, cut: Cut): Fault;
  inFile(problem: Problem): Problem;
  haveLost(list: EntryCut["list"]): boolean;
  /** Answers whether there was anything to cut. */
  cut(cuts: readonly Cut[]): boolean;
}

function createEntries(table: JsonObject): Entries {
  const lists = ["plugins", "mqtt.users"] as const;
  const origins = Object.fromEntries(lists.map((list) => [list, [...listAt(table, list).keys()]])) as Record<
    EntryCut["list"],
    number[]
  >;
  const total = { plugins: origins.plugins.length, "mqtt.users": origins["mqtt.users"].length };

  function inFile(problem: Problem): Problem {
    const cut = cutFor(problem.path);
    if (!cut || !("list" in cut)) return problem;
    const { list, index } = cut;
    const path = problem.path.replace(`${list}[${index}]`, `${list}[${origins[list][index] ?? index}]`);
    return { ...problem, path };
  }

  return {
    inFile,
    fault(problem, cut) {
      const { path, message } = inFile(problem);
      const name = "list" in cut ? nameOf(listAt(table, cut.list)[cut.index]) : undefined;
      const whole = `${message}; until this is mended, ${cut.meanwhile}`;
      return { path, message: whole, confined: true, ...(name !== undefined && { name }) };
    },
    haveLost: (list) => listAt(table, list).length < total[list],
    cut(cuts) {
      let any = false;
      for (const list of lists) {
        const gone = new Set(cuts.flatMap((cut) => ("list" in cut && cut.list === list ? [cut.index] : [])));
        for (const index of [...gone].sort((a, b) => b - a)) {
          any = listAt(table, list).splice(index, 1).length > 0 || any;
          origins[list].splice(index, 1);
        }
      }
      for (const cut of cuts) if ("apply" in cut) any = cut.apply(table) || any;
      return any;
    },
  };
}

function nameOf(entry: unknown): string | undefined {
  if (!isObject(entry)) return undefined;
  const name = [entry.id, entry.username].find((text) => typeof text === "string" && text !== "");
  return name as string | undefined;
}
