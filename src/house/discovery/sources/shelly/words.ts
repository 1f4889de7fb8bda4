// Which of a Shelly's attributes are the words that all devices share, and of which part.
import type { Attribute } from "../../described.ts";

const WORDS = new Set([
  ...["on", "brightness_pct", "color_temp_k", "color_rgb", "moving", "command", "tilt_pct"],
  ...["current_temperature", "target_temperature", "mode", "action"],
]);
/** Of covers only: the position of a radiator's valve is none of a cover. */
const WORDS_OF_COVERS = new Set(["position"]);

/** `on_1` is `on` of the part 1; `on_rgb_0` that of `rgb_0`. */
export function marked(attribute: Attribute, deviceType: string): Attribute {
  const [, word = "", part] = /^(.+?)(?:_((?:[a-z]+_)?\d+))?$/.exec(attribute.name) ?? [];
  const isWord = WORDS.has(word) || (deviceType === "cover" && WORDS_OF_COVERS.has(word));
  const of = part === undefined ? {} : { part };
  return isWord ? { ...attribute, word, ...of } : { ...of, ...attribute };
}
