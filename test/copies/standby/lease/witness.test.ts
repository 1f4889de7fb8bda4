// What a machine may believe of the lease by what it has seen itself.
import { expect, test } from "bun:test";
import { createWitness } from "../../../../src/copies/standby/lease/witness.ts";

test("a lease that was just seen goes on for as long as it says, whatever the moment", () => {
  const firstMs = 1500;
  for (let n = 0; n < 2000; n++) {
    const mono = n * 17.123_456_7 + 0.1;
    const witness = createWitness({ mono: () => mono }, "the engine");
    expect(witness.leftMs("first", firstMs, 0)).toBe(firstMs);
  }
});

test("it ends by this machine's clock, and begins anew with another mark", () => {
  let now = 1000;
  const witness = createWitness({ mono: () => now }, "the engine");
  witness.leftMs("first", 1500, 0);
  now += 600;
  expect(witness.leftMs("first", 1500, 0)).toBe(900);
  expect(witness.leftMs("first", 1500, 1200)).toBe(1200);
  now += 900;
  expect(witness.leftMs("first", 1500, 0)).toBe(0);
  expect(witness.leftMs("second", 1500, 0)).toBe(1500);
});
