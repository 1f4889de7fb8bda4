// Messages that somebody has to confirm, in a whole hub with the test's own Telegram: who is asked when, who may answer, what
// everybody sees afterwards, and what rules learn of it.
// Over 10 s: ten hubs, each of which lives through hours in which all that a hub does by the clock is done.
import { expect, test } from "bun:test";
import { until } from "../../../support/wait.ts";
import { ANNA, BEN, CONFIRM, type House, LEAK, MINUTE, startHouse } from "./house.ts";

/** The message to this chat, once its answer is there: one that is under way while minutes pass is sent again. */
const messageTo = (house: House, chat: string) =>
  until(`${chat} is asked`, async () => ((await house.waiting()) === 0 ? house.telegram.last(chat) : undefined));

test("one after the other is asked until somebody confirms, and everybody sees who did", async () => {
  await using house = await startHouse();
  const { telegram, clock } = house;
  await house.leak();
  const first = await messageTo(house, "7");
  expect(first).toMatchObject({ text: "<b>Leak</b>\nWater in <b>the kitchen</b>" });
  expect(Object.keys(first.buttons)).toEqual(["Close the valve", CONFIRM]);
  await clock.advance(4 * MINUTE);
  expect(telegram.last("8")).toBeUndefined();
  await clock.advance(MINUTE);
  const second = await messageTo(house, "8");
  expect(second.text).toBe("<b>Leak</b>\nWater in <b>the kitchen</b>");
  expect(await house.notices()).toMatchObject([{ state: "open", asked: ["anna", "ben"], tag: "leak" }]);
  const pressed = telegram.press(second, CONFIRM, BEN);
  await until("both messages show who confirmed", () =>
    [first, second].every(
      ({ text, buttons }) => text.includes("Confirmed by Ben") && Object.keys(buttons).length === 0,
    ),
  );
  await until("Ben is thanked", () => telegram.answers.get(pressed)?.startsWith("Confirmed"));
  expect(await house.notices()).toMatchObject([
    { state: "acknowledged", by: "Ben", action: "acknowledge", channel: "ben" },
  ]);
  expect(await house.events("notification_acknowledged")).toMatchObject([
    { by: "Ben", tag: "leak", title: "Leak", channel: "ben" },
  ]);
  await until("the rule goes on", async () => (await house.events("custom_siren_off")).length > 0);
  await clock.advance(60 * MINUTE);
  expect(telegram.messages).toHaveLength(2);
});

test("with a picture: the buttons are under the photo, and its caption shows who confirmed, over restarts", async () => {
  const rule = LEAK.replace("priority = 2", 'priority = 2\nimage = "pictures/cellar.png"');
  await using house = await startHouse(rule);
  const { telegram, clock } = house;
  house.put("pictures/cellar.png", Buffer.from("\x89PNG\r\n\x1a\npicture", "latin1"));
  await house.leak();
  const first = await messageTo(house, "7");
  expect([first.photo, first.text]).toEqual([true, "<b>Leak</b>\nWater in <b>the kitchen</b>"]);
  expect(Object.keys(first.buttons)).toEqual(["Close the valve", CONFIRM]);
  await house.restart();
  // In small steps: a picture is not waited for longer than a few seconds of the clock.
  await clock.advance(4.5 * MINUTE);
  const second = await until("Ben is reported", async () => {
    await clock.advance(100);
    return telegram.last("8");
  });
  await until("the hub knows the message", async () => (await house.waiting()) === 0);
  await house.restart();
  telegram.press(second, CONFIRM, BEN);
  await until("both captions show who confirmed", () =>
    [first, second].every(
      ({ text, buttons }) => text.includes("Confirmed by Ben") && Object.keys(buttons).length === 0,
    ),
  );
  await until("the rule goes on", async () => (await house.events("custom_siren_off")).length > 0);
  expect(second.photo).toBe(true);
});

test("a restart in between asks nobody twice, and what fell due meanwhile goes on at once", async () => {
  await using house = await startHouse();
  const { telegram, clock } = house;
  await house.leak();
  const first = await messageTo(house, "7");
  await clock.advance(2 * MINUTE);
  await house.restart();
  await clock.advance(MINUTE);
  expect(telegram.last("8")).toBeUndefined();
  const { hub } = house;
  await house.stop();
  clock.step(30 * MINUTE);
  await house.start(hub.admin);
  await clock.advance(1000);
  const second = await messageTo(house, "8");
  expect(telegram.messages).toHaveLength(2);
  telegram.press(first, "Close the valve", ANNA);
  await until("both show it", () => [first, second].every(({ text }) => text.includes("Anna: Close the valve")));
  await until("the rule goes on", async () => (await house.events("custom_siren_off")).length > 0);
});

test("nobody answers: rules learn of it once, an emergency goes round three times, and late answers are refused so", async () => {
  await using house = await startHouse();
  const { telegram, clock } = house;
  await house.leak();
  const first = await messageTo(house, "7");
  for (let reported = 2; reported <= 6; reported++) {
    await clock.advance(5 * MINUTE + 1000);
    // The messages go over a real socket.
    await until(
      "the next is notified",
      async () => telegram.messages.length >= reported && (await house.waiting()) === 0,
    );
  }
  await clock.advance(15 * MINUTE);
  expect(telegram.messages.map(({ chat }) => chat)).toEqual(["7", "8", "7", "8", "7", "8"]);
  expect(await house.events("notification_unanswered")).toMatchObject([{ tag: "leak", asked: 2 }]);
  await clock.advance(48 * MINUTE);
  expect(await house.notices()).toMatchObject([{ state: "expired", by: null }]);
  const late = { ...first, buttons: { late: "n:00000000-0000-4000-8000-000000000000:acknowledge" } };
  await until(
    "its buttons are gone",
    () => Object.keys(first.buttons).length === 0 && first.text.includes("Nobody confirmed"),
  );
  const pressed = telegram.press(late, "late", ANNA);
  await until("it is reported so", () => telegram.answers.get(pressed)?.includes("does not know"));
});

test("twice, forged, or from a stranger's chat: only the first answer counts, and strangers get none", async () => {
  await using house = await startHouse();
  const { telegram } = house;
  await house.leak();
  const first = await messageTo(house, "7");
  const kept = { ...first };
  telegram.press(kept, CONFIRM, { id: 66, first_name: "Mallory" }, "666");
  const forged = telegram.press(
    { ...kept, buttons: { x: `${kept.buttons[CONFIRM]?.slice(0, -11)}open-door` } },
    "x",
    ANNA,
  );
  await until("a forged answer is refused", () => telegram.answers.get(forged)?.includes("not possible"));
  expect(await house.notices()).toMatchObject([{ state: "open" }]);
  const [one, two] = [telegram.press(kept, CONFIRM, ANNA), telegram.press(kept, CONFIRM, BEN)];
  await until("both are answered", () => telegram.answers.has(one) && telegram.answers.has(two));
  expect(telegram.answers.get(two)).toContain("Confirmed by Anna");
  expect(telegram.answers.size).toBe(3);
  expect(await house.events("notification_acknowledged")).toHaveLength(1);
});

test("a group that got another id is seen there, also after a restart", async () => {
  await using house = await startHouse();
  const { telegram } = house;
  telegram.migrate("7", "-1007");
  await house.leak();
  const first = await until("the group is reported", () => telegram.last("-1007"));
  await until("the hub knows the message", async () => (await house.waiting()) === 0);
  await house.restart();
  telegram.press(first, CONFIRM, ANNA);
  await until("the answer counts", () => first.text.includes("Confirmed by Anna"));
  expect(await house.events("notification_acknowledged")).toMatchObject([{ by: "Anna" }]);
});

test("the service hangs, refuses for a while or has an error: the messages are brought up to date afterwards", async () => {
  await using house = await startHouse();
  const { telegram, clock } = house;
  await house.leak();
  const first = await messageTo(house, "7");
  telegram.react("editMessageText", { status: 429, retryAfter: 20 });
  telegram.press(first, CONFIRM, ANNA);
  await until("an edit is refused", () => telegram.calls("editMessageText") > 0);
  telegram.react("editMessageText", { status: 502 });
  const before = telegram.calls("editMessageText");
  await until("it is tried again", async () => {
    await clock.advance(1000);
    return telegram.calls("editMessageText") > before;
  });
  telegram.react("editMessageText", "hang");
  const tried = telegram.calls("editMessageText");
  await until("it hangs", async () => {
    await clock.advance(1000);
    return telegram.calls("editMessageText") > tried;
  });
  // Stopped in the middle, and started again.
  telegram.react("editMessageText", undefined);
  await house.restart();
  await until("Anna sees that she confirmed", () => first.text.includes("Confirmed by Anna"));
});

test("two programs that ask one bot: it is said plainly, and nothing else suffers", async () => {
  await using house = await startHouse();
  const { telegram, clock } = house;
  telegram.webhook = true;
  await house.leak();
  await messageTo(house, "7");
  await until("it is said", () => house.logged().includes("webhook of another program"));
  telegram.webhook = false;
  await until("it is seen again", async () => {
    await clock.advance(10_000);
    return house.logged().includes("the bot hears answers again") || telegram.polling > 0;
  });
});

test("a second hub with the same bot: each chat's channel says so and what to do, until only one asks", async () => {
  await using house = await startHouse();
  const { telegram, clock, hub } = house;
  const problems = async () => {
    const answer = await hub.request("GET", "/notify/channels", { token: await hub.tokenFor("viewer") });
    const channels = (await answer.json()) as { name: string; answers_problem?: { at: string; message: string } }[];
    return channels.flatMap(({ name, answers_problem: problem }) => (problem ? [`${name}: ${problem.message}`] : []));
  };
  const ask = async () =>
    void (await fetch(`${telegram.url}/bot12345:the-token-of-the-bot/getUpdates`, {
      method: "POST",
      body: JSON.stringify({ limit: 1, timeout: 50 }),
    }));
  await house.leak();
  await messageTo(house, "7");
  await until("the hub asks", () => telegram.polling === 1);
  expect(await problems()).toEqual([]);
  // The other hub asks, and takes turns with this one.
  const others = [ask()];
  const said = await until("it is shown", async () => (await problems())[0]);
  expect(said).toStartWith("anna: another program asks the same bot for answers, such as a second hub");
  expect(said).toContain("Stop the other one, or give this hub a bot of its own");
  const asked = telegram.calls("getUpdates");
  await until("this hub asks again", async () => {
    await clock.advance(1000);
    return telegram.calls("getUpdates") > asked;
  });
  // To get through once is no sign that the other is gone.
  telegram.write("7", "hello", ANNA);
  await until("the hub asks on", () => telegram.calls("getUpdates") > asked + 1);
  expect(await problems()).toHaveLength(1);
  await until("it is over when that stays away", async () => {
    await clock.advance(MINUTE);
    return (await problems()).length === 0;
  });
  await Promise.all(others);
});

test("a user confirms by the API; others may not, and it counts once", async () => {
  await using house = await startHouse();
  const { hub } = house;
  await house.leak();
  const first = await messageTo(house, "7");
  const [notice] = await house.notices();
  const path = `/notify/acknowledge/${notice?.id}`;
  expect((await hub.request("POST", path, { token: await hub.tokenFor("viewer") })).status).toBe(403);
  const token = await hub.tokenFor("user");
  expect((await hub.request("POST", path, { token, body: { action: "no" } })).status).toBe(400);
  const answer = await hub.request("POST", path, { token });
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    { state: "acknowledged", by: "user-2", channel: "api" },
  ]);
  expect((await hub.request("POST", path, { token })).status).toBe(409);
  expect((await hub.request("POST", "/notify/acknowledge/nothing", { token })).status).toBe(404);
  await until("Anna sees it", () => first.text.includes("Confirmed by user-2"));
});
