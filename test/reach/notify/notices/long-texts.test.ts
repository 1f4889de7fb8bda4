// Notices with long texts and pictures: whatever had to be cut, everybody's copy shows who answered.
import { describe, expect, test } from "bun:test";
import { until } from "../../../support/wait.ts";
import { PICTURES } from "../pictures/rig.ts";
import { ROOM, serveMatrix, TOKEN } from "../strict-matrix.ts";
import { serveNtfy } from "../strict-ntfy.ts";
import { BEN, CONFIRM, type House, startHouse } from "./house.ts";
import { hookedRule } from "./rule-texts.ts";

const rule = (fields: string): string =>
  hookedRule(
    "leak",
    `[[actions]]
type = "notify"
title = "Leak"
message = "{{trigger.body.room}}"
priority = "emergency"
${fields}
`,
  );

/** Sends it to Anna's chat, confirms it there, and gives what each of her messages says then. */
async function confirmed(house: House, text: string, messages: number): Promise<string[]> {
  const { telegram } = house;
  await house.leak(text);
  const reported = await until("Anna is notified", async () => {
    await house.clock.advance(1000);
    const all = telegram.messages.filter(({ chat }) => chat === "7");
    return all.length === messages && (await house.waiting()) === 0 ? all : undefined;
  });
  const last = reported.at(-1);
  if (!last) throw new Error("nobody was told");
  telegram.press(last, CONFIRM, BEN);
  await until("it shows who confirmed", async () => {
    await house.clock.advance(1000);
    return last.text.includes("Confirmed by Ben") && Object.keys(last.buttons).length === 0;
  });
  return reported.map((message) => message.text);
}

describe("Telegram", () => {
  test("under a picture: the caption stays within its limit, and shows who confirmed", async () => {
    await using house = await startHouse(rule(`channel = "anna"\nimage = "pictures/p.jpg"`));
    house.put("pictures/p.jpg", PICTURES.jpg);
    const [caption = ""] = await confirmed(house, "x".repeat(1010), 1);
    expect(house.telegram.messages[0]?.photo).toBe(true);
    expect(caption).toStartWith(`<b>Leak</b>\n${"x".repeat(900)}`);
    expect(caption).toMatch(/more characters\)\n\n✅ Confirmed by Ben, [\d :-]+$/);
  });

  test("behind a picture with its title: the text changes, the picture stays", async () => {
    await using house = await startHouse(rule(`channel = "anna"\nimage = "pictures/p.jpg"`));
    house.put("pictures/p.jpg", PICTURES.jpg);
    const [title, text] = await confirmed(house, "y".repeat(2000), 2);
    expect(title).toBe("<b>Leak</b>");
    expect(text).toMatch(/^<b>Leak<\/b>\ny{2000}\n\n✅ Confirmed by Ben/);
  });

  test("in several messages: none is lost or doubled by the change", async () => {
    await using house = await startHouse(rule(`channel = "anna"`));
    const texts = await confirmed(house, "word ".repeat(1500), 2);
    expect(texts.join(" ").match(/word/g)).toHaveLength(1500);
  });

  test.each([1, 4, 30])("of %d times 30,000 characters: it can be confirmed, and shows by whom", async (times) => {
    const long = rule(`channel = "anna"\nescalate_after = "5 min"`);
    await using house = await startHouse(long.replace("{{trigger.body.room}}", "{{trigger.body.room}}".repeat(times)));
    const texts = await confirmed(house, "z".repeat(30_000), 5);
    expect(texts.at(-1)).toMatch(/more characters\)\n\n✅ Confirmed by Ben/);
    expect(await house.notices()).toMatchObject([{ state: "acknowledged", by: "Ben" }]);
  });
});

test.each<[string, number]>([
  ["x", 2],
  ['"', 5],
  ["漢", 2],
  ["😀", 4],
])("ntfy and Matrix: a text of %p that had to be cut shows who confirmed", async (sign, parts) => {
  using push = serveNtfy();
  using matrix = serveMatrix();
  const more = `[[notify.channels]]
name = "push"
type = "ntfy"
server = "${push.url}"
topic = "house-x7"
[[notify.channels]]
name = "room"
type = "matrix"
homeserver = "${matrix.url}"
room = "${ROOM}"
access_token = "${TOKEN}"
html = true
`;
  await using house = await startHouse(rule(`channels = ["anna", "push", "room"]\nmarkup = "none"`), more);
  await confirmed(house, sign.repeat(7000), parts);
  await until("both show it", async () => {
    await house.clock.advance(1000);
    // What comes last may be a question for reactions.
    const isConfirmed = (said: unknown): boolean => JSON.stringify(said).includes("Confirmed by Ben");
    return isConfirmed([...push.shown.values()]) && isConfirmed(matrix.seen.map(({ json }) => json));
  });
  // It was an alarm; that somebody confirmed it is none.
  expect(push.seen.filter(({ path }) => path === "/").map(({ json }) => json.priority)).toEqual([5, 2]);
  const events = matrix.seen.filter(({ path }) => path.includes("m.room.message"));
  expect(events.map(({ json }) => json["m.mentions"])).toEqual([{ room: true }, {}]);
});
