// Hardware addresses: what a device is known by, whichever source describes it.
import type { Json } from "../../kit/schema/json.ts";

/** Twelve hexadecimal digits in small letters; undefined for what is no address. */
export function macIn(value: Json | undefined): string | undefined {
  if (typeof value !== "string" || value.length > 17) return undefined;
  const digits = value.replace(/[:-]/g, "").toLowerCase();
  return /^[\da-f]{12}$/.test(digits) ? digits : undefined;
}

/** As sources write it: bare, and as Home Assistant's messages name a connection. `mac`: of `macIn`. */
export function macIdentities(mac: string): string[] {
  return [mac, `mac:${(mac.match(/../g) ?? []).join(":")}`];
}
