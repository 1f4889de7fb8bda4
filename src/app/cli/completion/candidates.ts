// Which words may stand where somebody types: from the list of commands and options, and from the house.
import { HubError } from "../../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { ruleFilesIn } from "../../../rules/store/disk.ts";
import { actAsOwner } from "../../../server/home/owner.ts";
import type { Command, CommandOption, Completes, Invocation, ListedCommand } from "../command.ts";
import { homeOf } from "../command.ts";
import { deviceNamed, type NamedDevice } from "../device/named-device.ts";
import { choicesOf } from "../device/values.ts";
import { devicesOf } from "../devices.ts";
import { readConfig } from "../prepare.ts";
import { reach } from "../reach.ts";

/** Asks the shell for names of files. */
const FILES = ":files";
// Nobody waits longer for a word.
const WITHIN_MS = 2000;
// What a shell would have to quote is left out.
const PLAIN = /^[\p{L}\p{N}_.@%+,/-]+(=[\p{L}\p{N}_.@%+,/-]*)?$/u;

interface Asked {
  /** All there are. */
  commands: readonly ListedCommand[];
  invocation: Invocation;
}

/** Sorted, each with the beginning that is typed. `words`: all behind `hub`, the last one being typed. Never throws. */
export async function candidatesFor(words: readonly string[], asked: Asked): Promise<string[]> {
  const before = words.slice(0, -1).flatMap(parted);
  const [option = "", value] = parted(words.at(-1) ?? "");
  const typed = value ?? option;
  const prefix = value === undefined ? "" : `${option}=`;
  try {
    const found = await wordsAt(value === undefined ? before : [...before, option], typed, asked);
    if (found.includes(FILES)) return [FILES];
    const fitting = found.filter((word) => word.startsWith(typed)).sort();
    return [...new Set(fitting)].map((word) => `${prefix}${word}`);
  } catch {
    return [];
  }
}

/** `--area=hall` as two words. */
function parted(word: string): string[] {
  const [, option, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  return option === undefined || value === undefined ? [word] : [option, value];
}

async function wordsAt(before: readonly string[], typed: string, asked: Asked): Promise<readonly string[]> {
  const { commands, invocation } = asked;
  const [name = typed.startsWith("-") ? "serve" : undefined, ...rest] = before;
  if (name === undefined) return [...commands.map((one) => one.name), "help"];
  // Options without a command belong to serve.
  if (name.startsWith("-")) return wordsAt(["serve", ...before], typed, asked);
  if (name === "help") return rest.length === 0 ? commands.map((one) => one.name) : [];
  const listed = commands.find((one) => one.name === name);
  if (!listed) return [];
  const command = await listed.load();
  const option = optionBefore(rest.at(-1), command);
  const called = { commands, invocation: options(rest, command, invocation) };
  if (option) return valuesOf(option, called);
  if (typed.startsWith("-")) return [...Object.keys(command.options), "help"].map((one) => `--${one}`);
  return argumentsOf({ listed, command, given: positionalsIn(rest, command) }, called);
}

/** The option whose value is typed next. */
function optionBefore(word: string | undefined, command: Command): CommandOption | undefined {
  const name = word?.startsWith("--") ? word.slice(2) : "";
  const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
  return option?.type === "string" ? option : undefined;
}

function positionalsIn(words: readonly string[], command: Command): string[] {
  return words.filter((word, index) => !word.startsWith("-") && !optionBefore(words[index - 1], command));
}

/** As if it had been called with what stands there: another home, another address. */
function options(words: readonly string[], command: Command, invocation: Invocation): Invocation {
  const given = words.flatMap((word, index): [string, string][] =>
    optionBefore(words[index - 1], command) ? [[(words[index - 1] ?? "").slice(2), word]] : [],
  );
  return { ...invocation, options: Object.fromEntries(given) };
}

interface Place {
  listed: ListedCommand;
  command: Command;
  given: readonly string[];
}

async function argumentsOf(
  { listed, command, given }: Place,
  { commands, invocation }: Asked,
): Promise<readonly string[]> {
  // `list|check|test|why [NAME]`
  const [alternatives = ""] = (listed.args ?? "").split(" ");
  const words = /^[a-z-]+(\|[a-z-]+)*$/.test(alternatives) ? alternatives.split("|") : [];
  if (words.length > 0 && given.length === 0) return words;
  const [word = ""] = given;
  const [kinds = [], before] =
    words.length > 0 ? [command.completes?.[word], given.slice(1)] : [command.completes?.[""], given];
  const kind =
    typeof kinds !== "string" ? (kinds[before.length] ?? kinds.at(-1)) : before.length > 0 ? undefined : kinds;
  return kind === undefined ? [] : known(kind, { commands, invocation: { ...invocation, positionals: [...before] } });
}

function valuesOf({ values, completes }: CommandOption, asked: Asked): Promise<readonly string[]> {
  return values ? Promise.resolve(values) : completes ? known(completes, asked) : Promise.resolve([]);
}

async function known(kind: Completes, { commands, invocation }: Asked): Promise<readonly string[]> {
  if (kind === "file") return [FILES];
  if (kind === "command") return commands.map(({ name }) => name);
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new HubError("unavailable", "too late")), WITHIN_MS);
  try {
    const found = await Promise.race([KNOWN[kind](invocation), timeout.promise]);
    return found.filter((word) => PLAIN.test(word));
  } finally {
    clearTimeout(timer);
  }
}

const KNOWN: Readonly<Record<Exclude<Completes, "file" | "command">, (invocation: Invocation) => Promise<string[]>>> = {
  // By their files, which are there also while the hub is stopped.
  async rule(invocation) {
    const home = homeOf(invocation);
    using _owner = actAsOwner(home);
    return ruleFilesIn(home.rules).map((file) => file.replace(/\.(?:ron|toml)$/, ""));
  },
  async attribute(invocation) {
    const found = await devicesOf((await reach(invocation)).client);
    return found.flatMap(({ id, attributes }) =>
      Object.keys(isObject(attributes) ? attributes : {}).map((attribute) => `${id}.${attribute}=`),
    );
  },
  device: async (invocation) => textsOf(await devicesOf((await reach(invocation)).client), "id"),
  scene: async (invocation) => textsOf(await (await reach(invocation)).client.ask("GET", "/scenes"), "id"),
  reported: async (invocation) => Object.keys((await firstNamed(invocation)).attributes),
  async wanted(invocation) {
    const { attributes, described } = await firstNamed(invocation);
    const names = [...new Set([...Object.keys(described), ...Object.keys(attributes)])];
    return names.flatMap((name) => wantedWords(name, described[name], attributes[name]));
  },
  async export(invocation) {
    const home = homeOf(invocation);
    using _owner = actAsOwner(home);
    return readConfig(home, invocation.io).history.export.map(({ name }) => name);
  },
  target: async (invocation) => (await import("../copies.ts")).targetNames(homeOf(invocation), invocation),
  area: async (invocation) => textsOf(await (await reach(invocation)).client.ask("GET", "/areas"), "id"),
  type: async (invocation) => textsOf(await devicesOf((await reach(invocation)).client), "device_type"),
};

/** The device that is named before what is typed. */
async function firstNamed(invocation: Invocation): Promise<NamedDevice> {
  return deviceNamed((await reach(invocation)).client, invocation.positionals[0] ?? "");
}

/** `on=true` and `on=false`, `effect=blink`, `brightness=`. */
function wantedWords(name: string, schema: JsonObject | undefined, present: Json | undefined): string[] {
  if (schema?.readOnly === true) return [];
  const isSwitch = schema === undefined ? typeof present === "boolean" : schema.type === "boolean";
  const values = choicesOf(schema) ?? (isSwitch ? [true, false] : [""]);
  return values.map((value) => `${name}=${value}`);
}

function textsOf(list: Json, key: string): string[] {
  return (Array.isArray(list) ? list : []).flatMap((one) => {
    const text = isObject(one) ? one[key] : undefined;
    return typeof text === "string" ? [text] : [];
  });
}
