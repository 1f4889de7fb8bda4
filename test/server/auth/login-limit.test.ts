// Five failures a minute, whoever tries and however fast.
import { expect, test } from "bun:test";
import { HubError } from "../../../src/kit/schema/errors.ts";
import { createLoginLimit, type LoginLimit } from "../../../src/server/auth/login-limit.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { STRANGER } from "./auth-fixture.ts";

function openLimit(capacity?: number) {
  const clock = createVirtualClock();
  const limit = createLoginLimit({ clock, exempt: (address) => address === "192.0.2.1", capacity });
  return { clock, limit };
}

/** The wait in seconds, or undefined where the try may go on. */
function waitOf(limit: LoginLimit, address: string, subject = "admin"): number | undefined {
  try {
    limit.begin(address, subject);
    return undefined;
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== "rate_limited") throw error;
    return error.details.retryAfterSecs as number;
  }
}

function fail(limit: LoginLimit, times: number, address = STRANGER): void {
  for (let time = 0; time < times; time++) expect(waitOf(limit, address)).toBeUndefined();
}

test("the sixth within a minute waits until the first is a minute old, also when the wall clock jumps", async () => {
  const { clock, limit } = openLimit();
  fail(limit, 1);
  await clock.advance(20_000);
  fail(limit, 4);
  expect(waitOf(limit, STRANGER)).toBe(40);
  clock.step(3_600_000);
  await clock.advance(39_500);
  expect(waitOf(limit, STRANGER)).toBe(1);
  await clock.advance(500);
  fail(limit, 1);
  expect(waitOf(limit, STRANGER)).toBe(20);
  expect(waitOf(limit, "203.0.113.8")).toBeUndefined();
});

test("tries that are refused do not prolong the wait", async () => {
  const { clock, limit } = openLimit();
  fail(limit, 5);
  for (let second = 0; second < 59; second++) {
    await clock.advance(1000);
    expect(waitOf(limit, STRANGER)).toBe(59 - second);
  }
  await clock.advance(1000);
  fail(limit, 5);
});

test("success clears that account's failures, not another's", () => {
  const { limit } = openLimit();
  fail(limit, 4);
  limit.begin(STRANGER, "ADMIN").succeed();
  fail(limit, 4);
  limit.begin(STRANGER, "guest").succeed();
  fail(limit, 1);
  expect(waitOf(limit, STRANGER, "guest")).toBe(60);
});

test("a try without a verdict does not count", () => {
  const { limit } = openLimit();
  for (let time = 0; time < 20; time++) limit.begin(STRANGER, "admin").withdraw();
  fail(limit, 5);
  expect(waitOf(limit, STRANGER)).toBe(60);
});

test("exempt addresses are never refused; IPv6 is counted by /64", () => {
  const { limit } = openLimit();
  fail(limit, 50, "192.0.2.1");
  for (let host = 1; host <= 5; host++) fail(limit, 1, `2001:db8:0:1::${host}`);
  expect(waitOf(limit, "2001:db8:0:1:ffff::1")).toBe(60);
  expect(waitOf(limit, "2001:db8:0:2::1")).toBeUndefined();
});

test("programs of this machine are counted by the account, from whichever loopback address", () => {
  const { limit } = openLimit();
  for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.2", "127.0.0.3"]) fail(limit, 1, address);
  expect(waitOf(limit, "127.200.0.1")).toBe(60);
  expect(waitOf(limit, "127.0.0.1", "lamp")).toBeUndefined();
});

test("inventing accounts makes nobody forget what failed before", () => {
  const { limit } = openLimit();
  fail(limit, 5, "127.0.0.1");
  for (let name = 0; name < 2000; name++) waitOf(limit, "127.0.0.1", `invented-${name}`);
  expect(waitOf(limit, "127.0.0.1")).toBe(60);
});

test("who was refused is known for ten minutes", async () => {
  const { clock, limit } = openLimit();
  fail(limit, 5);
  expect(limit.guessing()).toEqual([]);
  waitOf(limit, STRANGER);
  fail(limit, 5, "127.0.0.1");
  waitOf(limit, "127.0.0.5");
  expect(limit.guessing()).toEqual([STRANGER, "this machine"]);
  await clock.advance(600_000);
  expect(limit.guessing()).toEqual([]);
});

test("memory is bounded: the address that was quiet longest is forgotten", () => {
  const { limit } = openLimit(3);
  fail(limit, 5, "10.0.0.1");
  for (const last of [2, 3]) fail(limit, 5, `10.0.0.${last}`);
  expect(waitOf(limit, "10.0.0.1")).toBe(60);
  fail(limit, 1, "10.0.0.4");
  fail(limit, 1, "10.0.0.1");
  expect(waitOf(limit, "10.0.0.3")).toBe(60);
});
