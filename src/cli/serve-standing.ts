// What the hub is told of its place in a house with two machines. The only hub of a house has none, until a machine pairs with it.
import { hostname } from "node:os";
import type { HubConfig } from "../config/sections.ts";
import { HubError } from "../core/errors.ts";
import type { Home } from "../home/paths.ts";
import { readCertificate } from "../http/certificate.ts";
import type { Machine } from "../standby/lease/lease.ts";
import { isPaired, type MachineFile, readMachine } from "../standby/machine.ts";
import type { Standing } from "../standby/standing.ts";
import { webAddress } from "../system/web-address.ts";

/** Why this machine stops being the hub. */
export interface Leave {
  how: "hand_over" | "step_down";
  reason: string;
}

interface StandingOptions {
  home: Home;
  config: HubConfig;
  place: Pick<Standing, "machine" | "tenure" | "epoch" | "tookOver"> | undefined;
  leave: (how: Leave) => void;
  /** Where the hub answers. */
  port: () => number;
  /** A machine has paired with a hub that had no place. */
  onPaired: (file: MachineFile) => void;
}

/** Answers with the same object for as long as there is one. */
export function standingIn({
  home,
  config,
  place,
  leave,
  port,
  onPaired,
}: StandingOptions): () => Standing | undefined {
  const acts = {
    handOver() {
      const trouble = place?.tenure?.trouble;
      if (trouble !== undefined)
        throw new HubError(
          "conflict",
          `the lease cannot be handed over now, as its engine does not answer: ${trouble}`,
        );
      leave({ how: "hand_over", reason: "it hands over to the other machine" });
    },
    stepDown: (reason: string) => leave({ how: "step_down", reason }),
  };
  let standing: Standing | undefined = place && { ...place, ...acts };
  return () => {
    const file = standing || !isPaired(home) ? undefined : readMachine(home);
    if (file) {
      const machine = machineOf(file, config, home, port());
      standing = { machine, tenure: undefined, epoch: file.epoch, tookOver: undefined, ...acts };
      onPaired(file);
    }
    return standing;
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
