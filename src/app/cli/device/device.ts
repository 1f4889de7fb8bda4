// hub device: shows one device of the running hub, or commands it and says what became of that.
import { didYouMean } from "../../../kit/schema/did-you-mean.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Json } from "../../../kit/schema/json.ts";
import { printable } from "../../../kit/text/printable.ts";
import { type Command, print } from "../command.ts";
import { valueText } from "../devices.ts";
import { clockfaceOf, reach, reachOptions } from "../reach.ts";
import { table } from "../rules/text.ts";
import { type DeviceAction, deviceNamed, type NamedDevice } from "./named-device.ts";
import { set } from "./set.ts";
import { takenText } from "./values.ts";

const ACTIONS = { get, set };

export const device: Command = {
  options: {
    ...reachOptions,
    force: {
      type: "boolean",
      doc: "set: also a device that is not available, or with an attribute that looks mistyped",
    },
    wait: {
      type: "string",
      value: "SECS",
      doc: "set: how long to wait for the device's answer; default: 12, and 0 waits for none",
    },
    json: { type: "boolean", doc: "print JSON" },
  },
  maxPositionals: 100,
  completes: { get: ["device", "reported"], set: ["device", "wanted"] },
  async run(invocation) {
    const [word = "", name, ...rest] = invocation.positionals;
    if (!Object.hasOwn(ACTIONS, word) || name === undefined)
      throw new HubError("invalid", "say `hub device get DEVICE` or `hub device set DEVICE ATTRIBUTE=VALUE`");
    const act = ACTIONS[word as keyof typeof ACTIONS];
    return await act({ invocation, reached: await reach(invocation), name, rest });
  },
};

/** hub device get: all that is known of a device, or one value alone, as a script wants it. */
async function get({ invocation, reached, name, rest }: DeviceAction): Promise<number> {
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
