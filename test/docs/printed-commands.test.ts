// Documents print only commands, words, options and scripts that there are. That they also do what is said is tried by
// test/system/documented-commands.test.ts.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { scripts } from "../../package.json";
import type { Command, ListedCommand } from "../../src/app/cli/command.ts";
import { commands } from "../../src/app/cli/index.ts";
import { helpOption } from "../../src/app/cli/usage.ts";
import { DOCUMENTS, hubCallsOf, ROOT, shellCommandsOf } from "./printed-commands.ts";

/** What is wrong with a call; undefined if nothing is. */
async function mistakeIn(words: readonly string[]): Promise<string | undefined> {
  const [name = "", ...rest] = words[0]?.startsWith("-") ? ["serve", ...words] : words;
  if (name === "help" || isBlank(name)) return undefined;
  const listed = commands.find((command) => command.name === name);
  if (!listed) return `there is no command "${name}"`;
  return mistakeOf(listed, await listed.load(), rest);
}

function mistakeOf(listed: ListedCommand, command: Command, words: readonly string[]): string | undefined {
  const positionals: string[] = [];
  const options: Command["options"] = { ...command.options, help: helpOption };
  for (let at = 0; at < words.length; at++) {
    const [word = "", value] = (words[at] ?? "").split("=");
    if (!word.startsWith("--")) {
      positionals.push(words[at] ?? "");
      continue;
    }
    const option = Object.hasOwn(options, word.slice(2)) ? options[word.slice(2)] : undefined;
    if (!option) return `there is no option ${word}`;
    if (option.type === "string" && value === undefined) at++;
  }
  const [first] = positionals;
  const alternatives = wordsOf(listed);
  if (first !== undefined && alternatives && !alternatives.includes(first) && !isBlank(first))
    return `there is no ${listed.name} ${first}`;
  if (positionals.length > (command.maxPositionals ?? 0)) return `it takes no ${positionals.at(-1)}`;
  return undefined;
}

/** `FILE`, `…`: somebody else puts in what is meant. */
const isBlank = (word: string): boolean => /^\[?[A-Z]+\]?$|…|^\.\.\.$/.test(word);

/** `backup list` stands in no alternatives, as what follows is a file otherwise. */
function wordsOf({ args = "" }: ListedCommand): string[] | undefined {
  const [alternatives = ""] = args.split(" ");
  return /^[a-z-]+(\|[a-z-]+)+$/.test(alternatives) ? alternatives.split("|") : undefined;
}

test("what documents call the hub with is a command with such words and options", async () => {
  const calls = DOCUMENTS.flatMap(hubCallsOf);
  expect(calls.length).toBeGreaterThan(100);
  const wrong: string[] = [];
  for (const { place, words } of calls) {
    const mistake = await mistakeIn(words);
    if (mistake !== undefined) wrong.push(`${place}: hub ${words.join(" ")}: ${mistake}`);
  }
  expect(wrong).toEqual([]);
});

test.each([
  ["devces", 'there is no command "devces"'],
  ["logs --lnes 5", "there is no option --lnes"],
  ["rules shw", "there is no rules shw"],
  ["status now", "it takes no now"],
])("`hub %s` in a document would be found", async (call, mistake) => {
  expect(await mistakeIn(call.split(" "))).toBe(mistake);
});

test("what documents run with Bun is a script or a file of this repository", () => {
  const wrong: string[] = [];
  for (const { place, text } of DOCUMENTS.flatMap(shellCommandsOf)) {
    for (const [, script = ""] of text.matchAll(/\bbun(?:@[\d.]+)? run ([\w:-]+)/g))
      if (!Object.hasOwn(scripts, script)) wrong.push(`${place}: bun run ${script}`);
    for (const [, file = ""] of text.matchAll(/\bbun(?: test)? (\.?[\w./-]+\.ts|\.\/[\w./-]+)/g))
      if (!existsSync(join(ROOT, file))) wrong.push(`${place}: ${file}`);
  }
  expect(wrong).toEqual([]);
});
