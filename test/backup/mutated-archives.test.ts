import { expect, test } from "bun:test";
import { restoreMutated } from "./mutated-archives.ts";

// Five hundred of each by hand: bun test/bench/mutated-archives.ts
test.each([false, true])(
  "archives that were tampered with are refused with a reason, or restored as they were saved; Zip64: %s",
  async (zip64) => {
    const seed = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31);
    const { restored, refused, wrong } = await restoreMutated(50, seed, zip64);
    expect({ seed, wrong }).toEqual({ seed, wrong: [] });
    expect(restored + refused).toBe(50);
    expect(refused).toBeGreaterThan(25);
  },
);
