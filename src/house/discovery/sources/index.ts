// Every source of descriptions, the best first: of two that describe the same thing, the first counts.
import type { DiscoverySection } from "../config.ts";
import type { CreateSource } from "../source.ts";
import { createFrigateSource } from "./frigate/source.ts";
import { createHomeAssistantSource } from "./home-assistant/source.ts";
import { createHomieSource } from "./homie/source.ts";
import type { Profiles } from "./profiles/profiles.ts";
import { createProfilesSource } from "./profiles/source.ts";
import { createShellySource } from "./shelly/source.ts";
import { createTasmotaSource } from "./tasmota/source.ts";
import { createZigbee2mqttSource } from "./zigbee2mqtt/source.ts";

/** Those that are switched on. */
export function sourcesOf(config: DiscoverySection, profiles?: Pick<Profiles, "follow">): CreateSource[] {
  const homeAssistant: CreateSource = (host, discovery) =>
    createHomeAssistantSource(host, {
      prefix: config.prefix,
      isElsewhere: (sender, origin) => origin === "Zigbee2MQTT" && discovery.describes(sender, "zigbee2mqtt"),
    });
  return [
    ...(config.zigbee2mqtt ? [createZigbee2mqttSource] : []),
    ...(config.tasmota ? [(host: Parameters<CreateSource>[0]) => createTasmotaSource(host)] : []),
    ...(config.shelly ? [createShellySource] : []),
    ...(config.homie ? [(host: Parameters<CreateSource>[0]) => createHomieSource(host, config.homie_base)] : []),
    ...(config.frigate ? [createFrigateSource] : []),
    ...(config.homeassistant ? [homeAssistant] : []),
    ...(profiles ? [(host: Parameters<CreateSource>[0]) => createProfilesSource(host, profiles)] : []),
  ];
}
