// The engine in memory that the other tests use keeps to the engines' contract, which test/interop/lease.ts checks on real servers.
import { expect, test } from "bun:test";
import { createVirtualClock } from "../../../support/virtual-clock.ts";
import { ENGINE_CONTRACT } from "./engine-contract.ts";
import { createMemoryServer } from "./memory-engine.ts";

test.each(ENGINE_CONTRACT.map((one) => [one.name, one] as const))("%s", async (_, one) => {
  const clock = createVirtualClock();
  const server = createMemoryServer(clock);
  await one.run(
    {
      ttlMs: 1500,
      open: async () => server.connect(),
      empty: async () => server.empty(),
      pass: (ms) => clock.advance(ms),
    },
    (what, found, expected) => expect({ what, found }).toEqual({ what, found: expected }),
  );
});
