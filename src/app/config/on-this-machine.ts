// Both machines of a house have one hub.toml, which may name an address that only one of them has. Where the other one is the hub, or
// keeps the copy, it listens at an address of its own.
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { reachableHost } from "../../server/system/web-address.ts";
import type { LoadedConfig, LocatedProblem } from "./load.ts";

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

const EVERY_MACHINES = /^(127\.|0\.0\.0\.0$|::1?$)/;
const NUMERIC = /^\d+\.\d+\.\d+\.\d+$|:/;

/**
 * With hosts to listen at that this machine has, and a warning for each that was replaced. `address`: the URL at which the other
 * machine reaches this one, where a person said it. Names are left as they are: they may mean this machine here.
 */
export function onThisMachine(
  loaded: LoadedConfig,
  file: string,
  address: string | undefined,
  interfaces: Interfaces = networkInterfaces(),
): LoadedConfig {
  const here = Object.values(interfaces).flatMap((each = []) => each);
  const own = ownAddress(address, here, interfaces);
  if (own === undefined) return loaded;
  const warnings: LocatedProblem[] = [];

  function listening<S extends { host: string }>(section: string, settings: S): S {
    const { host } = settings;
    if (EVERY_MACHINES.test(host) || !NUMERIC.test(host) || here.some((each) => each.address === host)) return settings;
    const message = `${host} is an address of the house's other machine: this one listens at ${own} instead`;
    warnings.push({ file, path: `${section}.host`, message });
    return { ...settings, host: own ?? host };
  }

  const { server, mqtt } = loaded.config;
  const config = { ...loaded.config, server: listening("server", server), mqtt: listening("mqtt", mqtt) };
  return warnings.length === 0 ? loaded : { config, warnings: [...loaded.warnings, ...warnings] };
}

/** The one that the other machine uses; else the first that other machines can reach. */
function ownAddress(
  url: string | undefined,
  here: readonly NetworkInterfaceInfo[],
  interfaces: Interfaces,
): string | undefined {
  const named = url === undefined ? undefined : URL.parse(url)?.hostname.replace(/^\[|\]$/g, "");
  if (here.some(({ address }) => address === named)) return named;
  const reachable = reachableHost("0.0.0.0", interfaces);
  return NUMERIC.test(reachable) ? reachable : undefined;
}
