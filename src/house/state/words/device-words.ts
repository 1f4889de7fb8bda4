// The shared words of each device: kept with what the device says of itself, added to each of its reports, and made anew when what it
// says of itself changes.
import type { Json, JsonObject } from "../../../kit/schema/json.ts";
import type { Device, DeviceDetails } from "../device.ts";
import type { GivenByPeople } from "./given-by-people.ts";
import { propertiesIn } from "./senses.ts";
import { type SensorWords, sensorWordsOf } from "./sensor-words.ts";

/** An attribute that an earlier version of the hub called otherwise, or read otherwise: what meant `from` means `to` now. */
export interface RenamedAttribute {
  deviceId: string;
  from: string;
  to: string;
}

/** A device with what it says of itself from now on. */
export interface Described {
  words: SensorWords;
  /** What it says of itself, in the names of the house. */
  details: DeviceDetails;
  attributes: JsonObject;
  renamed: readonly RenamedAttribute[];
}

type Known = Pick<Device, "id" | "details" | "attributes">;

export class DeviceWords {
  readonly #words = new Map<string, SensorWords>();
  readonly #given: GivenByPeople;

  constructor(given: GivenByPeople) {
    this.#given = given;
  }

  /** Undefined where that is what is known. Nothing has changed until it is kept. */
  describe(device: Known, said: DeviceDetails): Described | undefined {
    const { id } = device;
    const details = this.#given.detailsInOwn(id, device.details);
    const words = sensorWordsOf({ ...details, ...said }, details);
    if (JSON.stringify(words.details) === JSON.stringify(details)) return undefined;
    const reported = withoutWords(this.#given.inOwn(id, device.attributes), this.#of(device));
    const renamed = isOfBefore(details) ? renamedOf({ id, details }, { words, reported }) : [];
    return {
      words,
      details: this.#given.detailsInHouse(device, words.details),
      attributes: this.#given.inHouse(device, words.translate(reported)),
      renamed,
    };
  }

  keep(id: string, { words }: Described): void {
    this.#words.set(id, words);
  }

  /** A report with its words. */
  translate(device: Known, report: JsonObject): JsonObject {
    return this.#given.inHouse(device, this.#of(device).translate(report));
  }

  forget(id: string): void {
    this.#words.delete(id);
  }

  #of({ id, details }: Pick<Device, "id" | "details">): SensorWords {
    const known = this.#words.get(id);
    if (known) return known;
    const words = sensorWordsOf(this.#given.detailsInOwn(id, details));
    this.#words.set(id, words);
    return words;
  }
}

/** As the device reported them. */
function withoutWords(attributes: JsonObject, { rules }: SensorWords): JsonObject {
  const reported = { ...attributes };
  for (const { from, own, word } of rules) {
    if (!Object.hasOwn(reported, own)) continue;
    if (word !== undefined) delete reported[word];
    if (own === from) continue;
    reported[from] = reported[own] as Json;
    delete reported[own];
  }
  return reported;
}

const describedIn = ({ schema, capabilities }: DeviceDetails) =>
  propertiesIn(schema) ?? propertiesIn(capabilities) ?? {};

/** Kept by a version of the hub that made no words of what devices sense. */
const isOfBefore = (details: DeviceDetails): boolean =>
  Object.values(describedIn(details)).every(({ word }) => word === undefined);

/** What each of them means now; turns in `reported` what was kept turned round. */
function renamedOf(
  { id, details }: Pick<Known, "id" | "details">,
  { words, reported }: { words: SensorWords; reported: JsonObject },
): RenamedAttribute[] {
  const [before, now] = [describedIn(details), describedIn(words.details)];
  return words.rules.flatMap(({ from, own, word }): RenamedAttribute[] => {
    if (before[from] === undefined) return [];
    if (own !== from) return [{ deviceId: id, from, to: own }];
    if (now[own]?.inverted !== true || before[from].inverted === true) return [];
    if (typeof reported[from] === "boolean") reported[from] = !reported[from];
    return word === undefined ? [] : [{ deviceId: id, from, to: word }];
  });
}
