// `device_battery_low`: a battery falls to the threshold of [battery].
import { defineTrigger } from "../model/define.ts";
import { DEVICE_CONTEXT_KEYS, deviceContext, deviceEventOf, deviceInterests } from "../model/devices.ts";
import { someDevices } from "../model/fields.ts";
import { checkDevices, whichDevices } from "../model/targets.ts";

export const deviceBatteryLow = defineTrigger({
  type: "device_battery_low",
  doc: "A device's battery falls to the threshold of [battery]; without a device, any.",
  fields: someDevices,
  label: (spec) => `${whichDevices(spec)} has a low battery`,
  check: checkDevices,
  contextKeys: [...DEVICE_CONTEXT_KEYS, "battery_pct", "threshold_pct"],
  interests: (spec) => deviceInterests("device_battery_low", spec),
  match(spec, envelope, host) {
    const event = deviceEventOf("device_battery_low", envelope, { spec, host });
    if (!event) return undefined;
    const { device_id, battery_pct, threshold_pct } = event;
    return {
      ...deviceContext(host, device_id),
      attribute: "battery_pct",
      value: battery_pct,
      battery_pct,
      threshold_pct,
    };
  },
  example: { device_id: "door" },
});
