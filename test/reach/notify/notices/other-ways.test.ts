// The other ways to answer a message, and what a tag does: Pushover's receipts, the signed link, taking back and replacing.
import { expect, test } from "bun:test";
import { until } from "../../../support/wait.ts";
import { PICTURES } from "../pictures/rig.ts";
import { serveHttp } from "../rig.ts";
import { ANNA, CONFIRM, startHouse } from "./house.ts";
import { hookedRule } from "./rule-texts.ts";

const RECEIPT = "r".repeat(30);

const phoneChannel = ({ url }: { url: string }): string => `[[notify.channels]]
name = "phone"
type = "push_app"
api_key = "the-key-of-the-app"
user_key = "the-key-of-the-user"
api_url = "${url}"
`;

/** Says it with a tag, and takes it back with the body `{"room": "clear"}`. */
const DOOR = hookedRule(
  "leak",
  `[[actions]]
type = "conditional"
condition = 'trigger.body.room == "clear"'
then_actions = [{ type = "notify", tag = "door", clear = true }]
else_actions = [{ type = "notify", channel = "anna", title = "Door", message = "It is {{trigger.body.room}}", tag = "door" }]
`,
);

test("a tag: what is newer takes the place of what was said, and it can be taken back", async () => {
  await using house = await startHouse(DOOR);
  const { telegram } = house;
  await house.leak("open");
  const first = await until("it is said", () => telegram.last("7"));
  expect(first).toMatchObject({ text: "<b>Door</b>\nIt is open", buttons: {} });
  await until("the hub knows the message", async () => (await house.waiting()) === 0);
  await house.leak("<closed>");
  await until("it is changed", () => first.text === "<b>Door</b>\nIt is &lt;closed&gt;");
  expect(telegram.messages).toHaveLength(1);
  // Nobody has to answer: nothing is asked of the bot.
  expect(telegram.calls("getUpdates")).toBe(0);
  // Where it cannot be changed any more, it is said anew.
  telegram.react("editMessageText", { status: 400 });
  await house.leak("open again");
  const second = await until("it is said anew", async () => {
    await house.clock.advance(1000);
    return telegram.messages[1];
  });
  expect(second.text).toContain("open again");
  telegram.react("editMessageText", undefined);
  await until("the hub knows the message", async () => (await house.waiting()) === 0);
  await house.restart();
  await house.leak("clear");
  await until("it is taken back", () => second.deleted);
});

test("a tag with a picture: what is newer comes with its own picture, and the earlier one is taken back", async () => {
  const bell = `[[actions]]
type = "notify"
channel = "anna"
title = "Door"
message = "Somebody rang at {{trigger.body.room}}"
tag = "door"
image = "pictures/p.jpg"
`;
  await using house = await startHouse(hookedRule("leak", bell));
  const { telegram } = house;
  house.put("pictures/p.jpg", PICTURES.jpg);
  await house.leak("noon");
  const first = await until("it is said", () => telegram.last("7"));
  await until("the hub knows the message", async () => (await house.waiting()) === 0);
  await house.leak("one");
  const second = await until("it is said anew", async () => {
    await house.clock.advance(1000);
    return telegram.messages[1];
  });
  expect(second).toMatchObject({ photo: true, text: expect.stringContaining("rang at one") });
  await until("the first is taken back", () => first.deleted);
});

const PUSH = hookedRule(
  "leak",
  `[[actions]]
type = "notify"
channels = ["anna", "phone"]
title = "Fire"
message = "Fire in {{trigger.body.room}}"
priority = "emergency"
`,
);

test("Pushover: a receipt confirms for all, and what was confirmed elsewhere stops sounding", async () => {
  let acknowledged = 0;
  using place = serveHttp(({ path }) => {
    if (path === "/1/messages.json") return { json: { status: 1, request: "q", receipt: RECEIPT } };
    return { json: { status: 1, acknowledged, acknowledged_by_device: "bens-phone", expired: 0 } };
  });
  await using house = await startHouse(PUSH, phoneChannel(place));
  const { telegram, clock } = house;
  await house.leak("the attic");
  const first = await until("Anna is notified", () => telegram.last("7"));
  const sent = await until("the phone sounds", () => place.seen[0]);
  expect(sent.form.get("tags")).toMatch(/^notice_[0-9a-f-]{36}$/);
  expect(sent.form.get("url")).toStartWith("http://hub.test/api/v1/notify/links/");
  const asked = () => place.seen.filter(({ path }) => path === `/1/receipts/${RECEIPT}.json`).length;
  await until("the receipt is asked for", async () => {
    await clock.advance(1000);
    return asked() > 0;
  });
  const before = asked();
  await clock.advance(4000);
  expect(asked()).toBeLessThanOrEqual(before + 1);
  acknowledged = 1;
  await until("it is confirmed", async () => {
    await clock.advance(1000);
    return (await house.notices())[0]?.state === "acknowledged";
  });
  await until("Anna sees it", () => first.text.includes("Confirmed by bens-phone"));
  await house.leak("the cellar");
  const second = await until("Anna is notified again", () =>
    telegram.messages.find(({ text }) => text.includes("cellar")),
  );
  await until(
    "the phone sounds again",
    () => place.seen.filter(({ path }) => path === "/1/messages.json").length === 2,
  );
  await until("the hub knows the messages", async () => (await house.waiting()) === 0);
  telegram.press(second, CONFIRM, ANNA);
  await until("it stops sounding", () =>
    place.seen.some(({ path }) => path.startsWith("/1/receipts/cancel_by_tag/notice_")),
  );
  // Its message cannot be changed: another one says who confirmed, but not to the phone that did.
  const said = await until("the phone says who confirmed", () =>
    place.seen.find(({ form }) => form.get("message")?.includes("Confirmed by Anna")),
  );
  expect([said.form.get("title"), said.form.get("priority")]).toEqual(["Fire", "-1"]);
  expect(place.seen.some(({ form }) => form.get("message")?.includes("Confirmed by bens-phone"))).toBe(false);
});

test("a channel without names for its messages is reported in another who answered, once, over a restart too", async () => {
  using place = serveHttp(() => ({ json: { ok: true } }));
  const hook = `[[notify.channels]]
name = "phone"
type = "webhook"
url = "${place.url}/hook"
allow_local = true
`;
  await using house = await startHouse(PUSH, hook);
  const { telegram, clock } = house;
  await house.leak("the attic");
  const first = await until("Anna is notified", () => telegram.last("7"));
  await until("the webhook is reported", () => place.seen.length === 1);
  await until("the hub knows the messages", async () => (await house.waiting()) === 0);
  await house.restart();
  telegram.press(first, CONFIRM, ANNA);
  await until("the webhook gets who confirmed", async () => {
    await clock.advance(1000);
    return place.seen.length === 2;
  });
  expect(JSON.parse(place.seen[1]?.body ?? "")).toMatchObject({ title: "Fire", silent: true });
  expect(place.seen[1]?.body).toContain("Confirmed by Anna");
  await until("the hub knows that it arrived", async () => (await house.waiting()) === 0);
  await house.restart();
  await clock.advance(60_000);
  expect(place.seen).toHaveLength(2);
});

test("a link shows what it is about, and only its button confirms; forged and ended ones do not", async () => {
  using place = serveHttp(() => ({ json: { status: 1, request: "q", receipt: RECEIPT, acknowledged: 0, expired: 0 } }));
  await using house = await startHouse(PUSH, phoneChannel(place));
  const { hub, clock } = house;
  await house.leak("<the attic>");
  await until("the phone sounds", () => place.seen.length > 0);
  const path = (place.seen[0]?.form.get("url") ?? "").replace("http://hub.test/api/v1", "");
  const page = await hub.request("GET", path);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const text = await page.text();
  expect(text.match(/<button>.*?<\/button>/g)).toEqual(["<button>Confirm</button>"]);
  expect(text).toContain("Fire in &#60;the attic&#62;");
  expect(await house.notices()).toMatchObject([{ state: "open" }]);
  const forged = path.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
  for (const wrong of [forged, "/notify/links/x", "/notify/links/a.b", `${path}.x`])
    expect((await hub.request("POST", wrong)).status).toBe(404);
  expect(await (await hub.request("POST", path)).text()).toContain("Confirmed by whoever got it (phone)");
  expect(await house.notices()).toMatchObject([{ state: "acknowledged", channel: "phone" }]);
  // Again, and too late.
  expect((await hub.request("POST", path)).status).toBe(200);
  expect(await house.events("notification_acknowledged")).toHaveLength(1);
  clock.step(2 * 3_600_000);
  expect((await hub.request("GET", path)).status).toBe(404);
});
