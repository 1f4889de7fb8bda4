// `capture_device_state`: stores the state of devices for `restore_device_state`.
import { HubError } from "../../kit/schema/errors.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import { type ActionScope, defineAction } from "../model/define.ts";
import { nothingFound } from "../model/devices.ts";
import { someDevices, text } from "../model/fields.ts";
import type { HouseReads } from "../model/host.ts";
import { isFound, requireDevices, resolveDevices } from "../model/targets.ts";

const { device_ids, ...rest } = someDevices;

export const captureDeviceState = defineAction({
  type: "capture_device_state",
  doc: "Stores the current state of devices under a key, for `restore_device_state`. Of devices that are found, those without a state to restore are left out.",
  whenInterrupted: () => "resume",
  fields: () => ({
    // First, as it may be written without its name.
    device_ids,
    ...rest,
    key: text("The key", { maxLength: 200, default: "default" }),
  }),
  check: requireDevices,
  run({ key, ...spec }, scope: ActionScope<"devices" | "presentStates">) {
    const { host, captured } = scope;
    const ids = resolveDevices(spec, host);
    // After a restart the devices may be as later actions left them.
    if (scope.resumed() === undefined) {
      captured.set(key, isFound(spec) ? capturable(ids, host) : host.presentStates(ids));
      scope.progress(true);
      scope.flush();
    }
    const names = Object.keys(captured.get(key) ?? {});
    return names.length === 0 ? nothingFound(spec, ids.length) : `${names.join(", ")} as ${key}`;
  },
  example: { device_ids: ["lamp", "fan"], key: "before" },
});

/** An area has sensors as well. */
function capturable(ids: readonly string[], host: Pick<HouseReads, "presentStates">): Record<string, JsonObject> {
  const states = ids.map((id) => {
    try {
      return host.presentStates([id]);
    } catch (error) {
      if (error instanceof HubError) return {};
      throw error;
    }
  });
  return Object.assign({}, ...states);
}
