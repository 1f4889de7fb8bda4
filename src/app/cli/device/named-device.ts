// The device that somebody means, as the API has it.
import { describedAttributes } from "../../../house/state/commands/command-check.ts";
import type { DeviceDetails } from "../../../house/state/device.ts";
import { isObject, type JsonObject } from "../../../kit/schema/json.ts";
import type { Invocation } from "../command.ts";
import { devicesOf } from "../devices.ts";
import { findNamed } from "../find.ts";
import type { HubClient } from "../hub-client.ts";
import type { Reached } from "../reach.ts";

export interface NamedDevice {
  readonly id: string;
  readonly name: string;
  /** All that the API says of it. */
  readonly whole: JsonObject;
  readonly attributes: JsonObject;
  /** The JSON Schema of each attribute that it describes. */
  readonly described: Readonly<Record<string, JsonObject>>;
}

export interface DeviceAction {
  invocation: Invocation;
  reached: Reached;
  /** How the device is called. */
  name: string;
  /** The arguments behind it. */
  rest: readonly string[];
}

/** By its id or name. Throws HubError: `not_found`, or `conflict` where several have the name. */
export async function deviceNamed(client: HubClient, wanted: string): Promise<NamedDevice> {
  const all = (await devicesOf(client)).map(fromAnswer);
  return findNamed(all, wanted, { noun: "device", listedBy: "hub devices", distinguishedBy: "id" });
}

/** As it is now. */
export async function deviceOf(client: HubClient, id: string): Promise<NamedDevice> {
  const answer = await client.ask("GET", `/devices/${encodeURIComponent(id)}`);
  return fromAnswer(isObject(answer) ? answer : {});
}

function fromAnswer(whole: JsonObject): NamedDevice {
  const { id, name, attributes, schema, capabilities } = whole;
  const details = {
    ...(isObject(schema) && { schema }),
    ...(isObject(capabilities) && { capabilities }),
  } as DeviceDetails;
  return {
    id: String(id),
    name: String(name),
    whole,
    attributes: isObject(attributes) ? attributes : {},
    described: describedAttributes(details) ?? {},
  };
}
