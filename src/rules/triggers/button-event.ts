// `button_event`: a button is pressed, held, released, … How a press is told is read in button-press.ts.
import { Type } from "@sinclair/typebox";
import { type Press, pressIn, pressOf, wordOf } from "../button-press.ts";
import { defineTrigger } from "../define.ts";
import { checkDevices, deviceContext, deviceEventOf, deviceInterests, devicesOf, whichDevices } from "../devices.ts";
import { attribute, someDevices, text } from "../fields.ts";
import { refusal } from "../values.ts";

export const buttonEvent = defineTrigger({
  type: "button_event",
  doc: "A button is used: the device's attribute `action`, `event`, `button_event` or `click` (or one such as `action_left`) takes a value such as `single`, `1_double` or {button, event}, or a plugin sends the custom event `button_event` with these fields. The same press twice is only told by a custom event, or by an attribute that is empty in between.",
  fields: {
    ...someDevices,
    button: Type.Optional(
      Type.Union([text("A name"), Type.Integer()], {
        description: "Which button of the device, such as 1 or left; any when absent",
        expected: "a name or a whole number",
      }),
    ),
    event: Type.Optional(
      text("`pressed`, `double`, `triple`, `held`, `released`, or the device's own word; any when absent"),
    ),
    attribute: Type.Optional({ ...attribute, description: "The attribute that tells presses, if none of the usual" }),
  },
  label: (spec) =>
    [whichDevices(spec), spec.button === undefined ? "button" : `button ${spec.button}`, spec.event ?? "used"].join(
      " ",
    ),
  check(spec) {
    checkDevices(spec);
    if (devicesOf(spec) === undefined) throw refusal("", "give `device_id` or `device_ids`");
  },
  interests: (spec) => [
    ...deviceInterests("device_state_changed", spec),
    ...deviceInterests("custom_button_event", spec),
  ],
  match(spec, envelope, host) {
    const changed = deviceEventOf("device_state_changed", envelope, spec);
    const sent = deviceEventOf("custom_button_event", envelope, spec);
    const press = changed ? pressIn(changed, (press) => isWanted(spec, press), spec.attribute) : sent && pressOf(sent);
    if (!press || envelope.deviceId === undefined || !isWanted(spec, press)) return undefined;
    const { button, event, attribute, value } = press;
    return { ...deviceContext(host, envelope.deviceId), attribute, value, event, button: button ?? null };
  },
  example: { device_id: "remote", button: 1, event: "double", attribute: "action" },
});

function isWanted(
  { button, event }: { button?: string | number | undefined; event?: string | undefined },
  press: Press,
) {
  if (button !== undefined && String(button).toLowerCase() !== press.button?.toLowerCase()) return false;
  return event === undefined || wordOf(event) === press.event || event === press.value;
}
