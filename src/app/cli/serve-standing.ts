// What the hub knows of its place in a house with two machines. The only hub of a house has none: when a machine pairs with it, it
// starts again.
import { hostname } from "node:os";
import { readCertificate } from "../../api/http/listen/certificate.ts";
import type { Machine } from "../../copies/standby/lease/lease.ts";
import type { MachineFile } from "../../copies/standby/machine.ts";
import type { Standing } from "../../copies/standby/standing.ts";
import { HubError } from "../../kit/schema/errors.ts";
import type { Home } from "../../server/home/paths.ts";
import { webAddress } from "../../server/system/web-address.ts";
import type { HubConfig } from "../config/sections.ts";

/** Why this machine stops being the hub. */
export interface Leave {
  /** `again`: it is the hub again at once, with another place in the house. */
  how: "hand_over" | "step_down" | "again";
  reason: string;
}

type Place = Pick<Standing, "machine" | "leaseHolder" | "epoch" | "lost" | "tookOver">;

/** Undefined for the only hub of a house. */
export function standingIn(place: Place | undefined, leave: (how: Leave) => void): Standing | undefined {
  if (!place) return undefined;
  const { machine, leaseHolder, epoch, lost, tookOver } = place;
  return {
    ...{ machine, leaseHolder, epoch, lost, tookOver },
    handOver() {
      const trouble = leaseHolder?.trouble;
      if (trouble !== undefined)
        throw new HubError(
          "conflict",
          `the lease cannot be handed over now, as its engine does not answer: ${trouble}`,
        );
      leave({ how: "hand_over", reason: "it hands over to the other machine" });
    },
    stepDown: (reason) => leave({ how: "step_down", reason }),
  };
}

/** `port`: the one at which it answers, where hub.toml lets it take any. */
export function machineOf(
  { id, address }: Pick<MachineFile, "id" | "address">,
  { server }: Pick<HubConfig, "server">,
  home: Pick<Home, "resolve">,
  port = server.port,
): Machine {
  const certificate = readCertificate(server, home.resolve);
  const cert = certificate?.ok ? certificate.cert : undefined;
  return { id, name: hostname(), address: address ?? webAddress({ host: server.host, port, cert }) };
}
