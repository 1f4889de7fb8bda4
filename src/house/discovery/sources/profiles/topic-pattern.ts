// Topics with placeholders: `tele/{id}/SENSOR` matches `tele/kitchen/SENSOR` with id = kitchen. Texts with placeholders are
// filled from the same values.

/** What placeholders stand for, by name. */
export type Values = Readonly<Record<string, string>>;

const PLACEHOLDER = /\{([a-z_][a-z0-9_]*)\}/g;

export function placeholdersOf(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);
}

/** Undefined where one has no value. */
export function fill(text: string, values: Values): string | undefined {
  let missing = false;
  const filled = text.replace(PLACEHOLDER, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    missing ||= value === undefined;
    return value ?? "";
  });
  return missing ? undefined : filled;
}

/** For a topic that is published to; undefined where a value cannot be part of one. */
export function fillTopic(text: string, values: Values): string | undefined {
  const used = placeholdersOf(text).map((name) => values[name] ?? "");
  return used.some((value) => value === "" || /[/+#\0]/.test(value)) ? undefined : fill(text, values);
}

/** What is wrong with it, if something is. `+` and `#` are as in MQTT. */
export function patternProblem(pattern: string): string | undefined {
  const levels = pattern.split("/");
  for (const [index, level] of levels.entries()) {
    if (level === "+" || (level === "#" && index === levels.length - 1)) continue;
    if (level === "#") return "# may only be the last level";
    const plain = level.replace(PLACEHOLDER, "");
    if (/[+#]/.test(plain)) return "+ and # fill a whole level";
    if (/[{}]/.test(plain)) return `"${level}" is no placeholder: write {name}, in small letters, digits and _`;
    if (placeholdersOf(level).length > 1) return `"${level}" has two placeholders: one fits in a level`;
    if (level === "" || /[\s\0]/.test(level)) return "has an empty level or one with a space";
  }
  if (levels.every((level) => level === "+" || level === "#" || level.replace(PLACEHOLDER, "") === ""))
    return 'takes in everything: name a level, as in "tele/{id}/SENSOR"';
  const names = placeholdersOf(pattern);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `has the placeholder {${twice}} twice`;
}

export interface TopicPattern {
  readonly text: string;
  /** Its first level; undefined where that may be any. */
  readonly root: string | undefined;
  /** Undefined where it is another topic. */
  match(topic: readonly string[]): Values | undefined;
}

type Level = { is: string } | { any: true } | { name: string; before: string; after: string };

export function topicPattern(text: string): TopicPattern {
  const parts = text.split("/");
  const isOpen = parts.at(-1) === "#";
  const levels = (isOpen ? parts.slice(0, -1) : parts).map(levelOf);
  return {
    text,
    root: levels[0] && "is" in levels[0] ? levels[0].is : undefined,
    match(topic) {
      if (isOpen ? topic.length < levels.length : topic.length !== levels.length) return undefined;
      const values: Record<string, string> = {};
      for (const [index, level] of levels.entries()) {
        const found = topic[index] ?? "";
        if ("is" in level ? found !== level.is : "name" in level && !takes(level, found)) return undefined;
        if ("name" in level) values[level.name] = found.slice(level.before.length, found.length - level.after.length);
      }
      return values;
    },
  };
}

function levelOf(text: string): Level {
  if (text === "+") return { any: true };
  const [whole = "", name] = new RegExp(PLACEHOLDER.source).exec(text) ?? [];
  if (name === undefined) return { is: text };
  const at = text.indexOf(whole);
  return { name, before: text.slice(0, at), after: text.slice(at + whole.length) };
}

function takes({ before, after }: { before: string; after: string }, found: string): boolean {
  return found.length > before.length + after.length && found.startsWith(before) && found.endsWith(after);
}
