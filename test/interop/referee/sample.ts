// A part of the models in which every component, class, unit and shape of template appears.
import { createRandom, shuffled } from "../../support/random.ts";
import type { Model } from "../corpus/lines.ts";

/** The first that bring something new, then others by chance. */
export function sampleOf(models: readonly Model[], count: number, seed: number): Model[] {
  const mixed = shuffled(models, createRandom(seed));
  const seen = new Set<string>();
  const chosen = new Set<Model>();
  for (const model of mixed) {
    const fresh = traitsOf(model).filter((one) => !seen.has(one));
    if (fresh.length > 0 && chosen.size < count) {
      chosen.add(model);
      for (const one of traitsOf(model)) seen.add(one);
    }
  }
  for (const model of mixed) if (chosen.size < count) chosen.add(model);
  return [...chosen];
}

function traitsOf({ discovery }: Model): string[] {
  return discovery.flatMap(({ topic, payload }) => {
    const component = topic.split("/")[1];
    const { device_class: kind, unit_of_measurement: unit, payload_on: on } = payload;
    const isMeasure = component === "sensor" || component === "binary_sensor";
    return isMeasure
      ? [`${component} ${kind} ${kind === undefined ? "" : unit} ${component === "sensor" ? "" : on}`]
      : [`${component}`, ...shapeOf(component, payload)];
  });
}

// Of things that are commanded, by how they are announced: each way is read by other code.
function shapeOf(component: string | undefined, payload: Record<string, unknown>): string[] {
  if (["select", "number", "text", "update", "button"].includes(component ?? "")) return [];
  if (component === "switch") return [`switch ${payload.payload_on}`];
  const keys = Object.keys(payload).filter(
    (key) => key.endsWith("template") || key.endsWith("modes") || key.startsWith("speed"),
  );
  return [`${component} ${keys.sort().join(" ")} ${JSON.stringify(payload.supported_color_modes ?? "")}`];
}
