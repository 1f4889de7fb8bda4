// `restore_device_state`: brings devices back into the state that was captured. It stays captured.
import { HubError } from "../../core/errors.ts";
import { commandEach } from "../command-devices.ts";
import { defineAction } from "../define.ts";
import { text } from "../fields.ts";

export const restoreDeviceState = defineAction({
  type: "restore_device_state",
  doc: "Brings devices back into the state that `capture_device_state` kept.",
  fields: () => ({ key: text("The key", { maxLength: 200, default: "default" }) }),
  async run({ key }, scope) {
    const states = scope.captured.get(key);
    if (!states) {
      throw new HubError("not_found", `nothing is captured as "${key}": put capture_device_state before it`);
    }
    await commandEach(states, scope);
    return `${Object.keys(states).join(", ")} as ${key}`;
  },
  example: { key: "before" },
});
