// `time_elapsed`: an attribute has not changed for a time. The times of changes survive restarts.
import { defineCondition } from "../model/define.ts";
import { attribute, deviceId, secs } from "../model/fields.ts";
import { msOf } from "../model/values.ts";

export const timeElapsed = defineCondition({
  type: "time_elapsed",
  doc: "A device's attribute has not changed for at least this time.",
  fields: () => ({ device_id: deviceId, attribute, duration_secs: secs("At least so many seconds") }),
  evaluate({ device_id, attribute, duration_secs }, { host, msSince }) {
    const expected = `${device_id}.${attribute} unchanged for at least ${duration_secs} s`;
    const device = host.device(device_id);
    if (!device) return { passed: false, expected, actual: `there is no device "${device_id}"` };
    const changedAt = Object.hasOwn(device.lastChanged, attribute) ? device.lastChanged[attribute] : undefined;
    if (changedAt === undefined) {
      return { passed: false, expected, actual: `no change of "${attribute}" is known of the device "${device_id}"` };
    }
    const elapsedMs = msSince(changedAt);
    const passed = elapsedMs >= msOf(duration_secs);
    // Rounded down, so that a time that is too short never looks long enough.
    return { passed, expected, actual: `unchanged for ${Math.floor(elapsedMs / 100) / 10} s` };
  },
  example: { device_id: "door", attribute: "open", duration_secs: 600 },
});
