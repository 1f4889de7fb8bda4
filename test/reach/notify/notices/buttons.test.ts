// A notice's answers as buttons outside Telegram: signed links in ntfy, mail, Pushover and webhooks, reactions in a Matrix room.
import { expect, test } from "bun:test";
import { until } from "../../../support/wait.ts";
import { PASSWORD, serveMail } from "../mail-server.ts";
import { serveHttp } from "../rig.ts";
import { ANNA, ROOM, serveMatrix, TOKEN } from "../strict-matrix.ts";
import { serveNtfy } from "../strict-ntfy.ts";
import { type House, MINUTE, startHouse } from "./house.ts";

const ruleFor = (channels: string[], more = 'priority = "emergency"') => `id = "leak"
name = "Leak"
[[triggers]]
type = "webhook_received"
path = "leak"
secret = "a-secret-of-the-test"
[[actions]]
type = "notify"
channels = ${JSON.stringify(channels)}
title = "Leak"
message = "Water in {{trigger.body.room}}"
actions = [{ id = "valve", label = "Close <the> valve" }, { id = "siren", label = "Siren off" }, { id = "call", label = "Call" }]
${more}
`;
const ntfy = ({ url }: { url: string }) => `[[notify.channels]]
name = "push"
type = "ntfy"
server = "${url}"
topic = "house-x7"
`;
const matrix = ({ url }: { url: string }) => `[[notify.channels]]
name = "room"
type = "matrix"
homeserver = "${url}"
room = "${ROOM}"
access_token = "${TOKEN}"
`;
const BUTTON = /<button>(.*?)<\/button>/g;

/** What a link's address is to the test's hub. */
const pathOf = (url = ""): string => url.replace("http://hub.test/api/v1", "");

async function pageOf({ hub }: House, url: string | undefined, method = "GET"): Promise<string> {
  const answer = await hub.request(method, pathOf(url));
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  // ntfy's web app presses its buttons from another origin, and has to see that it worked.
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  return answer.text();
}

/** The links of the page's buttons, by what they say. */
function buttonsOf(page: string, url = ""): Map<string, string> {
  const forms = page.matchAll(/<form method="post" action="([\w.-]+)"><button>(.*?)<\/button>/g);
  return new Map([...forms].map(([, token = "", label = ""]) => [label, new URL(token, url).href]));
}

test("ntfy: three buttons that answer, and a tap leads to all; each link answers in its own way, once", async () => {
  using place = serveNtfy();
  await using house = await startHouse(ruleFor(["push"]), ntfy(place));
  await house.leak();
  const [shown] = await until("it is reported", () => (place.shown.size > 0 ? [...place.shown.values()] : undefined));
  const { actions = [], click } = shown ?? {};
  expect(actions.map(({ action, label, method }) => [action, label, method])).toEqual([
    ["http", "Confirm", "POST"],
    ["http", "Close <the> valve", "POST"],
    ["http", "Siren off", "POST"],
  ]);
  const all = buttonsOf(await pageOf(house, click), click);
  expect([...all.keys()]).toEqual(["Confirm", "Close &#60;the&#62; valve", "Siren off", "Call"]);
  // A link to one answer has no other, and to look at it answers nothing.
  const valve = actions[1]?.url;
  expect([...buttonsOf(await pageOf(house, valve), valve).keys()]).toEqual(["Close &#60;the&#62; valve"]);
  expect(await house.notices()).toMatchObject([{ state: "open" }]);
  // What was signed for one answer is no other's.
  const [claims, signature] = (valve ?? "").split("/").at(-1)?.split(".") ?? [];
  const other = Buffer.from(
    Buffer.from(claims ?? "", "base64url")
      .toString()
      .replace("valve", "siren"),
  );
  const forged = `/notify/links/${other.toString("base64url")}.${signature}`;
  expect((await house.hub.request("POST", forged)).status).toBe(404);
  expect(await pageOf(house, valve, "POST")).toContain("Close &#60;the&#62; valve: whoever got it (push).");
  expect(await house.notices()).toMatchObject([{ state: "acknowledged", action: "valve", channel: "push" }]);
  // The others are used up with it.
  const late = await pageOf(house, all.get("Siren off"), "POST");
  expect([late.match(BUTTON), late.includes("valve: whoever got it (push)")]).toEqual([null, true]);
  expect(await house.events("notification_acknowledged")).toMatchObject([{ action: "valve" }]);
  await until("the message shows it", () => [...place.shown.values()][0]?.message.includes("Close <the> valve"));
  expect([...place.shown.values()][0]).not.toHaveProperty("actions");
  for (const url of all.values()) expect(house.logged()).not.toContain(url.split("/").at(-1) ?? "");
});

test("a message that takes another's place keeps its buttons", async () => {
  using place = serveNtfy();
  await using house = await startHouse(ruleFor(["push"], 'tag = "leak"'), ntfy(place));
  await house.leak("the kitchen");
  await until("it is reported", () => place.shown.size === 1);
  await until("the hub knows the message", async () => (await house.waiting()) === 0);
  await house.leak("the bath");
  const changed = await until("it is changed", () =>
    [...place.shown.values()].find(({ message }) => message === "Water in the bath"),
  );
  expect(place.shown.size).toBe(1);
  await pageOf(house, changed.actions?.[2]?.url, "POST");
  expect(await house.notices()).toMatchObject([{ state: "acknowledged", action: "siren" }, { state: "cleared" }]);
});

test("mail: a button and a line for each answer, and opening them answers nothing", async () => {
  await using place = await serveMail({ hideSTARTTLS: true });
  const mail = `[[notify.channels]]
name = "mail"
type = "email"
from = "hub@home.example"
to = ["anna@home.example"]
[notify.channels.smtp]
host = "127.0.0.1"
port = ${place.port}
username = "hub"
password = "${PASSWORD}"
`;
  await using house = await startHouse(ruleFor(["mail"]), mail);
  await house.leak();
  const { raw } = await until("the mail is there", () => place.mails[0]);
  const text = raw
    .replaceAll("=\r\n", "")
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number(`0x${hex}`)));
  const lines = [...text.matchAll(/^(Confirm|Close <the> valve|Siren off|Call): (http:\S+)\r$/gm)];
  const links = [...text.matchAll(/<a href="(http:[^"]+)"[^>]*>([^<]+)<\/a>/g)];
  expect(lines.map(([, label]) => label)).toEqual(["Confirm", "Close <the> valve", "Siren off", "Call"]);
  expect(links.map(([, , label]) => label)).toEqual(["Confirm", "Close &lt;the&gt; valve", "Siren off", "Call"]);
  expect(links.map(([, url]) => url)).toEqual(lines.map(([, , url]) => url));
  // As a mail scanner does.
  for (const [, url] of links) for (const method of ["GET", "HEAD"]) await house.hub.request(method, pathOf(url));
  expect(await house.notices()).toMatchObject([{ state: "open" }]);
  await pageOf(house, links[3]?.[1], "POST");
  expect(await house.notices()).toMatchObject([{ state: "acknowledged", action: "call", channel: "mail" }]);
});

test("Pushover has one link, to a page with all answers; a webhook gets a link for each, and echoes none into the log", async () => {
  using place = serveHttp(({ path, body }) => {
    if (path === "/hook") return { status: 400, json: { error: `no such field in ${body}` } };
    return { json: { status: 1, request: "q", receipt: "r".repeat(30), acknowledged: 0, expired: 0 } };
  });
  const both = `[[notify.channels]]
name = "phone"
type = "push_app"
api_key = "the-key-of-the-app"
user_key = "the-key-of-the-user"
api_url = "${place.url}"
[[notify.channels]]
name = "hook"
type = "webhook"
url = "${place.url}/hook"
body = '{"link": "{{acknowledge_url}}"}'
allow_local = true
`;
  await using house = await startHouse(ruleFor(["phone", "hook"]), both);
  await house.leak();
  const sent = await until("the phone sounds", () => place.seen.find(({ path }) => path === "/1/messages.json"));
  expect(sent.form.get("url_title")).toBe("Answer");
  const url = sent.form.get("url") ?? "";
  const all = buttonsOf(await pageOf(house, url), url);
  expect(all.size).toBe(4);
  const { json } = await until("the webhook is asked", () => place.seen.find(({ path }) => path === "/hook"));
  const state = async () =>
    (await house.hub.request("GET", "/notify/channels", { token: house.hub.adminToken })).text();
  await until("the channel shows the refusal", async () => (await state()).includes("no such field"));
  const token = String(json.link).split("/").at(-1) ?? "";
  expect(token.length).toBeGreaterThan(80);
  for (const said of [await state(), house.logged()]) expect(said).not.toContain(token.slice(0, 40));
  await pageOf(house, all.get("Call"), "POST");
  expect(await house.notices()).toMatchObject([{ state: "acknowledged", action: "call", channel: "phone" }]);
});

test("Matrix: whoever taps a reaction answers, by name, over a restart too; strangers to the message do not", async () => {
  using place = serveMatrix();
  await using house = await startHouse(ruleFor(["room"]), matrix(place));
  await house.leak("the kitchen");
  await until("all can be tapped", () => place.offered.length === 4);
  const [event = ""] = place.shown.keys();
  expect(place.offered).toEqual(["✅", "1️⃣", "2️⃣", "3️⃣"].map((key) => `${key} ${event}`));
  expect(place.shown.get(event)?.body).toContain("React with ✅ Confirm · 1️⃣ Close <the> valve · 2️⃣ Siren off · 3️⃣ Call");
  expect(place.shown.get(event)?.body).toContain("\nCall: http://hub.test/api/v1/notify/links/");
  await until("it listens", () => place.syncing === 1);
  // The hub's own reactions and other emoji are no answers.
  place.react(event, "🎉", ANNA);
  place.react(event, "9️⃣", ANNA);
  await until("it has seen both", () => place.seen.at(-1)?.query.get("since") === "s6");
  expect(await house.notices()).toMatchObject([{ state: "open" }]);
  // Without what makes it an emoji, as some clients write it.
  place.react(event, "2\u20e3", ANNA);
  await until("it is answered", async () => (await house.notices())[0]?.state === "acknowledged");
  expect(await house.notices()).toMatchObject([{ action: "siren", by: "Anna", channel: "room" }]);
  await until("the message shows it", () => String(place.shown.get(event)?.body).includes("Anna: Siren off"));
  expect(place.shown.get(event)?.body).not.toContain("React with");
  await house.leak("the bath");
  await until("the second can be tapped", () => place.offered.length === 8);
  const second = [...place.shown.keys()].at(-1) ?? "";
  await until("the hub knows the message", async () => (await house.waiting()) === 0);
  const { admin } = house.hub;
  await house.stop();
  place.react(second, "👍🏽", "@ben:home.example");
  await house.start(admin);
  const later = async () => (await house.notices()).find(({ message }) => message === "Water in the bath");
  await until("what came meanwhile is seen", async () => (await later())?.state === "acknowledged");
  expect(await later()).toMatchObject({ action: "acknowledge", by: "@ben:home.example" });
  // Ten minutes later nobody is listened to any more.
  await until("the hub lets go", async () => {
    await house.clock.advance(MINUTE);
    return place.syncing === 0;
  });
  expect(house.logged()).not.toContain(TOKEN);
});

test("Matrix: where the hub may not react, the alarm arrives all the same, and people's reactions count", async () => {
  using place = serveMatrix({ reactions: false });
  await using house = await startHouse(ruleFor(["room"]), matrix(place));
  await house.leak();
  await until("it is reported", () => place.shown.size === 1);
  await until("the hub knows the message", async () => (await house.waiting()) === 0);
  await until("it listens", () => place.syncing === 1);
  const [event = ""] = place.shown.keys();
  place.react(event, "✅", ANNA);
  await until("it is answered", async () => (await house.notices())[0]?.state === "acknowledged");
});

test("Matrix: a reaction counts that comes while the message's picture is still on its way", async () => {
  using place = serveMatrix();
  const image = 'priority = "emergency"\nimage = "pictures/cellar.png"';
  await using house = await startHouse(ruleFor(["room"], image), matrix(place));
  house.put("pictures/cellar.png", Buffer.from("\x89PNG\r\n\x1a\npicture", "latin1"));
  await house.leak("the kitchen");
  await until("the first is reported", () => place.offered.length === 4);
  await until("it listens", () => place.syncing === 1);
  const upload = Promise.withResolvers<void>();
  place.uploading = upload.promise;
  await house.leak("the bath");
  const bath = () => [...place.shown].find(([, { body }]) => String(body).includes("the bath"))?.[0];
  const event = await until("the text of the second is there", bath);
  place.react(event, "✅", ANNA);
  await until("it was seen", () => place.seen.at(-1)?.query.get("since") === "s5");
  expect((await house.notices()).map(({ state }) => state)).toEqual(["open", "open"]);
  upload.resolve();
  await until("it counts", async () =>
    (await house.notices()).some(({ message, by }) => message === "Water in the bath" && by === "Anna"),
  );
});

test.each([
  [429, "M_LIMIT_EXCEEDED", "Too many requests"],
  [502, "M_UNKNOWN", "Bad gateway"],
])(
  "Matrix: reactions that are not seen (%d) are said with the channel, and seen later",
  async (status, errcode, error) => {
    using place = serveMatrix();
    place.syncRefusal = { status, errcode, error };
    await using house = await startHouse(ruleFor(["room"]), matrix(place));
    await house.leak();
    await until("it is reported", () => place.offered.length === 4);
    const problem = async () => {
      const answer = await house.hub.request("GET", "/notify/channels", { token: house.hub.adminToken });
      const channels = (await answer.json()) as { name: string; answers_problem?: { message: string } }[];
      return channels.find(({ name }) => name === "room")?.answers_problem?.message;
    };
    expect(await until("it is said", problem)).toContain("reactions to messages are not heard: ");
    const [event = ""] = place.shown.keys();
    place.react(event, "1️⃣", ANNA);
    place.syncRefusal = undefined;
    await until("it is seen", async () => {
      await house.clock.advance(1000);
      return (await house.notices())[0]?.action === "valve";
    });
    expect(await until("nothing is wrong any more", async () => (await problem()) === undefined)).toBe(true);
  },
);
