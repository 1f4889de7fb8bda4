// What Zigbee2MQTT always says of a lamp besides, and the corpus leaves out: which of its colours counts, and one that exists.
import type { Model } from "../corpus/lines.ts";

/** In its own way of saying it; red, green and blue of it are Home Assistant's business. */
const COLORS = [
  { xy: { x: 0.601, y: 0.384 }, hs: { h: 32, s: 100 } },
  { xy: { x: 0.172, y: 0.747 }, hs: { h: 120, s: 80 } },
] as const;

/** `shown`: white, or one of two colours. */
export function coloured(
  model: Model,
  state: Record<string, unknown>,
  shown: "white" | 0 | 1,
): Record<string, unknown> {
  const next = { ...state };
  for (const { topic, payload } of model.discovery) {
    const { supported_color_modes: modes } = payload;
    if (!topic.startsWith("homeassistant/light/") || !Array.isArray(modes)) continue;
    const part = /\/light_([^/]+)\/config$/.exec(topic)?.[1];
    const suffix = part === undefined ? "" : `_${part}`;
    const kind = modes.includes("xy") ? "xy" : modes.includes("hs") ? "hs" : undefined;
    if (modes.includes("color_temp") && (shown === "white" || kind === undefined))
      next[`color_mode${suffix}`] = "color_temp";
    if (shown === "white" || kind === undefined) continue;
    const color = COLORS[shown][kind];
    next[`color_mode${suffix}`] = kind;
    next[`color${suffix}`] =
      kind === "hs" ? { ...color, hue: COLORS[shown].hs.h, saturation: COLORS[shown].hs.s } : color;
  }
  return next;
}
