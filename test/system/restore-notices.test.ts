// A backup made while somebody was being asked to confirm: the house restored from it asks nobody and changes no message, and shows
// what was open. The hub that it was made of goes on.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { serveTelegram } from "../reach/notify/notices/fake-telegram.ts";
import { chatChannel, hookedRule, hookOf } from "../reach/notify/notices/rule-texts.ts";
import { downloadBackup, readZip } from "../support/archives.ts";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

const RULES = {
  leak: `channels = ["anna", "ben"]
title = "Leak"
message = "Water"
priority = "emergency"
escalate_after = "2s"
`,
  door: `channel = "anna"
message = "Door {{trigger.body.word}}"
tag = "door"
`,
};

const rule = (id: keyof typeof RULES): string => hookedRule(id, `[[actions]]\ntype = "notify"\n${RULES[id]}`);

async function fire(hub: HubProcess, id: keyof typeof RULES, word = ""): Promise<void> {
  const how = { token: null, body: { word } };
  expect((await hub.request("POST", hookOf(id), how)).status).toBe(202);
}

test("restored or placed by hand, a backup asks nobody about what was open in it", async () => {
  using telegram = serveTelegram();
  const toml = chatChannel(telegram, "anna", 7) + chatChannel(telegram, "ben", 8);
  await using a = createHubPlace({ toml });
  for (const id of ["leak", "door"] as const) a.put(`rules/${id}.toml`, rule(id));
  const from = await a.start();
  const token = await from.adminToken();
  await fire(from, "door", "open");
  await until("the door is reported", () => telegram.messages.length === 1);
  telegram.react("sendMessage", "hang");
  await fire(from, "leak");
  await until("Anna's phone hangs", () => telegram.calls("sendMessage") === 2);
  const zip = join(a.cwd, "..", "house.zip");
  await downloadBackup(from, zip);
  from.kill("SIGKILL");
  await from.exited;
  telegram.react("sendMessage", undefined);

  /** Longer than all steps of the escalation. */
  async function staysQuiet(hub: HubProcess): Promise<void> {
    const [door, ...others] = telegram.messages;
    const seen = others.length;
    expect((await hub.request("GET", "/notify/notices", { token })).json()).toMatchObject([
      { title: "Leak", state: "restored", answerable: true, by: null, ended_at: expect.any(String) },
      { state: "open", tag: "door", answerable: false },
    ]);
    // What comes after it in the same chat.
    await fire(hub, "leak");
    await until("a new one goes round", () => telegram.messages.length === seen + 3);
    const asked = telegram.messages.slice(seen + 1);
    expect(asked.map(({ chat: to }) => to)).toEqual(["7", "8"]);
    const notices = (await hub.request("GET", "/notify/notices", { token })).json<{ state: string }[]>();
    expect(notices.map(({ state }) => state)).toEqual(["open", "restored", "open"]);
    // A tag goes on to mean its last message.
    await fire(hub, "door", `closed ${seen}`);
    await until("the door's message is changed", () => door?.text.includes(`closed ${seen}`));
    await hub.end();
  }

  await using b = createHubPlace(null);
  const ran = await b.run(["restore", zip]);
  expect(ran).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("the messages that waited for an answer in it (1) are closed"),
  });
  await staysQuiet(await b.start());

  await using c = createHubPlace({ toml });
  await c.layOut();
  const files = readZip(zip);
  for (const name of ["data/state.redb", "data/history.db", "config/hub.toml", "rules/leak.toml", "rules/door.toml"])
    writeFileSync(c.at(name), Buffer.from(files[name] ?? "", "latin1"));
  const placed = await c.start();
  expect(placed.output).toContain("the messages that waited for an answer in the backup are closed");
  await staysQuiet(placed);

  const before = telegram.messages.length;
  const again = await a.start();
  await until("its own goes on", () => telegram.messages.length > before);
  expect((await again.request("GET", "/notify/notices", { token })).json()).toMatchObject([
    { title: "Leak", state: "open" },
    { tag: "door" },
  ]);
});
