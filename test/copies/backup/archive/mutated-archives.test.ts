import { expect, test } from "bun:test";
import { SEED } from "../../../support/campaign.ts";
import { restoreMutated } from "./mutated-archives.ts";

// Five hundred of each by hand: bun test/bench/mutated-archives.ts
test.each([false, true])(
  "archives that were tampered with are refused with a reason, or restored as they were saved; Zip64: %s",
  async (zip64) => {
    const { restored, refused, wrong } = await restoreMutated(50, SEED, zip64);
    expect({ SEED, wrong }).toEqual({ SEED, wrong: [] });
    expect(restored + refused).toBe(50);
    expect(refused).toBeGreaterThan(25);
  },
);
