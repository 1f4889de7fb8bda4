// A colour lamp behind Zigbee2MQTT: how the bridge announces it, and what it answers to commands.
import { isObject, type JsonObject } from "../../../src/kit/schema/json.ts";
import type { createRig } from "./rig.ts";

type Rig = ReturnType<typeof createRig>;

/** Its id in the hub. */
export const LAMP = "0x00158d0001a2b3c4";
const TOPIC = "zigbee2mqtt/hall lamp";

const binary = { type: "binary", value_on: "ON", value_off: "OFF", access: 7 };
const numeric = { type: "numeric", access: 7 };
const ANNOUNCED = {
  ieee_address: LAMP,
  type: "Router",
  friendly_name: "hall lamp",
  definition: {
    model: "LED1",
    vendor: "Maker",
    exposes: [
      {
        type: "light",
        features: [
          { ...binary, name: "state", property: "state" },
          { ...numeric, name: "brightness", property: "brightness", value_min: 0, value_max: 254 },
          { ...numeric, name: "color_temp", property: "color_temp", unit: "mired", value_min: 153, value_max: 500 },
          {
            ...{ type: "composite", name: "color_hs", property: "color", access: 7 },
            features: [
              { ...numeric, name: "hue", property: "hue" },
              { ...numeric, name: "saturation", property: "saturation" },
            ],
          },
        ],
      },
    ],
    options: [],
  },
};

/** Announces it, off. */
export async function takeLamp(rig: Rig): Promise<void> {
  rig.publish("zigbee2mqtt/bridge/devices", [ANNOUNCED]);
  await rig.clock.advance(10);
  rig.publish(TOPIC, { state: "OFF", brightness: 254, color_temp: 370 });
}

/** Takes what was sent to it, as the bridge does: red is all it knows of colours. */
export function answer(rig: Rig): JsonObject[] {
  return rig.sent().map(({ topic, payload }) => {
    if (topic !== `${TOPIC}/set` || !isObject(payload)) throw new Error(`no command of the lamp: ${topic}`);
    const { color, ...state } = payload;
    const red = color !== undefined && { color: { hue: 0, saturation: 100 }, color_mode: "hs" };
    rig.publish(TOPIC, { ...state, ...red, ...(state.color_temp !== undefined && { color_mode: "color_temp" }) });
    return payload;
  });
}
