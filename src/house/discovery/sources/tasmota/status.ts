// How a Tasmota fares: its Wi-Fi, its battery.
import { isObject, type JsonObject } from "../../../../kit/schema/json.ts";
import { numberIn } from "../../numbers.ts";
import { type Channel, READABLE } from "./channel.ts";
import type { TasmotaConfig } from "./config.ts";

export function statusOf({ hasBattery }: TasmotaConfig): Channel[] {
  const diagnostic = { ...READABLE, type: "number", category: "diagnostic" } as const;
  const wifi = (state: JsonObject): JsonObject => (isObject(state.Wifi) ? state.Wifi : {});
  const found: Channel[] = [
    {
      attribute: { ...diagnostic, name: "linkquality", unit: "%" },
      decode: (state) => numberIn(wifi(state).RSSI),
    },
    {
      attribute: { ...diagnostic, name: "rssi", unit: "dBm" },
      decode: (state) => numberIn(wifi(state).Signal),
    },
    {
      attribute: { ...diagnostic, name: "wifi_connections", hidden: true },
      decode: (state) => numberIn(wifi(state).LinkCount),
    },
    {
      attribute: { ...diagnostic, name: "mqtt_connections", hidden: true },
      decode: (state) => numberIn(state.MqttCount),
    },
  ];
  if (!hasBattery) return found;
  return [
    ...found,
    {
      attribute: { ...READABLE, name: "battery", type: "number", unit: "%", class: "battery" },
      decode: (state) => numberIn(state.BatteryPercentage),
    },
  ];
}
