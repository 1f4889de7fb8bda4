// The machine's own server, as the commands of `hub standby` ask it: with the key of the pair, which whoever may read the home has.
import { X509Certificate } from "node:crypto";
import { readCertificate } from "../../../api/http/listen/certificate.ts";
import { fingerprintOf, type HubLink, openHubLink } from "../../../copies/standby/follow/hub-link.ts";
import type { MachineFile } from "../../../copies/standby/machine.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { isHomeLocked } from "../../../server/home/lock.ts";
import type { Home } from "../../../server/home/paths.ts";
import type { HubConfig } from "../../config/sections.ts";
import type { Invocation } from "../command.ts";
import { text } from "../reach.ts";
import { copiedConfig } from "../roles/config.ts";

export interface Local extends Disposable {
  link: HubLink;
  key: string;
}

/** Throws HubError `unavailable` where nothing runs in this home, `invalid` where it is not known at which port. */
export function openLocal(home: Home, file: MachineFile, { options, io }: Invocation): Local {
  if (!isHomeLocked(home))
    throw new HubError(
      "unavailable",
      `nothing runs in ${home.root}: start it with \`sudo systemctl start hub\`, or \`hub standby\``,
    );
  const { server } = copiedConfig(home);
  const link = openHubLink(
    text(options.url) ?? addressOf(server),
    { fingerprints: own(server, home) },
    io.platform.clock,
  );
  return { link, key: file.other?.key ?? "", [Symbol.dispose]: () => link[Symbol.dispose]() };
}

function addressOf({ host, port, tls_cert }: HubConfig["server"]): string {
  if (port === 0)
    throw new HubError(
      "invalid",
      "hub.toml lets the hub take any port: say where it answers, with --url http://127.0.0.1:PORT",
    );
  const name = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `${tls_cert === undefined ? "http" : "https"}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** Its certificate is for the name that other machines use. */
function own(server: HubConfig["server"], home: Home): string[] {
  const certificate = readCertificate(server, home.resolve);
  const fingerprint = certificate?.ok ? fingerprintOf(new X509Certificate(certificate.cert).fingerprint256) : undefined;
  return fingerprint === undefined ? [] : [fingerprint];
}
