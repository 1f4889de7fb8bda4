// `time_elapsed`: an attribute has not changed for a time. The times of changes survive restarts.
import { type ConditionScope, defineCondition } from "../model/define.ts";
import { attribute, secs, someDevices } from "../model/fields.ts";
import type { RuleDevice } from "../model/host.ts";
import { askDevices, matchField } from "../model/several.ts";
import { requireDevices } from "../model/targets.ts";
import { msOf } from "../model/values.ts";

export const timeElapsed = defineCondition({
  type: "time_elapsed",
  doc: "A device's attribute has not changed for at least this time; of several devices, all or any.",
  fields: () => ({ ...someDevices, attribute, duration_secs: secs("At least so many seconds"), match: matchField }),
  check: requireDevices,
  evaluate({ attribute, duration_secs, ...spec }, { host, msSince }: ConditionScope<"device" | "devices">) {
    const question = {
      expected: `.${attribute} unchanged for at least ${duration_secs} s`,
      missing: (id: string) => `no change of "${attribute}" is known of the device "${id}"`,
      ask({ lastChanged }: RuleDevice) {
        const changedAt = Object.hasOwn(lastChanged, attribute) ? lastChanged[attribute] : undefined;
        if (changedAt === undefined) return undefined;
        const elapsedMs = msSince(changedAt);
        // Rounded down, so that a time that is too short never looks long enough.
        const actual = `unchanged for ${Math.floor(elapsedMs / 100) / 10} s`;
        return { passed: elapsedMs >= msOf(duration_secs), actual };
      },
    };
    return askDevices(spec, question, host);
  },
  example: { device_id: "door", attribute: "open", duration_secs: 600 },
});
