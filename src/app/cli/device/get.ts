// hub device get: all that is known of a device, or one value alone, as a script wants it.
import { didYouMean } from "../../../kit/schema/did-you-mean.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Json } from "../../../kit/schema/json.ts";
import { printable } from "../../../kit/text/printable.ts";
import { print } from "../command.ts";
import { valueText } from "../devices.ts";
import { clockfaceOf } from "../reach.ts";
import { table } from "../rules/text.ts";
import { type DeviceAction, deviceNamed, type NamedDevice } from "./named-device.ts";
import { takenText } from "./values.ts";

export async function get({ invocation, reached, name, rest }: DeviceAction): Promise<number> {
  const [attribute, another] = rest;
  if (another !== undefined) throw new HubError("invalid", "name one attribute: hub device get DEVICE ATTRIBUTE");
  const device = await deviceNamed(reached.client, name);
  if (attribute === undefined)
    print(invocation, device.whole, () => deviceText(device, (iso) => clockfaceOf(reached).at(iso)));
  else {
    const value = attributeValue(device, attribute);
    print(invocation, value, () => `${valueText(value)}\n`);
  }
  return 0;
}

function attributeValue({ name, attributes, described }: NamedDevice, attribute: string): Json {
  if (Object.hasOwn(attributes, attribute)) return attributes[attribute] ?? null;
  if (Object.hasOwn(described, attribute)) return null;
  const known = [...Object.keys(attributes), ...Object.keys(described)];
  throw new HubError(
    "not_found",
    `"${printable(name)}" has no attribute "${printable(attribute)}"${didYouMean(attribute, known.map(printable))}`,
  );
}

function deviceText(device: NamedDevice, at: (iso: string) => string): string {
  const { id, name, whole, attributes, described } = device;
  const text = (value: unknown): string => (typeof value === "string" ? printable(value) : "-");
  const made = [whole.manufacturer, whole.model].filter((part) => typeof part === "string");
  const rows = [
    ["Name", text(name)],
    ["Id", text(id)],
    ["Type", text(whole.device_type)],
    ["Area", text(whole.area)],
    ["Plugin", text(whole.plugin_id)],
    ["Made by", made.length === 0 ? "-" : printable(made.join(", "))],
    ["Reachable", whole.available === true ? "yes" : "no"],
    ["Last seen", typeof whole.last_seen === "string" ? at(whole.last_seen) : "never"],
  ];
  const names = [...new Set([...Object.keys(attributes), ...Object.keys(described)])];
  const values = names.map((attribute) => [
    printable(attribute),
    Object.hasOwn(attributes, attribute) ? valueText(attributes[attribute]) : "-",
    takenText(described[attribute]),
  ]);
  const list =
    values.length === 0 ? "it has reported nothing yet\n" : table([["ATTRIBUTE", "VALUE", "TAKES"], ...values]);
  return `${table(rows)}\n${list}`;
}
