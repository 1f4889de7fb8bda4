// A leak at night, with the compiled hub killed twice in between: the first person does not answer, the second one is asked and
// confirms by a button, everybody's message shows who did, under its picture, and the rule that waits goes on.
import { expect, test } from "bun:test";
import { serveTelegram } from "../reach/notify/notices/fake-telegram.ts";
import { chatChannel, hookedRule, hookOf } from "../reach/notify/notices/rule-texts.ts";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

const RULE = hookedRule(
  "leak",
  `[[actions]]
type = "notify"
channels = ["anna", "ben"]
title = "Leak"
message = "Water in {{trigger.body.room}}"
priority = "emergency"
image = "pictures/kitchen.webp"
tag = "leak"
escalate_after = "6s"
[[actions]]
type = "wait_for_trigger"
triggers = [{ type = "notification_acknowledged", tag = "leak" }]
[[actions]]
type = "delay"
duration_secs = 2
[[actions]]
type = "notify"
channel = "anna"
message = "The siren is off: {{vars.wait.trigger.by}}"
`,
  'run_mode = "queued"',
);

async function killed(hub: HubProcess): Promise<void> {
  hub.kill("SIGKILL");
  await hub.exited;
}

test("killed once between the two messages, and once between the answer and the news of it", async () => {
  using telegram = serveTelegram();
  await using place = createHubPlace({ toml: chatChannel(telegram, "anna", 7) + chatChannel(telegram, "ben", 8) });
  place.put("rules/leak.toml", RULE);
  place.put("pictures/kitchen.webp", "RIFF\x10\0\0\0WEBPVP8 a picture");
  let hub = await place.start();
  const called = await hub.request("POST", hookOf("leak"), {
    token: null,
    body: { room: "the kitchen" },
  });
  expect(called.status).toBe(202);
  const first = await until("Anna is notified", () => telegram.last("7"));
  await until("the hub knows her message", async () => (await hub.get<unknown[]>("/notify/outbox")).length === 0);
  await killed(hub);
  hub = await place.start();
  const second = await until("Ben is reported", () => telegram.last("8"));
  await until("the hub knows his message", async () => (await hub.get<unknown[]>("/notify/outbox")).length === 0);
  telegram.react("editMessageText", "hang");
  const pressed = telegram.press(second, "✅ Confirm", { id: 2, first_name: "Ben" });
  await until("Ben is thanked", () => telegram.answers.has(pressed));
  // Between the answer and the news of it.
  await killed(hub);
  telegram.react("editMessageText", undefined);
  hub = await place.start();
  await until("both messages show who confirmed", () =>
    [first, second].every(
      ({ text, buttons }) => text.includes("Confirmed by Ben") && Object.keys(buttons).length === 0,
    ),
  );
  expect(first.text).toContain("Water in the kitchen");
  expect([first.photo, second.photo]).toEqual([true, true]);
  await until("the rule goes on", () => telegram.texts("7").some((text) => text.includes("The siren is off: Ben")));
  const notices = await hub.get<unknown[]>("/notify/notices");
  expect(notices).toMatchObject([{ state: "acknowledged", by: "Ben", channel: "ben" }]);
  expect(new Set(telegram.messages.map(({ chat }) => chat))).toEqual(new Set(["7", "8"]));
});
