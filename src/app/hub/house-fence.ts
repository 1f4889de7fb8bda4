// Where this machine has a standing in a house with two machines: everything that reaches out of the process passes here, and is
// refused from the moment at which another machine may be the hub. Then this hub is stopped.

import type { Standing } from "../../copies/standby/standing.ts";
import type { Fence, HubFence } from "../../kit/lifecycle/fence.ts";
import { background } from "../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import type { Platform } from "../../kit/lifecycle/platform.ts";
import { HubError } from "../../kit/schema/errors.ts";

/** The same options, with a fence that all ways out pass. */
export function behindFence<T extends { platform: Platform; log: Log }>(
  options: T,
  standing: Standing,
  stack: Pick<AsyncDisposableStack, "defer">,
): T & { fence: HubFence } {
  const { platform, log } = options;
  const fence = openFence(standing, log, stack);
  return { ...options, platform: { ...platform, fetch: fenced(platform.fetch, fence) }, fence };
}

function openFence(standing: Standing, log: Log, stack: Pick<AsyncDisposableStack, "defer">): HubFence {
  const { leaseHolder, lost } = standing;
  const doubts = new Set<{ reason: string }>();
  let closed: string | undefined;
  let isStopped = false;

  function close(reason: string): void {
    if (closed !== undefined) return;
    closed = sentence("is no longer", reason);
    if (isStopped) return;
    log.error(`${closed}; nothing is sent any more, and the hub stops`);
    standing.stepDown(reason);
  }

  function look(): string | undefined {
    if (closed === undefined && leaseHolder?.isHeld === false) close(leaseHolder.trouble ?? "its lease has ended");
    const [doubt] = doubts;
    return closed ?? (doubt === undefined ? undefined : sentence("may no longer be", doubt.reason));
  }

  background(log, "lease", lost.then(close));
  stack.defer(() => {
    isStopped = true;
  });
  return {
    get closed() {
      return look();
    },
    assertOpen() {
      const why = look();
      if (why !== undefined) throw new HubError("unavailable", why);
    },
    close,
    suspend(reason) {
      const doubt = { reason };
      doubts.add(doubt);
      return { [Symbol.dispose]: () => void doubts.delete(doubt) };
    },
  };
}

function sentence(is: string, reason: string): string {
  return `this machine ${is} the hub of this house: ${reason}`;
}

function fenced(fetch: Platform["fetch"], fence: Fence): Platform["fetch"] {
  const send = async (...request: Parameters<typeof fetch>): Promise<Response> => {
    fence.assertOpen();
    return fetch(...request);
  };
  return Object.assign(send, { preconnect: fetch.preconnect }) as typeof fetch;
}
