// Checks a plugin's program before the hub keeps it: text that parses, and that finds what it imports with nothing but one file.
import { isBuiltin } from "node:module";
import { decodeText } from "../core/decode-text.ts";
import { HubError } from "../core/errors.ts";

export type Language = "js" | "ts";

/** Where the hub lays out its library, as a program in `plugins/ID/bin` sees it. */
const SDK = "../../sdk/hub-sdk.js";
const MOST_PROBLEMS = 10;
const NAMES: Readonly<Record<Language, string>> = { js: "JavaScript", ts: "TypeScript" };

interface Place {
  line: number;
  column: number;
}
interface Complaint {
  message: string;
  position: Place | null;
}

/** Throws HubError `invalid` with the places of what is wrong. */
export async function checkScript(source: Uint8Array, language: Language): Promise<void> {
  const decoded = decodeText(source);
  if (!decoded.ok) throw refusal([decoded.problem], language);
  if (decoded.text.trim() === "") throw new HubError("invalid", "the file is empty");
  if (decoded.text.includes("\0"))
    throw new HubError("invalid", `this is a file of another kind, not ${NAMES[language]}`);
  const transpiler = new Bun.Transpiler({ loader: language, target: "bun" });
  try {
    // Not on this thread, as the file may be large; after it, nothing that `scanImports` reads can be wrong.
    await transpiler.transform(decoded.text);
  } catch (error) {
    throw refusal(complaintsIn(error), language);
  }
  const lost = transpiler
    .scanImports(decoded.text)
    .filter(({ kind, path }) => kind === "import-statement" && !isThere(path));
  if (lost.length === 0) return;
  const names = [...new Set(lost.map(({ path }) => path))].slice(0, MOST_PROBLEMS).map((path) => `"${path}"`);
  throw new HubError(
    "invalid",
    `it imports ${names.join(", ")}, which is not there: make one file of it with \`bun build --target=bun\`; "${SDK}" and what Bun brings may be imported`,
  );
}

function isThere(path: string): boolean {
  return path === SDK || path === "bun" || path.startsWith("bun:") || isBuiltin(path);
}

function complaintsIn(error: unknown): (Place & { message: string })[] {
  const all: unknown[] = error instanceof AggregateError ? error.errors : [error];
  return all.slice(0, MOST_PROBLEMS).map((one) => {
    const { message, position } = one as Complaint;
    return { message, line: position?.line ?? 1, column: position?.column ?? 1 };
  });
}

function refusal(problems: readonly (Place & { message: string })[], language: Language): HubError {
  const told = problems.map(({ line, column, message }) => ({ path: `${line}:${column}`, message, line, column }));
  const [first] = problems;
  const where = first ? `line ${first.line}, column ${first.column}: ${first.message}` : "it cannot be read";
  return new HubError("invalid", `this is not ${NAMES[language]}: ${where}`, { details: { problems: told } });
}
