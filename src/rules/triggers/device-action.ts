// `device_action`: a device that announces itself reports a press, a turn or a tag, in its own words.
import { Type } from "@sinclair/typebox";
import type { JsonObject } from "../../kit/schema/json.ts";
import { defineTrigger } from "../model/define.ts";
import { DEVICE_CONTEXT_KEYS, deviceContext, deviceEventOf, deviceInterests } from "../model/devices.ts";
import { someDevices, text } from "../model/fields.ts";
import type { HouseReads } from "../model/host.ts";
import { checkDevices, whichDevices } from "../model/targets.ts";

export const deviceAction = defineTrigger({
  type: "device_action",
  doc: "A device that announces itself reports a press, a turn or a tag: each time, also when it is the same as before.",
  fields: {
    ...someDevices,
    action: Type.Optional(text("In the device's own words, such as `single` or `brightness_move_up`; without it, any")),
  },
  label: (spec) => `${whichDevices(spec)} ${spec.action ?? "used"}`,
  check: checkDevices,
  contextKeys: [...DEVICE_CONTEXT_KEYS, "action", "data"],
  interests: (spec) => deviceInterests("device_action", spec),
  match(spec, envelope, host: Pick<HouseReads, "device">) {
    const event = deviceEventOf("device_action", envelope, { spec, host });
    if (!event || (spec.action !== undefined && spec.action !== event.action)) return undefined;
    const { device_id, action, data = {} } = event;
    return { ...deviceContext(host, device_id), attribute: "action", value: action, action, data: data as JsonObject };
  },
  example: { device_id: "0x00158d0001a2b3c4", action: "single" },
});
