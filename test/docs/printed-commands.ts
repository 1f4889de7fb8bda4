// The commands that the documents print: those of their shell blocks, as they stand there, and each call of the hub in the text.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dir, "../..");
/** Not what was once so: the changelog and the decisions. */
export const DOCUMENTS: readonly string[] = [
  ...["README.md", "CONTRIBUTING.md", "plugins/README.md", "test/bench/README.md", "src/app/release/client/README.md"],
  ...["docs", "docs/rules"].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`)
      .sort(),
  ),
];

export interface Printed {
  /** From the root, with the line: `docs/api.md:9`. */
  place: string;
  text: string;
}

export interface Block extends Printed {
  language: string;
}

/** The fenced blocks of a document, in lists too. */
export function blocksOf(document: string): Block[] {
  const text = readFileSync(join(ROOT, document), "utf8");
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(
    ({ index, 1: indent = "", 2: language = "", 3: block = "" }) => ({
      language,
      place: `${document}:${text.slice(0, index).split("\n").length + 1}`,
      text: block.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    }),
  );
}

/** The commands of a document's shell blocks, each whole: a line, and those that its quotes or backslashes go on to. */
export function shellCommandsOf(document: string): Printed[] {
  return blocksOf(document)
    .filter(({ language }) => language === "sh")
    .flatMap(({ place, text }) => {
      const first = Number(place.slice(place.lastIndexOf(":") + 1));
      const commands: Printed[] = [];
      let begun: string[] = [];
      text
        .trimEnd()
        .split("\n")
        .forEach((line, index, lines) => {
          begun.push(line);
          const whole = begun.join("\n");
          if (!isWhole(whole) && index + 1 < lines.length) return;
          if (!/^\s*(#|$)/.test(whole))
            commands.push({ place: `${document}:${first + index + 1 - begun.length}`, text: whole });
          begun = [];
        });
      return commands;
    });
}

function isWhole(text: string): boolean {
  const outside = text.replace(/'[^']*'|"(?:\\[\s\S]|[^"\\])*"/g, "");
  return !/['"]/.test(outside.replace(/#.*$/gm, "")) && !outside.endsWith("\\");
}

export interface HubCall {
  place: string;
  /** Behind the program's name. */
  words: string[];
}

/** Where a command begins: a line, a pipe, `$(…)` or `<(…)`, code in the text, behind `sudo` and variables. */
const HUB =
  /(?:^|[|;(&`])\s*(?:[A-Z_]+=\S+ +)*(?:sudo +)?(?:[\w./~-]*\/)?(?:home-hub|hub|hub-linux-\w+) +([^\n`|;&<>#)]+)/gm;

/** Each call of the hub, in shell blocks and in `code` of the text. */
export function hubCallsOf(document: string): HubCall[] {
  const text = readFileSync(join(ROOT, document), "utf8");
  const lines = text.replace(/^( *)```[\s\S]*?^\1```$/gm, (block) => block.replace(/[^\n]/g, " ")).split("\n");
  const inText = lines.flatMap((line, index) =>
    [...line.matchAll(/`[^`]+`/g)]
      .filter(([code]) => /^`(?:sudo )?(?:[\w./~-]*\/)?(?:home-hub|hub) /.test(code))
      .map(([code]) => ({ place: `${document}:${index + 1}`, text: code })),
  );
  return [...shellCommandsOf(document), ...inText].flatMap(({ place, text: code }) =>
    [...code.replaceAll(/\s#.*$/gm, "").matchAll(HUB)].map(([, words = ""]) => ({ place, words: partsOf(words) })),
  );
}

function partsOf(text: string): string[] {
  return [...text.matchAll(/(?:"[^"]*"|'[^']*'|\S)+/g)].map(([word]) => word.replaceAll(/["']/g, ""));
}

export interface PrintedRequest {
  place: string;
  method: string;
  /** Below `/api/v1`. */
  path: string;
  /** The names of what stands behind `?`. */
  query: string[];
}

const METHODS = "GET|POST|PUT|PATCH|DELETE";

/** Requests in `code` of the text, such as `POST /system/backups` and `GET`, `PUT /rules/ID/text`, and those of curl. */
export function requestsOf(document: string): PrintedRequest[] {
  const text = readFileSync(join(ROOT, document), "utf8");
  const written = text
    .split("\n")
    .flatMap((line, index) =>
      [...line.matchAll(new RegExp(`(?:\`(${METHODS})\`(?:,| and) )?\`(${METHODS}) (/[^\\s\`]*)`, "g"))].flatMap(
        ([, other, method = "", path = ""]) =>
          [other, method].flatMap((one) =>
            one === undefined ? [] : [requestOf(`${document}:${index + 1}`, one, path)],
          ),
      ),
    );
  const ran = shellCommandsOf(document).flatMap(({ place, text: code }) =>
    [...code.matchAll(/(?:\$API|^api ['"]?|\$\(api ['"]?)(\/[^\s'")]*)(["']?[^|]*)/gm)].map(([, path = ""]) => {
      const method = /-X (\w+)/.exec(code)?.[1] ?? (/ (?:-d|--data\S*) /.test(code) ? "POST" : "GET");
      return requestOf(place, method, path);
    }),
  );
  return [...written, ...ran];
}

function requestOf(place: string, method: string, whole: string): PrintedRequest {
  const [path = "", query = ""] = whole.replace(/[.,]$/, "").split("?");
  const names = query.split("&").map((part) => part.split("=")[0] ?? "");
  return { place, method, path: path.replace(/^\/api\/v1/, ""), query: names.filter((name) => /^\w+$/.test(name)) };
}
