// Python's `%` for texts: `"%.1f" % 21.46`, `"%02d:%02d" | format(h, m)`, `"%(name)s" % {"name": "x"}`.
import { type Arguments, numberArgument } from "./arguments.ts";
import { entryOf, floatText, isNumber, PyFloat, repr, str, TemplateError, typeName, type Value } from "./values.ts";

const LONGEST = 1000;
const SPEC = /%(?:\((\w+)\))?([-+ 0#]*)(\d+)?(?:\.(\d+))?[hlL]?(.)/gs;

/** `values`: by position, or those of one dict by name. */
export function formatted(format: string, values: readonly Value[]): string {
  let next = 0;
  const take = (name: string | undefined): Value => {
    if (name !== undefined) {
      const [dict] = values;
      if (!(dict instanceof Map)) throw new TemplateError(`"%(${name})s" needs a dict`);
      return entryOf(dict, name);
    }
    if (next >= values.length) throw new TemplateError("there are fewer values than the format has");
    return values[next++];
  };
  const text = format.replace(SPEC, (_whole, name, flags: string, width, digits, kind: string) => {
    if (kind === "%") return "%";
    const spec = { flags, width: bounded(width) ?? 0, digits: bounded(digits) };
    return padded(converted(kind, take(name), spec), { ...spec, isNumeric: kind !== "s" && kind !== "r" });
  });
  if (next < values.length && !(values[0] instanceof Map))
    throw new TemplateError("there are more values than the format has");
  return text;
}

function bounded(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (Number(given) > LONGEST) throw new TemplateError(`a format is at most ${LONGEST} characters wide`);
  return Number(given);
}

interface Spec {
  flags: string;
  digits: number | undefined;
}

function converted(kind: string, value: Value, { flags, digits }: Spec): string {
  switch (kind) {
    case "s":
      return cut(str(value), digits);
    case "r":
      return cut(repr(value), digits);
    case "c":
      return typeof value === "number"
        ? String.fromCodePoint(Math.min(0x10ffff, Math.max(0, Math.trunc(value))))
        : str(value);
    default: {
      if (!isNumber(value)) throw new TemplateError(`"%${kind}" needs a number, not a ${typeName(value)}`);
      const number = numberArgument(value, "format");
      const text = Number.isFinite(number)
        ? numeric(kind, Math.abs(number), { flags, digits })
        : floatText(Math.abs(number));
      const sign =
        number < 0 || Object.is(number, -0) ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
      return sign + text;
    }
  }
}

function cut(text: string, digits: number | undefined): string {
  return digits === undefined ? text : text.slice(0, digits);
}

function numeric(kind: string, size: number, { flags, digits }: Spec): string {
  // JavaScript writes at most 100 digits behind the point.
  const places = Math.min(digits ?? 6, 100);
  switch (kind) {
    case "d":
    case "i":
    case "u":
      return BigInt(Math.trunc(size))
        .toString()
        .padStart(digits ?? 0, "0");
    case "x":
    case "X":
    case "o": {
      const text =
        (flags.includes("#") ? (kind === "o" ? "0o" : "0x") : "") +
        BigInt(Math.trunc(size)).toString(kind === "o" ? 8 : 16);
      return kind === "X" ? text.toUpperCase() : text;
    }
    case "f":
    case "F":
      return size >= 1e21 ? BigInt(Math.trunc(size)).toString() : fixed(size, places);
    case "e":
    case "E": {
      const text = size.toExponential(places).replace(/e([+-])(\d)$/, "e$10$2");
      return kind === "E" ? text.toUpperCase() : text;
    }
    case "g":
    case "G":
      return general(size, places || 1);
    default:
      throw new TemplateError(`the format "%${kind}" is not supported`);
  }
}

/** As `toFixed`, but a tie goes to the even neighbour. */
export function fixed(value: number, places: number): string {
  const text = value.toFixed(places);
  // A tie ends with the binary digit behind the kept ones.
  if (Number.isInteger(value) || !Number.isInteger(value * 2 ** (places + 1))) return text;
  const exact = value.toFixed(Math.min(100, places + 60));
  const point = exact.length - Math.min(100, places + 60);
  const following = exact.slice(point + places);
  const kept = exact.slice(0, places === 0 ? point - 1 : point + places);
  return /^50*$/.test(following) && /[02468]$/.test(kept) ? kept : text;
}

function general(size: number, digits: number): string {
  const exponent = size === 0 ? 0 : Math.floor(Math.log10(size));
  if (exponent >= -4 && exponent < digits) return String(Number(size.toPrecision(digits)));
  return size
    .toExponential(digits - 1)
    .replace(/\.?0+e/, "e")
    .replace(/e([+-])(\d)$/, "e$10$2");
}

function padded(text: string, { flags, width, isNumeric }: Spec & { width: number; isNumeric: boolean }): string {
  if (flags.includes("-")) return text.padEnd(width);
  if (!flags.includes("0") || !isNumeric) return text.padStart(width);
  const sign = /^[-+ ]/.exec(text)?.[0] ?? "";
  return sign + text.slice(sign.length).padStart(width - sign.length, "0");
}

const FIELD = /\{\{|\}\}|\{(\w*)((?:\.\w+|\[\w+\])*)(?::([^{}]*))?\}/g;
const SPECIFICATION = /^(?:(.)?([<>^=]))?([-+ ]?)(#?)(0?)(\d*)(,?)(?:\.(\d+))?([a-zA-Z%]?)$/s;

/** `"{} {0:.1f} {name:>5}".format(…)`. */
export function bracesFormatted(text: string, values: readonly Value[], named: Arguments): string {
  let next = 0;
  return text.replace(FIELD, (whole, name: string | undefined, members: string, spec = "") => {
    if (name === undefined) return whole.charAt(0);
    if (members) throw new TemplateError("format: members of values are not supported");
    const at = name === "" ? next++ : /^\d+$/.test(name) ? Number(name) : -1;
    if (at >= values.length || (at < 0 && !named.has(MAX_VALUES, name)))
      throw new TemplateError(`format: there is no value for "${whole}"`);
    return byBraces(at < 0 ? named.get(MAX_VALUES, name) : values[at], String(spec));
  });
}
const MAX_VALUES = 1_000_000;

function byBraces(value: Value, spec: string): string {
  if (spec === "") return str(value);
  const found = SPECIFICATION.exec(spec);
  if (!found) throw new TemplateError(`the format "${spec}" is not supported`);
  const [, fill = " ", align, sign = "", alternate = "", zero = "", width = "", comma = "", precision, kind = ""] =
    found;
  const isNumeric = isNumber(value);
  const digits = bounded(precision);
  let text = cut(str(value), digits);
  if (isNumeric) {
    const size = numberArgument(value, "format");
    const way = kind === "" ? (digits === undefined ? "" : "g") : kind;
    if (way === "b") text = (size < 0 ? "-" : "") + BigInt(Math.trunc(Math.abs(size))).toString(2);
    else if (way === "%") text = `${converted("f", new PyFloat(size * 100), { flags: sign, digits })}%`;
    else if (way !== "") text = converted(way === "n" ? "d" : way, value, { flags: sign + alternate, digits });
    else text = (size >= 0 && sign !== "-" ? sign : "") + str(value);
    if (comma) text = text.replace(/\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
  }
  const wide = bounded(width === "" ? undefined : width) ?? 0;
  if (zero && !align) return padded(text, { flags: "0", digits, width: wide, isNumeric });
  const missing = Math.max(0, wide - text.length);
  const side = align ?? (isNumeric ? ">" : "<");
  if (side === "<") return text + fill.repeat(missing);
  if (side === "^") return fill.repeat(missing >> 1) + text + fill.repeat(missing - (missing >> 1));
  return fill.repeat(missing) + text;
}
