// `device_battery_low`: a battery falls to the threshold of [battery].
import { defineTrigger } from "../model/define.ts";
import { DEVICE_CONTEXT_KEYS, deviceContext, deviceEventOf, deviceInterests } from "../model/devices.ts";
import { someDevices } from "../model/fields.ts";
import type { HouseReads } from "../model/host.ts";
import { checkDevices, whichDevices } from "../model/targets.ts";

export const deviceBatteryLow = defineTrigger({
  type: "device_battery_low",
  doc: "A device's battery falls to the threshold of [battery], or the device says that it is low; without a device, any.",
  fields: someDevices,
  label: (spec) => `${whichDevices(spec)} has a low battery`,
  check: checkDevices,
  contextKeys: [...DEVICE_CONTEXT_KEYS, "battery", "battery_pct", "threshold_pct", "part", "reported"],
  interests: (spec) => deviceInterests("device_battery_low", spec),
  match(spec, envelope, host: Pick<HouseReads, "device">) {
    const event = deviceEventOf("device_battery_low", envelope, { spec, host });
    if (!event) return undefined;
    const { device_id, battery_pct, threshold_pct, part, reported } = event;
    return {
      ...deviceContext(host, device_id),
      attribute: "battery_pct",
      value: battery_pct,
      battery: wording({ battery_pct, part, reported }),
      battery_pct,
      threshold_pct,
      ...(part !== undefined && { part }),
      ...(reported !== undefined && { reported }),
    };
  },
  example: { device_id: "door" },
});

/** For messages: the level, where the device reported one that is low, and which battery it is. */
function wording({ battery_pct, part, reported }: { battery_pct: number; part?: string; reported?: string }): string {
  const level = reported === undefined ? `${battery_pct} %` : "low";
  return part === undefined ? level : `${level} (${part.replaceAll("_", " ")})`;
}
