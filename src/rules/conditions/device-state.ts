// `device_state`: what an attribute of a device is now. Of what is not known nothing holds, not even `Ne`.
import { defineCondition } from "../define.ts";
import { attribute, deviceId, json, op } from "../fields.ts";
import { checkComparison, compare, inWords } from "../values.ts";

export const deviceState = defineCondition({
  type: "device_state",
  doc: "An attribute of a device compares so now. Of a device or attribute that is not there nothing holds, not even `Ne`.",
  fields: () => ({ device_id: deviceId, attribute, op, value: json("What to compare with") }),
  check: checkComparison,
  evaluate(spec, { host }) {
    const expected = `${spec.device_id}.${spec.attribute} ${inWords(spec)}`;
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
