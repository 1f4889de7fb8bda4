// A house with one Zigbee2MQTT bridge, as its messages report it.
import { createRig } from "./rig.ts";

export type Rig = ReturnType<typeof createRig>;

export const numeric = (name: string, access: number, more: object = {}) => ({
  ...{ type: "numeric", name, property: name, access },
  ...more,
});
const state = {
  ...{ type: "binary", name: "state", property: "state", access: 7 },
  ...{ value_on: "ON", value_off: "OFF", value_toggle: "TOGGLE" },
};
const linkquality = numeric("linkquality", 1, { unit: "lqi", category: "diagnostic" });

export const COORDINATOR = {
  ...{ ieee_address: "0x00124b00120144ae", type: "Coordinator", friendly_name: "Coordinator", definition: null },
};
export const LAMP = {
  ieee_address: "0x00158d0001a2b3c4",
  type: "Router",
  friendly_name: "living/lamp",
  endpoints: { "1": { name: undefined } },
  definition: {
    ...{ model: "LED1", vendor: "Maker", supports_ota: true },
    exposes: [
      {
        type: "light",
        features: [
          state,
          numeric("brightness", 7, { value_min: 0, value_max: 254 }),
          numeric("color_temp", 7, { unit: "mired", value_min: 153, value_max: 500 }),
          {
            ...{ type: "composite", name: "color_xy", property: "color", access: 7 },
            features: [numeric("x", 7), numeric("y", 7)],
          },
        ],
      },
      linkquality,
      {
        ...{ type: "enum", name: "power_on_behavior", property: "power_on_behavior", access: 7, category: "config" },
        values: ["off", "on"],
      },
    ],
    options: [numeric("transition", 2)],
  },
};
export const BUTTON = {
  ieee_address: "0x00158d0000000002",
  type: "EndDevice",
  friendly_name: "button",
  definition: {
    ...{ model: "B", vendor: "Maker" },
    exposes: [
      numeric("battery", 1, { unit: "%" }),
      { type: "enum", name: "action", property: "action", access: 1, values: ["single", "double"] },
    ],
  },
};
/** Two relays in one. */
export const RELAYS = {
  ieee_address: "0x00158d0000000003",
  type: "Router",
  friendly_name: "relays",
  endpoints: { "1": { name: "l1" }, "2": { name: "l2" } },
  definition: {
    ...{ model: "R2", vendor: "Maker" },
    exposes: ["l1", "l2"].map((endpoint) => ({
      ...{ type: "switch", endpoint },
      features: [{ ...state, property: `state_${endpoint}`, endpoint }],
    })),
  },
};
export const INFO = {
  ...{ version: "2.14.1", log_level: "info", permit_join: false, restart_required: false },
  coordinator: { ieee_address: COORDINATOR.ieee_address, type: "EmberZNet", meta: {} },
  network: { channel: 15, pan_id: 6754 },
  config: {},
};
export const GROUP = {
  ...{ id: 1, friendly_name: "all lamps", scenes: [] },
  members: [
    { ieee_address: LAMP.ieee_address, endpoint: 1 },
    { ieee_address: RELAYS.ieee_address, endpoint: 2 },
  ],
};
export const BRIDGE = "zigbee2mqtt_bridge";
export const DEVICES = "zigbee2mqtt/bridge/devices";

/** With the bridge, the lamp and the button. */
export async function furnished(options?: Parameters<typeof createRig>[0]): Promise<Rig> {
  const rig = createRig(options);
  await announce(rig, [COORDINATOR, LAMP, BUTTON]);
  return rig;
}

export async function announce(rig: Rig, devices: readonly unknown[]): Promise<void> {
  rig.publish(DEVICES, devices);
  await rig.clock.advance(10);
}

export const lampOf = (rig: Rig) => rig.registry.get(LAMP.ieee_address);
export const idsOf = (rig: Rig) => [...rig.registry.list()].map(({ id }) => id).sort();

export async function command(rig: Rig, id: string, wanted: object): Promise<unknown[]> {
  await rig.discovery.command(id, wanted as never);
  return rig.sent();
}
