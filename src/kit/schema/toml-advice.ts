// What to write in TOML where a table or a list has the wrong form: the headings of its tables, and brackets.
import { isObject } from "./json.ts";
import type { Problem } from "./schema.ts";

/** The problem with its mend; `table`, where it is given, is the value of the whole file. */
export function withTomlAdvice<P extends Problem>(problem: P, table?: unknown): P {
  const advice = adviceOn(problem, table);
  return advice === undefined ? problem : { ...problem, message: `${problem.message}: ${advice}` };
}

function adviceOn({ path, message }: Problem, table: unknown): string | undefined {
  const heading = path.replaceAll(/\[\d+\]/g, "");
  if (heading === "") return undefined;
  if (message === "must be a table of keys and values")
    return path.endsWith("]") ? `write [[${heading}]], and its keys below` : `write [${heading}], and its keys below`;
  if (message === "must be a list of tables") return `write [[${heading}]]`;
  // Whoever writes `[actions]` has one entry of a list in mind.
  if (message === "must be a list" && isObject(valueAt(table, path))) return `write [[${heading}]]`;
  if (message === "must be a list") return `write ${heading.replace(/^.*\./, "")} = [ … ]`;
  return /^must be one \w+, not a list$/.test(message) ? `write [${heading}]` : undefined;
}

function valueAt(table: unknown, path: string): unknown {
  let value = table;
  for (const [key] of path.matchAll(/[^.[\]]+/g)) {
    if (Array.isArray(value)) value = value[Number(key)];
    else if (isObject(value) && Object.hasOwn(value, key)) value = value[key];
    else return undefined;
  }
  return value;
}
