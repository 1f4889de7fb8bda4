// [discovery]: which devices that announce themselves over MQTT are taken in.
import { type Static, Type } from "@sinclair/typebox";

export const DiscoverySection = Type.Object(
  {
    approve: Type.Union([Type.Literal("auto"), Type.Literal("ask")], {
      default: "auto",
      description: "`ask`: a new device waits until a person accepts it",
      expected: '"auto" or "ask"',
    }),
    zigbee2mqtt: Type.Boolean({ default: true, description: "Devices of Zigbee2MQTT, whatever its base topic" }),
    tasmota: Type.Boolean({ default: true, description: "Tasmota 9.2 and later" }),
    shelly: Type.Boolean({ default: true, description: "Shelly of the second generation and later" }),
    homeassistant: Type.Boolean({ default: true, description: "Whatever speaks Home Assistant's MQTT discovery" }),
    prefix: Type.String({
      default: "homeassistant",
      pattern: "^[^$/+#\\s]+(/[^/+#\\s]+)*$",
      problem: "must be topic levels such as homeassistant: no slash at either end, no + # $ and no spaces",
      description: "The first levels of its topics",
    }),
  },
  { additionalProperties: false, default: {} },
);
export type DiscoverySection = Static<typeof DiscoverySection>;
