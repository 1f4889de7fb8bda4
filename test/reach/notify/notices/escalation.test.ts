// When an escalation goes on to the next person: also when it turns out late that somebody cannot be asked, and whatever happens to
// the wall clock.
import { expect, test } from "bun:test";
import { until } from "../../../support/wait.ts";
import { serveHttp } from "../rig.ts";
import { type House, LEAK, MINUTE, startHouse } from "./house.ts";
import { hookChannel } from "./rule-texts.ts";

const HOUR = 60 * MINUTE;

const STEP_MS = 500;

/** Advances in steps and no further than `ms`; not while a message is on its way over a real socket, which the clock must not overtake. */
async function within<T>(ms: number, { clock }: House, { what, look }: { what: string; look: () => T }) {
  for (let left = ms; left > 0 && !look(); left -= STEP_MS) {
    await until("what is sent has arrived", () => !clock.pending().includes("notify-send"));
    await clock.advance(Math.min(left, STEP_MS));
  }
  return until(what, look);
}

test("a refusal that comes after retries lets the next one be asked at once, and only that one's message", async () => {
  let status = 503;
  using service = serveHttp(() => ({ status, json: {} }));
  const rule = LEAK.replace('channels = ["anna", "ben"]', 'channels = ["gate", "anna", "ben"]');
  await using house = await startHouse(rule, hookChannel(service, "gate"));
  const { telegram, clock } = house;
  await house.leak();
  await until("it is tried", () => service.seen.length > 0);
  await clock.advance(20_000);
  expect(telegram.messages).toEqual([]);
  // Over a restart: what is known of the step is on disk.
  await house.restart();
  status = 410;
  const tried = service.seen.length;
  await within(MINUTE, house, { what: "it is refused for good", look: () => service.seen.length > tried });
  await until("Anna is asked", async () => {
    await clock.advance(10);
    return telegram.last("7");
  });
  expect(await house.notices()).toMatchObject([{ state: "open", asked: ["gate", "anna"], left: ["ben"] }]);
  await until("the hub knows her message", async () => (await house.waiting()) === 0);
  // She has her time.
  await clock.advance(4 * MINUTE);
  expect(telegram.last("8")).toBeUndefined();
  await within(MINUTE, house, { what: "Ben is asked", look: () => telegram.last("8") });
});

for (const [how, ms] of [
  ["forward", HOUR],
  ["back", -HOUR],
] as const)
  test(`the clock is set ${how} by an hour: the next one is asked in time, also over a restart`, async () => {
    await using house = await startHouse(LEAK, "");
    const { telegram, clock } = house;
    await house.leak();
    await until("Anna is asked", () => telegram.last("7"));
    await until("the hub knows her message", async () => (await house.waiting()) === 0);
    await clock.advance(MINUTE);
    clock.step(ms);
    await clock.advance(MINUTE);
    await house.restart();
    // The restart takes ten seconds.
    await clock.advance(2 * MINUTE + 40_000);
    expect(telegram.last("8")).toBeUndefined();
    await within(15_000, house, { what: "Ben is asked", look: () => telegram.last("8") });
    await until("the hub knows his message", async () => (await house.waiting()) === 0);
    clock.step(ms);
    await clock.advance(4 * MINUTE);
    expect(telegram.messages).toHaveLength(2);
    await within(MINUTE + 1000, house, { what: "Anna is asked again", look: () => telegram.messages.length === 3 });
  });

test("a clock that is set after the start by more than anybody waits for an answer leaves nobody out", async () => {
  await using house = await startHouse();
  const { telegram, clock } = house;
  await house.leak();
  await until("Anna is asked", () => telegram.last("7"));
  await until("the hub knows her message", async () => (await house.waiting()) === 0);
  await house.restart();
  clock.step(2 * HOUR);
  await within(31_000, house, { what: "Ben is asked", look: () => telegram.last("8") });
  expect(await house.notices()).toMatchObject([{ state: "open" }]);
});

test("what was open when the hub went off for longer than anybody waits for an answer is over", async () => {
  await using house = await startHouse();
  const { telegram, clock, hub } = house;
  await house.leak();
  const first = await until("Anna is asked", () => telegram.last("7"));
  await until("the hub knows her message", async () => (await house.waiting()) === 0);
  await house.stop();
  clock.step(2 * HOUR);
  await house.start(hub.admin);
  await until("it is over", async () => (await house.notices())[0]?.state === "expired");
  await until("her message says so", () => first.text.includes("Nobody confirmed"));
  await clock.advance(HOUR);
  expect(telegram.messages).toHaveLength(1);
});
