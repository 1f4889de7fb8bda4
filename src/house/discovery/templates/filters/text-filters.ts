// Jinja's filters that lay out texts and group lists.
import { type Arguments, type Filter, itemsOf, numberArgument } from "../arguments.ts";
import { compare, type Dict, entryOf, isEqual, PyTuple, str, TemplateError, type Value } from "../values.ts";

const WIDEST = 1000;
const MAX_ITEMS = 10_000;

function width(args: Arguments, name: string, otherwise: number): number {
  const given = args.has(0, name) ? numberArgument(args.get(0, name), name) : otherwise;
  if (given > WIDEST) throw new TemplateError(`a text is laid out at most ${WIDEST} wide`);
  return Math.max(0, Math.trunc(given));
}

function fileSize(value: Value, args: Arguments): string {
  const bytes = numberArgument(value, "filesizeformat");
  const base = args.get(0, "binary") === true ? 1024 : 1000;
  const units = ["k", "M", "G", "T", "P", "E", "Z", "Y"].map((one) =>
    base === 1024 ? `${one === "k" ? "K" : one}iB` : `${one}B`,
  );
  if (bytes === 1) return "1 Byte";
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  const power = Math.min(units.length, Math.floor(Math.log(bytes) / Math.log(base) + 1e-12));
  return `${(bytes / base ** power).toFixed(1)} ${units[power - 1]}`;
}

function batches(value: Value, args: Arguments): Value[] {
  const items = itemsOf(value, "batch");
  const size = Math.max(1, width(args, "linecount", 1));
  const found = Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
  const last = found.at(-1);
  if (args.has(1, "fill_with") && last) while (last.length < size) last.push(args.get(1, "fill_with"));
  return found;
}

/** In as many lists, the first of them the longer ones. */
function slices(value: Value, args: Arguments): Value[] {
  const items = itemsOf(value, "slice");
  const count = Math.max(1, width(args, "slices", 1));
  const [each, longer] = [Math.floor(items.length / count), items.length % count];
  let from = 0;
  return Array.from({ length: count }, (_, at) => {
    const part = items.slice(from, from + each + (at < longer ? 1 : 0));
    from += part.length;
    if (args.has(1, "fill_with") && longer > 0 && at >= longer) part.push(args.get(1, "fill_with"));
    return part;
  });
}

export function attributeOf(value: Value, name: Value): Value {
  let found = value;
  for (const part of str(name).split("."))
    found =
      found instanceof Map
        ? entryOf(found as Dict, part)
        : /^\d+$/.test(part)
          ? itemsOf(found, "attribute")[Number(part)]
          : undefined;
  return found;
}

function grouped(value: Value, args: Arguments): Value[] {
  const by = args.get(0, "attribute");
  const keyed = itemsOf(value, "groupby").map((one) => ({ one, key: attributeOf(one, by) ?? args.get(1, "default") }));
  keyed.sort((a, b) => compare(a.key, b.key));
  const groups: { key: Value; items: Value[] }[] = [];
  for (const { one, key } of keyed) {
    const last = groups.at(-1);
    if (last && isEqual(last.key, key)) last.items.push(one);
    else groups.push({ key, items: [one] });
  }
  return groups.map(({ key, items }) => new PyTuple([key, items]));
}

export const TEXT_FILTERS: Readonly<Record<string, Filter>> = {
  batch: batches,
  center: (value, args) => {
    const [text, wide] = [str(value), width(args, "width", 80)];
    const missing = Math.max(0, wide - text.length);
    const left = (missing >> 1) + (missing & wide & 1);
    return " ".repeat(left) + text + " ".repeat(missing - left);
  },
  filesizeformat: fileSize,
  groupby: grouped,
  indent: (value, args) => {
    const space = " ".repeat(width(args, "width", 4));
    const lines = str(value).split("\n");
    if (lines.length * space.length > MAX_ITEMS) throw new TemplateError("indent makes a text that is too long");
    return lines
      .map((line, at) => ((at === 0 && args.get(1, "first") !== true) || line === "" ? line : space + line))
      .join("\n");
  },
  safe: (value) => str(value),
  slice: slices,
  striptags: (value) =>
    str(value)
      .replace(/<[^<>]*>/g, "")
      .replace(/\s+/g, " ")
      .trim(),
  title: (value) =>
    str(value)
      .split(/([-\s({[<]+)/)
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
      .join(""),
};
