// `regex_match`, `regex_search`, `regex_replace`, `regex_findall`, `regex_findall_index`, and the tests `match` and `search`.
import { type Arguments, type Filter, numberArgument } from "../arguments.ts";
import { isTrue, PyTuple, str, TemplateError, type Value, type Work } from "../values.ts";
import { compileRegex, type Match, type Regex } from "./regex.ts";

const MAX_TEXT_LENGTH = 65_536;
const TICKS_PER_STEP = 32;
const MAX_CACHED = 128;

interface Search {
  regex: Regex;
  text: string;
  tick: () => void;
}

function searchOf(value: Value, args: Arguments, { work, flagAt }: { work: Work; flagAt: number }): Search {
  const pattern = args.has(0, "find") ? args.get(0, "find") : "";
  if (typeof pattern !== "string") throw new TemplateError("a pattern must be a text");
  let ticks = 0;
  return {
    regex: regexOf(pattern, isTrue(args.get(flagAt, "ignorecase"))),
    text: str(value),
    tick() {
      if (++ticks % TICKS_PER_STEP === 0) work.spend(1);
    },
  };
}

const known = new Map<string, Regex>();

function regexOf(pattern: string, ignoreCase: boolean): Regex {
  const key = `${ignoreCase} ${pattern}`;
  const made = known.get(key) ?? compileRegex(pattern, ignoreCase);
  if (known.size >= MAX_CACHED) known.clear();
  known.set(key, made);
  return made;
}

export function searched(value: Value, args: Arguments, work: Work, isAnchored: boolean): boolean {
  const { regex, text, tick } = searchOf(value, args, { work, flagAt: 1 });
  return regex.match(text, 0, { isAnchored, tick }) !== undefined;
}

/** One behind the other; an empty one not right behind another, as in Python. */
function* allOf({ regex, text, tick }: Search): Generator<Match> {
  for (let at = 0; at <= text.length; ) {
    const found = regex.match(text, at, { isAnchored: false, tick });
    if (!found) return;
    yield found;
    at = found.to > found.from ? found.to : found.to + 1;
  }
}

function findAll(value: Value, args: Arguments, work: Work, flagAt: number): Value[] {
  const search = searchOf(value, args, { work, flagAt });
  return Array.from(allOf(search), ({ from, to, groups }): Value => {
    work.spend(1);
    if (groups.length === 0) return search.text.slice(from, to);
    const texts = groups.map((one) => one ?? "");
    return texts.length === 1 ? texts[0] : new PyTuple(texts);
  });
}

const REFERENCE = /\\(?:g<(\w+)>|(\d{1,2})|([\s\S]))/g;
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\" };

function replaced(value: Value, args: Arguments, work: Work): string {
  const search = searchOf(value, args, { work, flagAt: 2 });
  const by = str(args.get(1, "replace"));
  let [text, at] = ["", 0];
  for (const { from, to, groups } of allOf(search)) {
    work.spend(1);
    const group = (name: string): string => {
      const index = /^\d+$/.test(name) ? Number(name) : (search.regex.groupNames.get(name) ?? -1);
      if (index < 0 || index > groups.length) throw new TemplateError(`the pattern has no group "${name}"`);
      return index === 0 ? search.text.slice(from, to) : (groups[index - 1] ?? "");
    };
    text += search.text.slice(at, from);
    text += by.replace(REFERENCE, (whole, name, index, char) =>
      char === undefined ? group(name ?? index) : (CONTROLS[char as string] ?? whole),
    );
    if (text.length > MAX_TEXT_LENGTH) throw new TemplateError("regex_replace makes a text that is too long");
    at = to;
  }
  return text + search.text.slice(at);
}

export const REGEX_FILTERS: Readonly<Record<string, Filter>> = {
  regex_findall: (value, args, work) => findAll(value, args, work, 1),
  regex_findall_index: (value, args, work) => {
    const index = args.has(1, "index") ? numberArgument(args.get(1, "index"), "regex_findall_index") : 0;
    const all = findAll(value, args, work, 2);
    if (index >= all.length || index < -all.length)
      throw new TemplateError("regex_findall_index: there is no such match");
    return all.at(index);
  },
  regex_match: (value, args, work) => searched(value, args, work, true),
  regex_replace: replaced,
  regex_search: (value, args, work) => searched(value, args, work, false),
};
