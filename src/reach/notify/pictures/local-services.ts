// Keeps addresses that devices give from reaching services of the hub's own machine: nobody but a person may name those.
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { HubError } from "../../../kit/schema/errors.ts";
import { isLocalAddress } from "../local-address.ts";

/**
 * An address of the host to connect to. Throws HubError `invalid` for this machine's own, unless `named` has the host, with or
 * without its port.
 */
export async function addressOf({ hostname, host, port, protocol }: URL, named: readonly string[]): Promise<string> {
  const bare = hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(bare) ? [bare] : (await lookup(bare, { all: true })).map(({ address }) => address);
  const [first] = addresses;
  if (first === undefined) throw new HubError("upstream_failed", `${bare} has no address`);
  const withPort = `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
  if (named.some((each) => each === hostname || each === host || each === withPort)) return first;
  if (!addresses.some((address) => isLocalAddress(address))) return first;
  const hint = `name it in hub.toml, [notify] picture_hosts = ["${withPort}"]`;
  throw new HubError("invalid", `${withPort} is a service of this machine itself; if it is meant, ${hint}`);
}
