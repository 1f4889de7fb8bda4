import { afterEach, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import type { Channel, ChannelMessage } from "../../../../src/reach/notify/channel.ts";
import { guardedFetch } from "../../../../src/reach/notify/http/guarded-fetch.ts";
import {
  type GivenSubscription,
  MAX_OF_A_USER,
  openSubscriptions,
} from "../../../../src/reach/notify/web-push/subscriptions.ts";
import { createUsers } from "../../../../src/server/auth/users.ts";
import { openTestState } from "../../../support/state-db.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";
import { AT, createRig, failureOf, messageOf, never, openFrom } from "../rig.ts";
import { type Browser, claimsIn, createBrowser, servePush } from "../web-push/browser.ts";

let opened = new DisposableStack();
afterEach(() => {
  opened.dispose();
  opened = new DisposableStack();
});

/** A hub's page with users, whose endpoints `https://push.example/…` are on the server of the test. */
function openPage(place: { url: string }) {
  const folder = opened.use(createTemporaryFolder());
  const clock: VirtualClock = createVirtualClock(AT);
  const db = opened.use(openTestState(folder.at("state.redb"), clock.now));
  const users = createUsers(db.durable, (bytes) => randomBytes(bytes), clock.now);
  const ids = Object.fromEntries(
    ["anna", "ben"].map((username) => [username, users.create({ username, passwordHash: "x", role: "user" }).id]),
  );
  const subscriptions = openSubscriptions(db, clock.now);
  const send = ((url: string, init: RequestInit) =>
    fetch(url.replace("https://push.example", place.url), init)) as unknown as typeof fetch;
  const rig = createRig(clock);
  return {
    ...{ clock, users, subscriptions, rig },
    idOf: (name: string): string => ids[name] ?? "",
    add: (name: string, given: GivenSubscription) => subscriptions.add(ids[name] ?? "", given),
    channel(more: JsonObject = {}, via: typeof fetch = send): Channel {
      const deps = { ...rig.deps, webPush: { subscriptions, fetch: via } };
      return openFrom({ name: "browsers", type: "web_push", contact: "mailto:a@b.c", ...more }, { ...rig, deps });
    },
  };
}

const at = (path: string, { keys }: Browser): GivenSubscription => ({
  endpoint: `https://push.example${path}`,
  ...keys,
});

async function shownOf(message: ChannelMessage): Promise<JsonObject> {
  using place = servePush();
  const browser = await createBrowser();
  const page = openPage(place);
  page.add("anna", at("/201/a", browser));
  await page.channel().send(message, never());
  return JSON.parse(await browser.decrypt(place.seen[0]?.bytes ?? new Uint8Array()));
}

describe("web_push", () => {
  test("sends to each browser what only that one can read, signed with the hub's key", async () => {
    using place = servePush();
    const [anna, ben] = [await createBrowser(), await createBrowser()];
    const page = openPage(place);
    page.add("anna", at("/201/anna", anna));
    page.add("ben", at("/201/ben", ben));
    const message = messageOf("The door is open", { priority: 2, tag: "door", notice: "n1" });
    expect(await page.channel().send(message, never())).toEqual({ answer: "2 devices", parts: 1 });
    for (const [path, browser] of [["/201/anna", anna] as const, ["/201/ben", ben] as const]) {
      const { headers, bytes = new Uint8Array() } = place.seen.find((seen) => seen.path === path) ?? {};
      expect(JSON.parse(await browser.decrypt(bytes))).toEqual({
        ...{ title: "Hub Alert", body: "The door is open", tag: "door", at: AT, silent: false, stays: true },
        notice: "n1",
      });
      expect(headers?.get("content-encoding")).toBe("aes128gcm");
      expect([headers?.get("ttl"), headers?.get("urgency")]).toEqual(["86400", "high"]);
      const claims = await claimsIn(headers?.get("authorization") ?? "", page.subscriptions.key().publicKey);
      expect(claims).toEqual({ aud: "https://push.example", sub: "mailto:a@b.c", exp: AT / 1000 + 12 * 3600 });
    }
    expect(
      anna.decrypt(place.seen.find(({ path }) => path === "/201/ben")?.bytes ?? new Uint8Array()),
    ).rejects.toThrow();
  });

  test("only to the users it names", async () => {
    using place = servePush();
    const page = openPage(place);
    page.add("anna", at("/201/anna", await createBrowser()));
    page.add("ben", at("/201/ben", await createBrowser()));
    await page.channel({ users: ["ben", "nobody"] }).send(messageOf("x"), never());
    expect(place.seen.map(({ path }) => path)).toEqual(["/201/ben"]);
    const failure = await failureOf(page.channel({ users: ["nobody"] }).send(messageOf("x"), never()));
    expect(failure.fault).toMatchObject({ transient: false, hint: expect.stringContaining("Your account") });
  });

  test("a browser that is gone is forgotten", async () => {
    using place = servePush();
    const page = openPage(place);
    for (const path of ["/410/a", "/404/b", "/201/c"]) page.add("anna", at(path, await createBrowser()));
    expect(await page.channel().send(messageOf("x"), never())).toMatchObject({ answer: "1 device" });
    expect(page.subscriptions.of(undefined).map(({ endpoint }) => endpoint)).toEqual(["https://push.example/201/c"]);
  });

  test("another try goes only to those that were not reached", async () => {
    let busy = true;
    using place = servePush((path) => (path === "/b" && busy ? 429 : 201));
    const page = openPage(place);
    for (const path of ["/a", "/b"]) page.add("anna", at(path, await createBrowser()));
    const channel = page.channel();
    const failure = await failureOf(channel.send(messageOf("x"), never()));
    expect(failure.fault).toMatchObject({ transient: true, retryAfterMs: 9000 });
    busy = false;
    expect(await channel.send(messageOf("x"), never())).toMatchObject({ answer: "2 devices" });
    expect(place.seen.map(({ path }) => path).sort()).toEqual(["/a", "/b", "/b"]);
  });

  test("one that refuses for good does not keep the message from the others", async () => {
    using place = servePush();
    const page = openPage(place);
    for (const path of ["/201/a", "/403/b"]) page.add("anna", at(path, await createBrowser()));
    const { note } = await page.channel().send(messageOf("x"), never());
    expect(note).toContain("not to 1 more");
    expect(note).toContain("clock");
  });

  test("no address of the house is asked, whatever a browser gave", async () => {
    using place = servePush();
    const page = openPage(place);
    const { port } = new URL(place.url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, "192.168.1.1", "169.254.169.254"])
      page.add("anna", { ...at("", await createBrowser()), endpoint: `https://${host}/x` });
    const guarded = guardedFetch(fetch, { reach: "internet", hint: "no" });
    const failure = await failureOf(page.channel({}, guarded).send(messageOf("x"), never()));
    expect(failure.fault.transient).toBe(false);
    expect(place.seen).toEqual([]);
  });

  test.each<[string, Partial<GivenSubscription>]>([
    ["plain http", { endpoint: "http://push.example/x" }],
    ["a login in the address", { endpoint: "https://a:b@push.example/x" }],
    ["no address", { endpoint: "https://" }],
    ["no point of the curve", { p256dh: Buffer.alloc(65, 4).toString("base64url") }],
    ["a short secret", { auth: "AAAA" }],
  ])("%s is refused", async (_, more) => {
    const page = openPage({ url: "http://127.0.0.1:1" });
    const given = at("/x", await createBrowser());
    expect(() => page.add("anna", { ...given, ...more })).toThrow();
    expect(page.subscriptions.of(undefined)).toEqual([]);
  });

  test("a user's browsers are bounded, go over with the browser, and end with the user", async () => {
    const page = openPage({ url: "http://127.0.0.1:1" });
    const browser = await createBrowser();
    for (let index = 0; index < MAX_OF_A_USER + 3; index++) {
      await page.clock.advance(1000);
      page.add("anna", at(`/${index}`, browser));
    }
    const kept = page.subscriptions.of(["anna"]).map(({ endpoint }) => endpoint);
    expect(kept).toHaveLength(MAX_OF_A_USER);
    expect(kept.at(-1)).toEndWith(`/${MAX_OF_A_USER + 2}`);
    page.add("ben", at(`/${MAX_OF_A_USER}`, browser));
    expect(page.subscriptions.of(["ben"])).toHaveLength(1);
    expect(page.subscriptions.remove(page.idOf("anna"), `https://push.example/${MAX_OF_A_USER}`)).toBe(false);
    page.users.create({ username: "root", passwordHash: "x", role: "admin" });
    page.users.remove("ben");
    expect(page.subscriptions.of(["ben"])).toEqual([]);
  });

  test.each<[string, boolean, boolean, Partial<ChannelMessage>]>([
    ["very-low", true, false, { priority: -2 }],
    ["low", true, false, { priority: -1 }],
    ["normal", false, false, {}],
    ["high", false, false, { priority: 1 }],
    ["high", false, true, { priority: 2 }],
    ["high", true, true, { priority: 2, silent: true }],
  ])("urgency %s, silent %p, stays %p for %j %j", async (urgency, silent, stays, options) => {
    using place = servePush();
    const browser = await createBrowser();
    const page = openPage(place);
    page.add("anna", at("/201/a", browser));
    await page.channel().send(messageOf("x", options), never());
    expect(place.seen[0]?.headers.get("urgency")).toBe(urgency);
    expect(JSON.parse(await browser.decrypt(place.seen[0]?.bytes ?? new Uint8Array()))).toMatchObject({
      silent,
      stays,
    });
  });

  test("has as many buttons as browsers show: the one that confirms, and the first other", async () => {
    const linked = (id: string) => ({ id, label: `To ${id}`.padEnd(99, "o"), url: `https://hub.example/${id}` });
    const actionLinks = [linked("valve"), linked("siren")];
    const shown = await shownOf(messageOf("x", { acknowledgeUrl: "https://hub.example/ok", actionLinks }));
    expect(shown.confirm).toBe("https://hub.example/ok");
    expect(shown.actions).toEqual([
      { label: expect.stringMatching(/^To valveo+…$/), url: "https://hub.example/valve" },
    ]);
  });

  test.each(["é", "👨‍👩‍👧", '"', "x\n", "\ud800", "\\"])("a megabyte of %j fits into one push", async (piece) => {
    const confirm = `https://hub.example/${"x".repeat(900)}`;
    const text = piece.repeat(1_000_000 / piece.length);
    const options = { title: text, tag: text, acknowledgeUrl: confirm, late: true, repeats: "(2 times since 14:02)" };
    const shown = await shownOf(messageOf(text, options));
    expect(shown.confirm).toBe(confirm);
    expect(shown.body).toEndWith("… (2 times since 14:02)\n\n(delivered late; this is from 2026-11-21 14:02)");
  });
});
