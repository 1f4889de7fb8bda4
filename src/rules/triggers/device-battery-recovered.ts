// `device_battery_recovered`: a low battery was changed or charged.
import { defineTrigger } from "../model/define.ts";
import { DEVICE_CONTEXT_KEYS, deviceContext, deviceEventOf, deviceInterests } from "../model/devices.ts";
import { someDevices } from "../model/fields.ts";
import type { HouseReads } from "../model/host.ts";
import { checkDevices, whichDevices } from "../model/targets.ts";

export const deviceBatteryRecovered = defineTrigger({
  type: "device_battery_recovered",
  doc: "A battery that was low has risen above the recover band of [battery]; without a device, any.",
  fields: someDevices,
  label: (spec) => `${whichDevices(spec)} has its battery back`,
  check: checkDevices,
  contextKeys: [...DEVICE_CONTEXT_KEYS, "battery_pct", "part"],
  interests: (spec) => deviceInterests("device_battery_recovered", spec),
  match(spec, envelope, host: Pick<HouseReads, "device">) {
    const event = deviceEventOf("device_battery_recovered", envelope, { spec, host });
    if (!event) return undefined;
    const { device_id, battery_pct, part } = event;
    const level = { attribute: "battery_pct", value: battery_pct, battery_pct };
    return { ...deviceContext(host, device_id), ...level, ...(part !== undefined && { part }) };
  },
  example: { device_ids: ["door", "window"] },
});
