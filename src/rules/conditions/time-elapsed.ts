// `time_elapsed`: an attribute has been what it is for so long. The times of changes survive restarts.
import { defineCondition } from "../define.ts";
import { attribute, deviceId, secs } from "../fields.ts";
import { msOf } from "../values.ts";

export const timeElapsed = defineCondition({
  type: "time_elapsed",
  doc: "The last change of a device's attribute is at least so long ago.",
  fields: () => ({ device_id: deviceId, attribute, duration_secs: secs("At least so many seconds ago") }),
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
    // Rounded down, so that it never looks like enough when it is not.
    return { passed, expected, actual: `unchanged for ${Math.floor(elapsedMs / 100) / 10} s` };
  },
  example: { device_id: "door", attribute: "open", duration_secs: 600 },
});
