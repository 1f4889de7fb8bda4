// What a device says of itself for people, as far as it can be shown.
import { isIP } from "node:net";
import type { Json, JsonObject } from "../../kit/schema/json.ts";
import type { Hardware } from "./described.ts";

const MAX_TEXT = 1024;
const MAX_CONNECTIONS = 20;

/** What is none of it is left out. `said`: under the names that Home Assistant has for it. */
export function hardwareOf(block: JsonObject | undefined): Hardware {
  const { sw_version: sw, hw_version: hw, serial_number: serial, configuration_url: url, connections } = block ?? {};
  const page = pageOf(url);
  const pairs = (Array.isArray(connections) ? connections : []).filter(isPair).slice(0, MAX_CONNECTIONS);
  const texts = { sw_version: shortText(sw), hw_version: shortText(hw), serial_number: shortText(serial) };
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined)),
    ...(page !== undefined && { configuration_url: page }),
    ...(pairs.length > 0 && { connections: pairs }),
  };
}

/** Of a device in the house's network, with a page of its own. `mac`: of `macIn`. */
export function inNetwork({
  mac,
  ip,
  version,
}: {
  mac: string;
  ip?: Json | undefined;
  version: Json | undefined;
}): Hardware {
  const address = typeof ip === "string" && ip !== "0.0.0.0" ? isIP(ip) : 0;
  return hardwareOf({
    ...(version !== undefined && { sw_version: version }),
    ...(address > 0 && { configuration_url: `http://${address === 6 ? `[${ip}]` : ip}/` }),
    connections: [["mac", (mac.match(/../g) ?? []).join(":")]],
  });
}

export function shortText(value: Json | undefined): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" && text.length <= MAX_TEXT ? text : undefined;
}

const isPair = (one: Json): one is [string, string] =>
  Array.isArray(one) &&
  one.length === 2 &&
  one.every((part) => typeof part === "string" && shortText(part) !== undefined);

/** A page of the device's own, without the password that some put into its address. */
function pageOf(value: Json | undefined): string | undefined {
  const text = shortText(value);
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  if (url.username === "" && url.password === "") return text;
  url.username = "";
  url.password = "";
  return url.href;
}
