// Uploaded versions that do harm in their first minute: they go, and what they did to the databases goes with them.
// Over 10 s: a hub that can be each of them is compiled, and two of them are watched for seconds.
import { beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { createHubPlace } from "../support/hub-place.ts";
import { type OtherKind, otherHub } from "../support/other-hub.ts";
import { runs, sendHub, startAtHome, statusOf } from "../support/upgrades.ts";

const HARMFUL: readonly [kind: OtherKind, version: string, why: RegExp][] = [
  ["overwriting", "99.4.0", /it ended with SIG/],
  ["emptying", "99.5.0", /users/],
  ["hanging", "99.6.0", /does not answer/],
  ["confused", "99.7.0", /does not answer/],
];
const files = new Map<string, string>();

beforeAll(async () => {
  for (const [kind, version] of HARMFUL) files.set(kind, await otherHub(version, kind));
});

for (const [kind, version, why] of HARMFUL)
  test(`an ${kind} version is undone together with its databases`, async () => {
    await using place = createHubPlace();
    const hub = await startAtHome(place);
    const own = (await statusOf(hub)).version;
    const before = {
      users: await hub.get("/auth/users"),
      devices: (await hub.get<{ id: string }[]>("/devices")).map(({ id }) => id),
    };
    await hub.request("PUT", "/variables/kept", { body: { value: 7 } });
    expect((await sendHub(hub, files.get(kind) ?? "")).status).toBe(202);
    await hub.said("the hub is up again", 60_000);
    await runs(hub, own);
    const { previous, last } = await statusOf(hub);
    expect({ previous, last }).toMatchObject({ previous: null, last: { from: own, to: version, ok: false } });
    expect(last?.error).toMatch(why);
    // What is lost is said.
    expect(last?.error).toMatch(/from then until \d{4}-\S+Z is not in them/);
    const after = {
      users: await hub.get("/auth/users"),
      devices: (await hub.get<{ id: string }[]>("/devices")).map(({ id }) => id),
    };
    expect(after).toEqual(before);
    expect((await hub.request("GET", "/variables")).text).toContain("kept");
    expect(readdirSync(place.at("bin"))).toEqual(["hub"]);
    for (const folder of ["before-upgrade", "before-trial"]) expect(existsSync(place.at("data", folder))).toBe(false);
  });
