// Shelly over MQTT. The first generation announces itself; later ones say that they are online and are asked what they are.
import type { Source, SourceHost } from "../../source.ts";
import { createFirstGeneration } from "./gen1/source.ts";
import { createLaterGenerations } from "./gen2/source.ts";

export function createShellySource(host: SourceHost): Source {
  const first = createFirstGeneration(host);
  const later = createLaterGenerations(host);
  return {
    name: "shelly",
    receive: (incoming) =>
      first.receive(incoming) || (!first.knows(incoming.sender, incoming.topic) && later.receive(incoming)),
    birth: () => [{ topic: "shellies/command", payload: "announce", qos: 0, retain: false }],
  };
}
