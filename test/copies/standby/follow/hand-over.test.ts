// A stopped hub gives itself up to a standby that has all of it, to no other, once, and not after its time.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { HAND_OVER_HEADER, type HandOver, openHandOver } from "../../../../src/copies/standby/follow/hand-over.ts";
import { createSourceClient, sourceWorker } from "../../../../src/copies/standby/source/client.ts";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import { openStateDb } from "../../../../src/server/db/state-db.ts";
import { homeAt } from "../../../../src/server/home/paths.ts";
import { type AssembledCopy, assembleCopy, syncWhole } from "../../../support/assemble-copy.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";

const KEY = "hcs_of-these-two";
const WITHIN_MS = 60_000;
let folder: TemporaryFolder;
let clock: VirtualClock;
let copy: AssembledCopy;
let handing: HandOver;
let givenUp: number;
let rules: string;
let open: () => HandOver;

beforeEach(() => {
  folder = createTemporaryFolder();
  clock = createVirtualClock();
  givenUp = 0;
  const home = homeAt(folder.at("home"));
  for (const path of [home.config, home.rules, home.data]) mkdirSync(path, { recursive: true });
  writeFileSync(home.hubToml, "");
  rules = home.rules;
  openStateDb(home.stateDb, Date.now)[Symbol.dispose]();
  open = () =>
    openHandOver({
      source: createSourceClient({ worker: sourceWorker(), home, version: "1", clock, log: silentLog }),
      ...{ key: KEY, epoch: 4, withinMs: WITHIN_MS, clock, log: silentLog },
      async giveUp() {
        givenUp++;
      },
    });
  handing = open();
  copy = assembleCopy(folder.at("copy"));
});
afterEach(async () => {
  await handing[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function ask(body: unknown, { complete = false, key = KEY } = {}): Promise<Response> {
  const text = JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${key}`,
    "content-length": String(text.length),
    ...(complete && { [HAND_OVER_HEADER]: "complete" }),
  };
  const path = "/api/v1/standby/sync";
  const request = new Request(`http://127.0.0.1${path}`, { method: "POST", headers, body: text });
  const answer = handing.answer(request, path);
  if (answer === undefined) throw new Error("it is not for this");
  return await answer;
}

const copyAll = (): Promise<void> => syncWhole(copy, async (request) => (await ask(request)).bytes());
const said = (answer: Response): string | null => answer.headers.get(HAND_OVER_HEADER);

test("it is given up once the standby says that it has all, and does; and an answer that was lost comes again", async () => {
  expect(said(await ask(copy.request(), { complete: true }))).toBe("begun");
  await copyAll();
  expect(said(await ask(copy.request()))).toBe("begun");
  expect(givenUp).toBe(0);
  expect(said(await ask(copy.request(), { complete: true }))).toBe("done");
  expect(said(await ask(copy.request(), { complete: true }))).toBe("done");
  expect([givenUp, await handing.done]).toEqual([1, true]);
});

test("what the standby has not got yet goes over first, whatever it says", async () => {
  await copyAll();
  await handing[Symbol.asyncDispose]();
  writeFileSync(`${rules}/late.toml`, "# written while the hub stopped\n");
  handing = open();
  expect(said(await ask(copy.request(), { complete: true }))).toBe("begun");
  expect(givenUp).toBe(0);
  await copyAll();
  expect(said(await ask(copy.request(), { complete: true }))).toBe("done");
});

test("after its time nothing is given up any more: this machine is the hub again", async () => {
  await copyAll();
  await clock.advance(WITHIN_MS);
  expect(await handing.done).toBe(false);
  expect(said(await ask(copy.request(), { complete: true }))).toBe("begun");
  expect(givenUp).toBe(0);
});

test("others, and what is no request, are refused", async () => {
  expect((await ask(copy.request(), { complete: true, key: "hcs_of-others" })).status).toBe(401);
  for (const wrong of ["", {}, { have: {} }, { have: { journals: 1 } }]) {
    const answer = await ask(wrong, { complete: true });
    expect([answer.status, said(answer)]).toEqual([503, null]);
  }
  expect(handing.answer(new Request("http://127.0.0.1/api/v1/devices"), "/api/v1/devices")).toBeUndefined();
  expect(givenUp).toBe(0);
});
