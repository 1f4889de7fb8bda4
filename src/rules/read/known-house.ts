// What warnings about rules know of the house of a running hub.
import type { HouseReads } from "../model/host.ts";
import type { KnownHouse } from "./lint.ts";

export function knownHouse(
  host: Pick<HouseReads, "device" | "described" | "variable">,
  textProblems: KnownHouse["textProblems"],
): KnownHouse {
  return {
    attributes(device) {
      const known = host.device(device);
      return known && Object.keys(known.attributes);
    },
    described: (device) => host.described(device),
    variable: (name) => host.variable(name) !== undefined,
    textProblems,
  };
}
