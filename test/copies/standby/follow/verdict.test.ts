// Each single thing that keeps a standby from making itself the hub.
import { expect, test } from "bun:test";
import { type Situation, whyNotTheHub } from "../../../../src/copies/standby/follow/verdict.ts";
import type { LeaseRow } from "../../../../src/copies/standby/lease/lease.ts";

const ended: LeaseRow = {
  ...{ holder: { id: "first", name: "first", address: "" }, epoch: 3, standby: "second", leftMs: 0 },
};
const may: Situation = {
  ...{ isManual: false, isWhole: true, isTooOld: false, promisedForMs: -1 },
  lease: { canTake: true, row: ended, trouble: undefined },
};

test("it takes over where the lease has ended and names it, its promise is over, and its copy fits", () => {
  expect(whyNotTheHub(may)).toBeUndefined();
});

const otherwise: [string, Partial<Situation>, string][] = [
  ["a person decides", { isManual: true }, "hub standby promote"],
  ["there is no lease", { lease: undefined }, "hub standby promote"],
  ["the copy is not whole", { isWhole: false }, "not whole"],
  ["the hub is newer", { isTooOld: true }, "hub upgrade"],
  ["the hub is newer, so that there will be no whole copy", { isTooOld: true, isWhole: false }, "hub upgrade"],
  ["it promised to wait", { promisedForMs: 1 }, "promised"],
  ["the engine is gone", { lease: { canTake: false, row: ended, trouble: "refused" } }, "refused"],
  [
    "the hub has the lease",
    { lease: { canTake: false, row: { ...ended, leftMs: 1 }, trouble: undefined } },
    "first has the lease",
  ],
  ["another machine is named", { lease: { canTake: false, row: ended, trouble: undefined } }, "names another machine"],
  ["nobody ever had it", { lease: { canTake: false, row: undefined, trouble: undefined } }, "no machine"],
];
test.each(otherwise)("not where %s", (_, situation, reported) => {
  expect(whyNotTheHub({ ...may, ...situation })).toContain(reported);
});
