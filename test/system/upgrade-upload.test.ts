// A newer version by upload, tried by the compiled hub that receives it: it takes over in the same process, or everything is as before.
// Over 10 s: a hub that can be each of four other versions is compiled first.
import { beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { createHubPlace } from "../support/hub-place.ts";
import { otherHub } from "../support/other-hub.ts";
import { goBack, runs, sendHub as send, startAtHome, statusOf } from "../support/upgrades.ts";
import { until } from "../support/wait.ts";

const NEXT = { version: "99.1.0", kind: "plain" as const, file: "" };
const CONVERTING = { version: "99.2.0", kind: "converting" as const, file: "" };
const LATE = { version: "99.3.0", kind: "late" as const, file: "" };
const CURIOUS = { version: "99.8.0", kind: "curious" as const, file: "" };

beforeAll(async () => {
  for (const other of [NEXT, CONVERTING, LATE, CURIOUS]) other.file = await otherHub(other.version, other.kind);
});

test("an uploaded version takes over in the same process, and going back brings this one", async () => {
  await using place = createHubPlace();
  const hub = await startAtHome(place);
  const own = (await statusOf(hub)).version;
  expect(await statusOf(hub)).toEqual({ version: own, previous: null, refused: null, snapshot: null, last: null });
  await hub.request("PUT", "/variables/kept", { body: { value: 7 } });

  expect(await send(hub, NEXT.file)).toEqual({ status: 202, body: { from: own, to: NEXT.version } });
  await hub.said("the new version answers and takes over");
  await runs(hub, NEXT.version);
  expect(await statusOf(hub)).toMatchObject({ previous: own, last: { from: own, to: NEXT.version, ok: true } });
  expect(readFileSync(`/proc/${hub.pid}/exe`).equals(readFileSync(NEXT.file))).toBe(true);
  expect((await hub.request("GET", "/variables")).text).toContain("kept");
  // The new program has none of the old one's files open but those a process starts with.
  expect(openFiles(hub.pid).filter((file) => file.includes("(deleted)"))).toEqual([]);

  expect((await goBack(hub)).status).toBe(202);
  await runs(hub, own);
  expect(await statusOf(hub)).toMatchObject({
    previous: NEXT.version,
    last: { from: NEXT.version, to: own, ok: true },
  });
  expect(readdirSync(place.at("bin")).sort()).toEqual(["hub", "hub.previous"]);
  hub.kill("SIGTERM");
  expect(await hub.exited).toBe(0);
});

test("one that converts the databases and then fails leaves nothing behind", async () => {
  await using place = createHubPlace();
  const hub = await startAtHome(place);
  const own = (await statusOf(hub)).version;
  await hub.request("PUT", "/variables/kept", { body: { value: 7 } });
  expect((await send(hub, LATE.file)).status).toBe(202);
  await hub.said("the hub is up again", 60_000);
  await runs(hub, own);
  expect(hub.output).toContain("broken on purpose");
  const { previous, last } = await statusOf(hub);
  expect({ previous, last }).toMatchObject({ previous: null, last: { from: own, to: LATE.version, ok: false } });
  expect(last?.error).toContain("it ended with 1");
  expect((await hub.request("GET", "/variables")).text).toContain("kept");
  expect(readdirSync(place.at("bin"))).toEqual(["hub"]);
  expect(existsSync(place.at("data", "before-upgrade"))).toBe(false);
});

test("the way back from a version that has converted the databases is with those of before, and back again", async () => {
  await using place = createHubPlace();
  const hub = await startAtHome(place);
  const own = (await statusOf(hub)).version;
  expect((await send(hub, CONVERTING.file)).status).toBe(202);
  await runs(hub, CONVERTING.version);
  const back = await goBack(hub);
  expect({ status: back.status, text: back.text }).toMatchObject({ status: 409 });
  expect(back.text).toContain("cannot read the databases");
  expect(back.text).toContain("?databases=true");
  expect(await statusOf(hub)).toMatchObject({ version: CONVERTING.version, snapshot: { version: own } });
  await hub.request("PUT", "/variables/since", { body: { value: 7 } });

  expect((await goBack(hub, "?databases=true")).status).toBe(202);
  await runs(hub, own);
  expect(hub.output).toContain("the databases go back, too: what came since then is not in them");
  expect((await hub.request("GET", "/variables")).text).not.toContain("since");
  expect(await statusOf(hub)).toMatchObject({ last: { ok: true }, snapshot: { version: CONVERTING.version } });

  expect((await goBack(hub, "?databases=true")).status).toBe(202);
  await runs(hub, CONVERTING.version);
  expect((await hub.request("GET", "/variables")).text).toContain("since");
});

test("what is no newer hub for this machine is refused, and the hub goes on", async () => {
  await using place = createHubPlace();
  const hub = await startAtHome(place);
  expect((await goBack(hub)).status).toBe(404);
  expect(await send(hub, "/bin/true")).toMatchObject({ status: 400 });
  expect(await send(hub, place.at("config", "hub.toml"))).toMatchObject({ status: 400 });
  expect((await hub.request("POST", "/system/upgrade?force=maybe")).status).toBe(400);
  expect((await hub.request("POST", "/system/upgrade", { token: null })).status).toBe(401);
  expect(readdirSync(place.at("bin"))).toEqual(["hub"]);
  expect((await hub.get<{ version: string }>("/health")).version).not.toBe("");
});

test("an uploaded program sees nothing of the house before it is known to be a hub", async () => {
  await using place = createHubPlace();
  const hub = await startAtHome(place);
  const { status, body } = await send(hub, CURIOUS.file);
  expect({ status, body }).toMatchObject({ status: 400, body: { detail: expect.stringContaining("saw nothing") } });
  expect(readdirSync(place.at("bin"))).toEqual(["hub"]);
  expect(existsSync(place.at("data", "spied"))).toBe(false);
});

test("what a hub that was killed had received of another is gone after the next start", async () => {
  await using place = createHubPlace();
  const hub = await startAtHome(place);
  const headers = { authorization: `Bearer ${await hub.adminToken()}`, ...(await hub.confirmed()) };
  const half = new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(new Uint8Array(5_000_000)) });
  const asked = fetch(`${hub.api}/system/upgrade`, { method: "POST", headers, body: half }).catch(() => undefined);
  await until("it is being received", () => existsSync(place.at("bin", "hub.new")));
  hub.kill("SIGKILL");
  await hub.exited;
  await asked;
  expect(readdirSync(place.at("bin")).sort()).toEqual(["hub", "hub.new"]);
  await place.startFromHome();
  expect(readdirSync(place.at("bin"))).toEqual(["hub"]);
});

test("a hub that does not run from its home's file says what to do instead", async () => {
  await using place = createHubPlace();
  const hub = await place.start();
  expect((await statusOf(hub)).refused).not.toBeNull();
  expect(await send(hub, NEXT.file)).toMatchObject({ status: 409 });
});

function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).map((name) => readlinkSync(join(folder, name)));
}
