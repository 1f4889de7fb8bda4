// The address at which a browser reaches the hub: never 0.0.0.0, but a name or an address of this machine.
import { X509Certificate } from "node:crypto";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

export interface Listening {
  host: string;
  port: number;
  /** The certificate in PEM form; undefined without TLS. */
  cert?: string | undefined;
}

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

const EVERY_INTERFACE = ["0.0.0.0", "::"];
/** Of containers, virtual machines and tunnels: other machines of the house do not reach them. */
const VIRTUAL = /^(docker|br-|veth|virbr|lxc|tun|tap|wg|zt|tailscale)/;

/** `http://192.168.1.20:8080`. With TLS, a name of the certificate, because a browser warns of any other. */
export function webAddress({ host, port, cert }: Listening, interfaces: Interfaces = networkInterfaces()): string {
  const name = (cert === undefined ? undefined : nameIn(cert)) ?? reachableHost(host, interfaces);
  return `${cert === undefined ? "http" : "https"}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** Where other machines reach what listens on this host. */
export function reachableHost(host: string, interfaces: Interfaces = networkInterfaces()): string {
  return EVERY_INTERFACE.includes(host) ? (addressOf(interfaces) ?? "localhost") : host;
}

function addressOf(interfaces: Interfaces): string | undefined {
  const names = Object.keys(interfaces).sort((a, b) => Number(VIRTUAL.test(a)) - Number(VIRTUAL.test(b)));
  const all = names.flatMap((name) => interfaces[name] ?? []).filter(({ internal }) => !internal);
  // Link-local addresses work on one interface only.
  return all.find(({ family, address }) => family === "IPv4" && !address.startsWith("169.254."))?.address;
}

function nameIn(cert: string): string | undefined {
  try {
    const { subjectAltName = "" } = new X509Certificate(cert);
    return /(?:^|, )DNS:([A-Za-z0-9][A-Za-z0-9.-]*)(?:,|$)/.exec(subjectAltName)?.[1];
  } catch {
    return undefined;
  }
}
