// `device_last_change`: who caused the last change of a device.
import { Type } from "@sinclair/typebox";
import { changeKind, changeSource, kindOfChange } from "../model/changes.ts";
import { type ConditionScope, defineCondition } from "../model/define.ts";
import { deviceId, text } from "../model/fields.ts";
import { show } from "../model/values.ts";

export const deviceLastChange = defineCondition({
  type: "device_last_change",
  doc: "The last change of a device was caused so. It does not pass before the device changes for the first time after a restart.",
  fields: () => ({
    device_id: deviceId,
    kind: Type.Optional(changeKind),
    source: Type.Optional(changeSource),
    actor_id: Type.Optional(text("Only by this one: the id of a person or a rule")),
    actor_name: Type.Optional(text("Only by this one: the name of a person or a rule")),
  }),
  evaluate({ device_id, kind, ...wanted }, { host }: ConditionScope<"device">) {
    const words = Object.entries({ kind, ...wanted }).filter(([key, value]) => key in WORDS && value !== undefined);
    const by = words.map(([key, value]) => `${key} ${show(value)}`).join(", ");
    const expected = `the last change of ${device_id} is ${by === "" ? "by anybody" : `by ${by}`}`;
    const device = host.device(device_id);
    if (!device) return { passed: false, expected, actual: `there is no device "${device_id}"` };
    const { lastChange } = device;
    if (!lastChange) return { passed: false, expected, actual: "it is not known who caused the last change" };
    const found = { ...lastChange, kind: kindOfChange(lastChange) };
    const passed = words.every(([key, value]) => found[key as keyof typeof found] === value);
    return { passed, expected, actual: found };
  },
  example: { device_id: "lamp", kind: "physical", source: "wall", actor_id: "anna", actor_name: "Anna" },
});

const WORDS = { kind: true, source: true, actor_id: true, actor_name: true };
