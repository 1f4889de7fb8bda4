// Texts, numbers and times in the reader's language.
import { signal } from "@preact/signals";
import { load, save } from "../browser/storage.ts";
import { houseDay, zone } from "../browser/zone.ts";
import type { TextKey } from "./catalogue.ts";
import { firstEnglish, LANGUAGES, loadFirst, loadRest } from "./catalogues.ts";
import type { Message, Texts } from "./message.ts";

export type { TextKey } from "./catalogue.ts";
export { LANGUAGES } from "./catalogues.ts";

interface HubWords {
  sentences: readonly (readonly [RegExp, string])[];
  /** What the views that load later show as well: whole sentences. */
  hints?: Readonly<Record<string, string>>;
  /** What a refusal is about, by its code. */
  leads: Readonly<Record<string, string>>;
}

/** The code of it: one of LANGUAGES. */
export const language = signal("en");
/** For what the hub says, which is English. */
const hubWords = signal<HubWords | undefined>(undefined);
const catalogue = signal<Texts>(firstEnglish);

/** The chosen language, else the browser's. */
export async function startLanguage(): Promise<void> {
  const { language } = navigator;
  const wanted = [load<string>("language"), language, language.split("-")[0]];
  await setLanguage(wanted.find((code) => code !== undefined && Object.hasOwn(LANGUAGES, code)) ?? "en");
}

let withLater = false;

/** The texts of all views; before this there are those of the first. Rejects where they cannot be loaded. */
export async function loadLater(): Promise<void> {
  if (withLater) return;
  catalogue.value = await read(language.value, true);
  withLater = true;
}

async function read(of: string, all: boolean): Promise<Texts> {
  const [first, rest] = await Promise.all([loadFirst(of), all && loadRest(of)]);
  hubWords.value = of === "de" ? await readHubWords(all) : undefined;
  return rest ? { ...first, ...rest } : first;
}

async function readHubWords(all: boolean): Promise<HubWords> {
  const [{ sentences, leads }, more] = await Promise.all([import("./de/hub-words.ts"), all && import("./de/later.ts")]);
  return more ? { sentences: [...sentences, ...more.sentences], leads, hints: more.hints } : { sentences, leads };
}

export async function setLanguage(next: string, chosen = false): Promise<void> {
  catalogue.value = await read(next, withLater);
  language.value = next;
  document.documentElement.lang = next;
  if (chosen) save("language", next);
}

type Values = Readonly<Record<string, string | number>>;

/** With the values in it. */
export function t(key: TextKey, values?: Values): string {
  return textFor(key, values) as string;
}

/** For keys that are made of data: undefined where there is no such text. */
export function textFor(key: string, values: Values = {}): string | undefined {
  return Object.hasOwn(catalogue.value, key) ? filled(catalogue.value[key] as Message, values) : undefined;
}

function filled(text: Message, values: Values): string {
  if (typeof text !== "string") {
    const [name, forms] = text;
    const value = values[name];
    const form = forms[`=${value}`] ?? forms[formatOf(Intl.PluralRules, {}).select(Number(value))] ?? forms.other;
    return filled(form as Message, values);
  }
  return text.replace(/\{(#?)(\w+)\}/g, (whole, number, name: string) => {
    const value = values[name] ?? whole;
    return number && value !== whole ? formatNumber(Number(value)) : String(value);
  });
}

/** A sentence of the hub's, in the reader's language where there are words for it. */
export function fromHub(sentence: string): string {
  return inOwnWords(sentence) ?? sentence;
}

/** A refusal of the hub's; where it has no words here, after what it is about. */
export function refusal(code: string, sentence: string): string {
  const lead = hubWords.value?.leads[code];
  return inOwnWords(sentence) ?? (lead === undefined ? sentence : `${lead} (${sentence})`);
}

function inOwnWords(sentence: string): string | undefined {
  const { hints = {} } = hubWords.value ?? {};
  if (Object.hasOwn(hints, sentence)) return hints[sentence];
  for (const [of, words] of hubWords.value?.sentences ?? []) {
    const found = of.exec(sentence);
    if (found) return words.replace(/\{(\d)\}/g, (_, group: string) => found[Number(group)] ?? "");
  }
  return undefined;
}

const formats = new Map<string, unknown>();

/** Formats are dear to make: each is made once. */
function formatOf<T, O>(Kind: new (language: string, options: O) => T, options: O): T {
  const key = `${Kind.name} ${language.value} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Kind(language.value, options);
  formats.set(key, known);
  return known as T;
}

export function formatNumber(value: number, digits = 2, fewest = 0): string {
  return formatOf(Intl.NumberFormat, { minimumFractionDigits: fewest, maximumFractionDigits: digits }).format(value);
}

/** Of a moment, in the zone of the house. */
export function formatDate(at: number | string, options: Intl.DateTimeFormatOptions): string {
  return formatOf(Intl.DateTimeFormat, { ...options, timeZone: zone.value }).format(new Date(at));
}

function isToday(at: number | string): boolean {
  return houseDay(new Date(at).getTime()) === houseDay(Date.now());
}

export function formatTime(at: number | string): string {
  return formatDate(at, { timeStyle: "short", ...(!isToday(at) && { dateStyle: "short" }) });
}

/** The exact moment, to the second. */
export function formatMoment(at: number | string): string {
  return formatDate(at, { dateStyle: "medium", timeStyle: "medium" });
}

/** To the second: to find a moment in a log. */
export function formatExact(at: number | string): string {
  return formatDate(at, { timeStyle: "medium", ...(!isToday(at) && { dateStyle: "short" }) });
}

const STEPS: readonly ["day" | "hour" | "minute" | "second", number][] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

/** `9 min ago`. */
export function formatAge(at: number | string, now = Date.now()): string {
  const seconds = (new Date(at).getTime() - now) / 1000;
  const [unit, size] = STEPS.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return formatOf(Intl.RelativeTimeFormat, { numeric: "auto", style: "short" }).format(
    Math.round(seconds / size),
    unit,
  );
}

/** `9 min`. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000;
  const [unit, size] = STEPS.find(([, size]) => seconds >= size) ?? ["second", 1];
  const style = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 0 } as const;
  return formatOf(Intl.NumberFormat, style).format(Math.floor(seconds / size));
}
