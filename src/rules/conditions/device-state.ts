// `device_state`: the current value of a device's attribute. With an unknown device or attribute it never passes, even with `Ne`.
import { defineCondition } from "../model/define.ts";
import { attribute, deviceId, json, op } from "../model/fields.ts";
import { checkComparison, compare, comparisonText } from "../model/values.ts";

export const deviceState = defineCondition({
  type: "device_state",
  doc: "Compares the current value of a device's attribute. If the device or attribute does not exist, it does not pass, even with `Ne`.",
  fields: () => ({ device_id: deviceId, attribute, op, value: json("What to compare with") }),
  check: checkComparison,
  evaluate(spec, { host }) {
    const expected = `${spec.device_id}.${spec.attribute} ${comparisonText(spec)}`;
    const device = host.device(spec.device_id);
    if (!device) return { passed: false, expected, actual: `there is no device "${spec.device_id}"` };
    const actual = Object.hasOwn(device.attributes, spec.attribute) ? device.attributes[spec.attribute] : undefined;
    if (actual === undefined) {
      return { passed: false, expected, actual: `the device "${spec.device_id}" has no "${spec.attribute}"` };
    }
    return { expected, actual, ...compare(actual, spec) };
  },
  example: { device_id: "sensor", attribute: "temperature", op: "Gte", value: 21.5 },
});
