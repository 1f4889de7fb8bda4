// Confirmations: whose they are, and how long they are good for.
import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import type { Identity } from "../../../src/server/auth/authenticate.ts";
import { createConfirmations } from "../../../src/server/auth/confirmations.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const ANNA: Identity = { kind: "user", id: "1", name: "anna", role: "admin", expiresAt: undefined, ver: 3 };

test("one is good for five minutes, for that person with that password", async () => {
  const clock = createVirtualClock();
  const confirmations = createConfirmations({ clock, random: randomBytes });
  const { confirmation, expiresIn } = confirmations.issue(ANNA);
  expect(expiresIn).toBe(300);
  confirmations.assert(ANNA, confirmation);
  confirmations.assert(ANNA, confirmation);
  for (const other of [{ id: "2" }, { ver: 4 }])
    expect(() => confirmations.assert({ ...ANNA, ...other }, confirmation)).toThrow("your password again");
  expect(() => confirmations.assert(ANNA, null)).toThrow("your password again");
  await clock.advance(300_000);
  expect(() => confirmations.assert(ANNA, confirmation)).toThrow("as five minutes have passed");
});

test("an API key and an address never pass", () => {
  const confirmations = createConfirmations({ clock: createVirtualClock(), random: randomBytes });
  for (const kind of ["api_key", "whitelist"] as const) {
    const { confirmation } = confirmations.issue({ ...ANNA, kind });
    expect(() => confirmations.assert({ ...ANNA, kind }, confirmation)).toThrow("is not enough for this: log in");
  }
});
