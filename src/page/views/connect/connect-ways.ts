// The ways by which devices come into the house.
export const WAYS = ["zigbee", "tasmota", "shelly", "esphome", "plugin", "virtual"] as const;
export type Way = (typeof WAYS)[number];

/** Those that sign in to the MQTT broker. */
export type AccountWay = Exclude<Way, "virtual">;

/** The kind of MQTT account, and a name for it. A program may run on the hub's own machine. */
export const ACCOUNTS: Readonly<Record<AccountWay, { kind: string; name: string; isProgram?: boolean }>> = {
  zigbee: { kind: "zigbee2mqtt", name: "zigbee2mqtt", isProgram: true },
  tasmota: { kind: "tasmota", name: "tasmota" },
  shelly: { kind: "shelly", name: "shelly" },
  esphome: { kind: "esphome", name: "" },
  plugin: { kind: "plugin", name: "", isProgram: true },
};
