// The page's sentence for what Home Assistant calls on and off, in both languages. What each state is called is Home Assistant's
// own list (homeassistant/components/binary_sensor/strings.json and lock/strings.json), here with the words that mean the same.
import "../../web/browser.ts";
import { join } from "node:path";
import type { Both } from "./batches.ts";
import { type Entity, type HubDevice, keyOf, propertiesOf, type Seen } from "./entities.ts";

type Language = "en" | "de";

interface Wording {
  on: RegExp;
  /** Looked for first: "no smoke" has smoke in it. */
  off: RegExp;
}

const LANGUAGES = ["en", "de"] as const;
// Behind each: Home Assistant's words for on and off.
const WORDINGS: Readonly<Record<string, Record<Language, Wording>>> = {
  // Open, Closed.
  open: {
    en: { on: /\bopen\b/i, off: /\bclosed\b|\bshut\b/i },
    de: { on: /\boffen\b|geöffnet/i, off: /geschlossen|\bzu\b/i },
  },
  // Detected, Clear.
  motion: {
    en: {
      on: /motion|presen|occupied|someone|somebody/i,
      off: /\bno\b|\bno(body| one)\b|\bclear\b|\bstill\b|\bempty\b/i,
    },
    de: { on: /bewegung|anwesen|belegt|jemand/i, off: /\bkein|niemand|\bruhig|\bruhe\b|\bleer\b|\bfrei\b|\babwesend/i },
  },
  // Wet, Dry.
  moisture: {
    en: { on: /\bwet\b|water|leak/i, off: /\bdry\b|\bno /i },
    de: { on: /nass|wasser|leck/i, off: /trocken|\bkein /i },
  },
  // Detected, Clear.
  smoke: { en: { on: /smoke/i, off: /\bno |\bclear\b/i }, de: { on: /rauch/i, off: /\bkein /i } },
  gas: { en: { on: /\bgas\b/i, off: /\bno |\bclear\b/i }, de: { on: /\bgas\b/i, off: /\bkein /i } },
  carbon_monoxide: {
    en: { on: /carbon monoxide|\bCO\b/i, off: /\bno |\bclear\b/i },
    de: { on: /kohlenmonoxid|\bCO\b/i, off: /\bkein /i },
  },
  vibration: {
    en: { on: /vibrat|shak/i, off: /\bno |\bstill\b|\bclear\b/i },
    de: { on: /vibr|erschütter/i, off: /\bkeine? |\bstill\b|\bruhig/i },
  },
  // Tampering detected, Clear.
  tamper: {
    en: { on: /tamper/i, off: /\bno |\bnot |\bclear\b|untouched|\bclosed\b/i },
    de: { on: /manip|sabotage|geöffnet/i, off: /\bkeine? |\bnicht |unberührt|unversehrt|geschlossen/i },
  },
  // Low, Normal.
  battery: {
    en: { on: /\blow\b|\bempty\b/i, off: /\bno(t| low)\b|normal|\bok\b|\bfull\b|\bgood\b/i },
    de: { on: /schwach|\bleer\b|niedrig/i, off: /\bnicht\b|normal|\bok\b|\bvoll\b|\bgut\b|in ordnung/i },
  },
  // Unlocked, Locked.
  lock: {
    en: { on: /\bunlocked\b/i, off: /\blocked\b/i },
    de: {
      on: /\bentriegelt|\baufgeschlossen|\bentsperrt|\bunverriegelt|\boffen\b/i,
      off: /\bverriegelt|\babgeschlossen|\bverschlossen|\bgesperrt|\bzugeschlossen/i,
    },
  },
};
const LIKE: Readonly<Record<string, string>> = {
  door: "open",
  window: "open",
  opening: "open",
  garage_door: "open",
  occupancy: "motion",
  presence: "motion",
};
const ALARMS = ["moisture", "smoke", "gas", "carbon_monoxide"];
const SILENT: Record<Language, RegExp> = { en: /nothing reported/i, de: /nichts gemeldet|keine meldung/i };

/** A state in words, in the language that is set. */
type InWords = (device: HubDevice, attributes: Record<string, unknown>) => string;

interface Page {
  /** Does the work with the page in that language, and no other work meanwhile. */
  in(language: Language, work: (inWords: InWords) => void): Promise<void>;
}

let page: Promise<Page> | undefined;

/** The page's modules, once for all that ask. */
export const openPage = (): Promise<Page> => (page ??= loadPage());

interface Texts {
  setLanguage(to: Language): Promise<void>;
  loadLater(): Promise<void>;
}

async function loadPage(): Promise<Page> {
  // The page is made for browsers and has a project of its own: its types are not read here.
  const at = (path: string): string => join(import.meta.dir, "../../../src/page", path);
  const { stateInWords } = (await import(at("model/device/kinds.ts"))) as { stateInWords: InWords };
  const { setLanguage, loadLater } = (await import(at("texts/index.ts"))) as Texts;
  await loadLater();
  const inWords: InWords = (hub, attributes) => stateInWords({ ...hub, attributes }, attributes);
  // The language is one for the whole page.
  let before: Promise<unknown> = Promise.resolve();
  return {
    in(language, work) {
      const now = before.then(async () => {
        await setLanguage(language);
        work(inWords);
      });
      before = now.catch(() => {});
      return now;
    },
  };
}

interface Said {
  entity: Entity;
  on?: string;
  off?: string;
}

/** Judges what the page says of each thing, and that it says another thing when it is off. */
export class Sentences {
  readonly #both: Both;
  readonly #page: Page;
  readonly #said = new Map<string, Said>();

  constructor(both: Both, page: Page) {
    this.#both = both;
    this.#page = page;
  }

  async add(all: readonly Seen[]): Promise<void> {
    for (const language of LANGUAGES)
      await this.#page.in(language, (inWords) => {
        for (const seen of all) this.#add(seen, language, inWords);
      });
  }

  /** Forgets what was said. */
  end(): void {
    for (const { entity, on, off } of this.#said.values())
      if (on !== undefined && on === off)
        this.#both.report(entity, { what: "sentence", homeAssistant: "on and off are two things", hub: on });
    this.#said.clear();
  }

  #add(seen: Seen, language: Language, inWords: InWords): void {
    const { entity, hub } = seen;
    const kind = kindOf(entity);
    const state = stateOf(seen);
    if (kind === undefined || state === undefined) return;
    const alone = inWords(hub, ownOf(seen));
    const key = `${keyOf(entity)} ${language}`;
    const said = this.#said.get(key) ?? { entity };
    said[state] = alone;
    this.#said.set(key, said);
    const sentences = state === "on" && ALARMS.includes(kind) ? [alone, inWords(hub, hub.attributes)] : [alone];
    for (const sentence of sentences) {
      if (isRight(sentence, { kind, state, language })) continue;
      this.#both.report(entity, { what: `sentence ${language}`, homeAssistant: `${kind} is ${state}`, hub: sentence });
    }
  }
}

function isRight(
  sentence: string,
  { kind, state, language }: { kind: string; state: "on" | "off"; language: Language },
): boolean {
  const wording = WORDINGS[kind]?.[language];
  if (wording === undefined || SILENT[language].test(sentence)) return false;
  const parts = sentence.split(" · ");
  const calm = parts.filter((part) => wording.off.test(part));
  const alarmed = parts.filter((part) => !wording.off.test(part) && wording.on.test(part));
  const [own, other] = state === "on" ? [alarmed, calm] : [calm, alarmed];
  // What a battery is while it is not low needs no words of its own.
  return other.length === 0 && (own.length > 0 || (kind === "battery" && state === "off"));
}

function kindOf({ component, config }: Entity): string | undefined {
  if (component === "lock") return "lock";
  if (component !== "binary_sensor") return undefined;
  const kind = String(config.device_class ?? "");
  const like = LIKE[kind] ?? kind;
  return like in WORDINGS ? like : undefined;
}

/** A lock that is unlocked is "on", as its binary sensor is. Of one that says two things at once there is no sentence to judge. */
function stateOf({ entity, says, reported }: Seen): "on" | "off" | undefined {
  const { lock_state: beside = says.state } = reported;
  if (entity.component === "lock" && beside !== says.state) return undefined;
  if (entity.component === "lock")
    return says.state === "unlocked" ? "on" : says.state === "locked" ? "off" : undefined;
  return says.state === "on" || says.state === "off" ? says.state : undefined;
}

/** The attributes that this thing alone makes. */
function ownOf({ entity, hub }: Seen): Record<string, unknown> {
  const known = propertiesOf(hub);
  const names = Object.keys(hub.attributes).filter((name) => {
    const isLock =
      entity.component === "lock" && (name === "locked" || name === "lock_state" || known[name]?.word === "locked");
    return name === entity.property || known[name]?.of === entity.property || isLock;
  });
  return Object.fromEntries(names.map((name) => [name, hub.attributes[name]]));
}
