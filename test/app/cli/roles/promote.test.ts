// Whom the standby asks when a person makes it the hub, and what that person reads.
import { afterAll, expect, test } from "bun:test";
import { askAt } from "../../../../src/app/cli/roles/other.ts";
import { type Promoting, promote } from "../../../../src/app/cli/roles/promote.ts";
import { openHubLink } from "../../../../src/copies/standby/follow/hub-link.ts";
import type { LeaseRow } from "../../../../src/copies/standby/lease/lease.ts";
import { messageOf } from "../../../../src/kit/schema/errors.ts";
import { systemClock } from "../../../../src/kit/time/clock.ts";

const KEY = "hcs_of-the-pair";
const hub = Bun.serve({
  ...{ port: 0, hostname: "127.0.0.1" },
  fetch: (request) =>
    request.headers.get("authorization") === `Bearer ${KEY}`
      ? Response.json({ role: "hub", epoch: 3 })
      : Response.json({ detail: "this is not the key" }, { status: 401 }),
});
afterAll(() => hub.stop(true));
const THERE = hub.url.origin;
const NOWHERE = "http://127.0.0.1:1";

/** What comes of it, where the standby seen the hub last at `address` and the lease names `holder`. */
async function tried({ address, holder, leftMs = 3000, key = KEY, force = false }: Tried): Promise<string> {
  const did: string[] = [];
  const row: LeaseRow = {
    ...{ holder: { id: "other", name: "cellar", address: holder }, epoch: 3, standby: "own", leftMs },
  };
  const promoting: Promoting = {
    copyAge: () => 7,
    ask: (at) => askAt(openHubLink(at, { ca: undefined, fingerprints: [] }, systemClock), key),
    follower: {
      whyUnfit: () => undefined,
      seen: { address, lastSeenMono: undefined, hubVersion: undefined, epoch: 3, handingOver: false },
      moveTo: (at) => void did.push(`moves to ${at}`),
      handOver: async () => {
        did.push("asks for the hand-over");
        return "";
      },
      end: (reason) => void did.push(reason),
    },
    lease: { row, trouble: undefined, canTake: leftMs === 0 },
    ...{ selfId: "own", unusable: undefined },
  };
  await promote(promoting, force).catch((error: unknown) => did.push(messageOf(error)));
  return did.join(", ");
}

interface Tried {
  address: string;
  holder: string;
  leftMs?: number;
  key?: string;
  force?: boolean;
}

test("the hub hands over, also where only the lease says where it is by now", async () => {
  expect(await tried({ address: THERE, holder: NOWHERE })).toBe("asks for the hand-over");
  expect(await tried({ address: NOWHERE, holder: THERE })).toBe(`moves to ${THERE}, asks for the hand-over`);
});

test("a hub that does not know this machine any more says so", async () => {
  const key = "hcs_of-a-pair-before";
  for (const [address, holder] of [
    [NOWHERE, THERE],
    [THERE, THERE],
  ] as const)
    for (const force of [false, true])
      expect(await tried({ address, holder, key, force })).toBe(`${THERE} answers: this is not the key`);
});

test("where nobody answers, the lease decides", async () => {
  expect(await tried({ address: NOWHERE, holder: "" })).toContain("has the lease for another 3 s");
  expect(await tried({ address: NOWHERE, holder: NOWHERE, leftMs: 0 })).toBe("promoted");
  // Who does not know this machine need not be the hub.
  expect(await tried({ address: THERE, holder: NOWHERE, leftMs: 0, key: "hcs_of-a-pair-before" })).toBe("promoted");
});
