// A copy whose hub is of another version: what is kept, what is said, and what is still known after a restart.
import { expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { type Copy, openCopy } from "../../../../src/copies/standby/copy/copy.ts";
import type { BeginHead, Head } from "../../../../src/copies/standby/protocol.ts";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import type { Home } from "../../../../src/server/home/paths.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";
import { schemas } from "./answers.ts";
import { createTwo, open, sync } from "./copying.ts";

const isBegin = (head: Head): head is BeginHead => head.kind === "begin";
const newerSchemas = { ...schemas, state: schemas.state + 1 };

/** The hub has version 9.0.0 by now. */
function newer(heads: Head[]): void {
  const begin = heads.find(isBegin);
  if (begin) Object.assign(begin, { version: "9.0.0", schemas: newerSchemas });
}

/** This machine after its upgrade. */
const openUpgraded = (home: Home): Copy =>
  openCopy({ home, clock: createVirtualClock(), log: silentLog, schemas: newerSchemas });

test("one of an older version keeps what it can open, and says what to do", () => {
  using two = createTwo();
  const { house, home } = two;
  using copy = open(home);
  sync(copy, house);
  expect(copy.isTooOld).toBe(false);
  house.addDevice("lamp");
  house.putFile("rules/a.ron", "a");
  expect(copy.apply(house.answer(copy.have(), newer))).toMatchObject({ version: "9.0.0", isComplete: true });
  expect(copy.isTooOld).toBe(true);
  expect(copy.status()).toMatchObject({ devices: 0, problem: expect.stringContaining("upgrade this machine") });
  expect(readFileSync(`${home.rules}/a.ron`, "utf8")).toBe("a");
  // The hub went back to its former version.
  sync(copy, house);
  expect(copy.isTooOld).toBe(false);
  expect(copy.status()).toMatchObject({ devices: 1, problem: undefined });
});

test("one of an older history, too", () => {
  using two = createTwo();
  const { house, home } = two;
  using copy = open(home);
  sync(copy, house);
  const newerHistory = (heads: Head[]): void => {
    const begin = heads.find(isBegin);
    if (begin) begin.schemas = { ...schemas, history: schemas.history + 1 };
  };
  copy.apply(house.answer(copy.have(), newerHistory));
  expect(copy.isTooOld).toBe(true);
});

test("a machine that is started again knows that it is too old, and of when its copy is", async () => {
  using two = createTwo();
  const { house, home, clock } = two;
  {
    using copy = open(home, clock);
    sync(copy, house);
    await clock.advance(3_600_000);
    copy.apply(house.answer(copy.have(), newer));
  }
  const copiedAt = clock.now() - 3_600_000;
  for (let starts = 0; starts < 2; starts++) {
    using copy = open(home, clock);
    expect(copy.isTooOld).toBe(true);
    expect(copy.status()).toMatchObject({
      ...{ isComplete: true, copiedAt },
      problem: expect.stringMatching(/version 9\.0\.0.*upgrade this machine/),
    });
    // A take-over that came to nothing does not change it.
    copy.prepareStart();
  }
  using copy = open(home, clock);
  copy.apply(house.answer(copy.have(), newer));
  const noted = `${home.data}/standby-copy.json`;
  const { ctimeMs } = statSync(noted);
  copy.apply(house.answer(copy.have(), newer));
  expect(statSync(noted).ctimeMs).toBe(ctimeMs);
  sync(copy, house);
  expect(copy.status()).toMatchObject({ isComplete: true, copiedAt: clock.now(), problem: undefined });
});

test("after its upgrade it has a copy that it can open, and forgets the rest with the next one", () => {
  using two = createTwo();
  const { house, home } = two;
  {
    using copy = open(home);
    sync(copy, house);
    copy.apply(house.answer(copy.have(), newer));
  }
  {
    using copy = openUpgraded(home);
    expect(copy.isTooOld).toBe(false);
    expect(copy.status().problem).toBeUndefined();
  }
  {
    // The upgrade was undone before there was a new copy.
    using copy = open(home);
    expect(copy.isTooOld).toBe(true);
  }
  {
    using copy = openUpgraded(home);
    for (let tries = 0; tries < 5; tries++) copy.apply(house.answer(copy.have(), newer));
  }
  expect(readFileSync(`${home.data}/standby-copy.json`, "utf8")).not.toContain("9.0.0");
});
