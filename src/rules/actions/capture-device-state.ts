// `capture_device_state`: stores the state of devices for `restore_device_state`.
import { defineAction } from "../model/define.ts";
import { deviceIds, text } from "../model/fields.ts";

export const captureDeviceState = defineAction({
  type: "capture_device_state",
  doc: "Stores the current state of devices under a key, for `restore_device_state`.",
  whenInterrupted: () => "resume",
  fields: () => ({ device_ids: deviceIds, key: text("The key", { maxLength: 200, default: "default" }) }),
  run({ device_ids, key }, scope) {
    // After a restart the devices may be as later actions left them.
    if (scope.resumed() === undefined) {
      scope.captured.set(key, scope.host.captureStates(device_ids));
      scope.progress(true);
      scope.secure();
    }
    return `${device_ids.join(", ")} as ${key}`;
  },
  example: { device_ids: ["lamp", "fan"], key: "before" },
});
