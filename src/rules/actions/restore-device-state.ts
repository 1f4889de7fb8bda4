// `restore_device_state`: brings devices back into the captured state. It stays captured.
import { HubError } from "../../kit/schema/errors.ts";
import { type ActionScope, defineAction } from "../model/define.ts";
import { commandEach } from "../model/devices.ts";
import { text } from "../model/fields.ts";

export const restoreDeviceState = defineAction({
  type: "restore_device_state",
  doc: "Brings devices back into the state that `capture_device_state` stored.",
  whenInterrupted: () => "repeat",
  fields: () => ({ key: text("The key", { maxLength: 200, default: "default" }) }),
  async run({ key }, scope: ActionScope<"command">) {
    const states = scope.captured.get(key);
    if (!states) {
      throw new HubError("not_found", `nothing is captured as "${key}": put capture_device_state before it`);
    }
    await commandEach(states, scope);
    return `${Object.keys(states).join(", ")} as ${key}`;
  },
  example: { key: "before" },
});
