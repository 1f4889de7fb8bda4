// [discovery]: which devices that announce themselves over MQTT are taken in.
import { type Static, Type } from "@sinclair/typebox";

const patterns = (description: string) =>
  Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    expected: 'a list of patterns such as "homeassistant:rtl433:*", where * matches any text',
    description: `${description}: names, or ids as GET /discovery lists them`,
  });

export const DiscoverySection = Type.Object(
  {
    approve: Type.Union([Type.Literal("auto"), Type.Literal("ask")], {
      default: "auto",
      description: "`ask`: a new device waits until a person accepts it",
      expected: '"auto" or "ask"',
    }),
    accept: patterns("Taken in although `approve` is `ask`"),
    ignore: patterns("Not taken in; what a person accepted is"),
    max_reading_ms_per_second: Type.Integer({
      default: 200,
      minimum: 10,
      maximum: 1000,
      description: "Of an account: how much of each second reading what its devices report may take",
    }),
    anonymous: Type.Boolean({ default: false, description: "Also what clients without an account announce" }),
    zigbee2mqtt: Type.Boolean({ default: true, description: "Devices of Zigbee2MQTT, whatever its base topic" }),
    tasmota: Type.Boolean({ default: true, description: "Tasmota 9.2 and later" }),
    shelly: Type.Boolean({ default: true, description: "Shelly, of every generation" }),
    homie: Type.Boolean({ default: true, description: "Devices of the Homie convention, versions 3 to 5" }),
    homie_base: Type.String({
      default: "+",
      pattern: "^(\\+|[^$/+#\\s]+)(/(\\+|[^/+#\\s]+))*$",
      problem:
        "must be topic levels such as homie or house/homie, + for any one: no slash at either end, no # $ and no spaces",
      description: "The levels before a Homie device's id; + is any one level",
    }),
    frigate: Type.Boolean({ default: true, description: "Cameras of Frigate, whatever its base topic" }),
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
