// `device_state`: the current value of an attribute. With an unknown device or attribute it never passes, even with `Ne`.
import { type ConditionScope, defineCondition } from "../model/define.ts";
import { attribute, json, op, someDevices } from "../model/fields.ts";
import type { RuleDevice } from "../model/host.ts";
import { askDevices, matchField } from "../model/several.ts";
import { requireDevices } from "../model/targets.ts";
import { checkComparison, compare, comparisonText } from "../model/values.ts";

export const deviceState = defineCondition({
  type: "device_state",
  doc: "Compares the current value of a device's attribute; of several devices, all or any. If the device or attribute does not exist, it does not pass, even with `Ne`.",
  fields: () => ({ ...someDevices, attribute, op, value: json("What to compare with"), match: matchField }),
  check(spec) {
    requireDevices(spec);
    checkComparison(spec);
  },
  evaluate(spec, { host }: ConditionScope<"device" | "devices">) {
    const question = {
      expected: `.${spec.attribute} ${comparisonText(spec)}`,
      missing: (id: string) => `the device "${id}" has no "${spec.attribute}"`,
      ask({ attributes }: RuleDevice) {
        const actual = Object.hasOwn(attributes, spec.attribute) ? attributes[spec.attribute] : undefined;
        return actual === undefined ? undefined : { actual, ...compare(actual, spec) };
      },
    };
    return askDevices(spec, question, host);
  },
  example: { device_id: "sensor", attribute: "temperature", op: "Gte", value: 21.5 },
});
