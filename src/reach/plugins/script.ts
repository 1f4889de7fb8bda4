// Checks a plugin's program before the hub keeps it: text that parses, and that finds what it imports with nothing but one file.
import { isBuiltin } from "node:module";
import { decodeText } from "../../kit/schema/decode-text.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { isObject, type Json, parseJson } from "../../kit/schema/json.ts";

export type Language = "js" | "ts";

/** Where the hub lays out its library, as a program in `plugins/ID/bin` sees it. */
const SDK = "../../sdk/hub-sdk.js";
const MAX_PROBLEMS = 10;
const WITHIN_MS = 60_000;
const NAMES: Readonly<Record<Language, string>> = { js: "JavaScript", ts: "TypeScript" };

interface Fault {
  message: string;
  line: number;
  column: number;
}

/** Throws HubError `invalid` with the places of what is wrong. `execPath`: the hub's own executable. */
export async function checkScript(source: Uint8Array, language: Language, execPath: string): Promise<void> {
  const decoded = decodeText(source);
  if (!decoded.ok) throw refusal([decoded.problem], language);
  if (decoded.text.trim() === "") throw new HubError("invalid", "the file is empty");
  if (decoded.text.includes("\0"))
    throw new HubError("invalid", `this is a file of another kind, not ${NAMES[language]}`);
  const { faults, imports } = await parse(source, language, execPath);
  if (faults.length > 0) throw refusal(faults, language);
  const lost = [...new Set(imports.filter((path) => !isThere(path)))].slice(0, MAX_PROBLEMS);
  if (lost.length === 0) return;
  throw new HubError(
    "invalid",
    `it imports ${lost.map((path) => `"${path}"`).join(", ")}, which is not there: make one file of it with \`bun build --target=bun\`; "${SDK}" and what Bun brings may be imported`,
  );
}

// Runs nothing of the source.
const PARSER = `
const source = await Bun.stdin.text();
const loader = process.env.PLUGIN_LANGUAGE;
let faults = [], imports = [];
try {
  const { imports: found } = new Bun.Transpiler({ loader, target: "bun" }).scan(source);
  imports = found.filter(({ kind }) => kind === "import-statement").map(({ path }) => path);
} catch (error) {
  faults = (error.errors ?? [error]).map(({ message, position }) => ({ message, line: position?.line ?? 1, column: position?.column ?? 1 }));
}
console.log(JSON.stringify({ faults: faults.slice(0, ${MAX_PROBLEMS}), imports }));
`;

/** In a process of its own: a large file takes seconds and hundreds of megabytes. */
async function parse(source: Uint8Array, language: Language, execPath: string) {
  const child = Bun.spawn([execPath, "--no-env-file", "--config=/dev/null", "--no-install", "-e", PARSER], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", BUN_BE_BUN: "1", PLUGIN_LANGUAGE: language },
    stdin: source,
    stdout: "pipe",
    stderr: "ignore",
    timeout: WITHIN_MS,
    killSignal: "SIGKILL",
  });
  const read = parseJson(await new Response(child.stdout).text());
  if ((await child.exited) === 0 && read.ok && isObject(read.value)) {
    const { faults, imports } = read.value;
    return { faults: listIn(faults) as unknown as Fault[], imports: listIn(imports).map(String) };
  }
  throw new HubError("invalid", "this file cannot be checked: it takes more time or memory than this machine has");
}

const listIn = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

function isThere(path: string): boolean {
  return path === SDK || path === "bun" || path.startsWith("bun:") || isBuiltin(path);
}

function refusal(faults: readonly Fault[], language: Language): HubError {
  const problems = faults.map(({ line, column, message }) => ({ path: `${line}:${column}`, message, line, column }));
  const [first] = faults;
  const where = first ? `line ${first.line}, column ${first.column}: ${first.message}` : "it cannot be read";
  return new HubError("invalid", `this is not ${NAMES[language]}: ${where}`, { details: { problems } });
}
