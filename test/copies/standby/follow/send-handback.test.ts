// What this machine had alone is sent to a hub that says what it wants; an answer that is none is logged, and asked for again later.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createHandbackSender } from "../../../../src/copies/standby/follow/send-handback.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";

const WAITED = { id: 1, channel: "phone", message_id: "m1", title: "Door", message: "open", at: 1 };

test("what is no answer is named in the log, loses nothing, and is asked for again after a minute", async () => {
  using folder = createTemporaryFolder();
  mkdirSync(folder.at("before-standby"), { recursive: true });
  writeFileSync(folder.at("before-standby/leftovers.json"), '{"until":1}');
  const clock = createVirtualClock();
  const warnings: unknown[] = [];
  const answers: unknown[] = [{ wanted: { historyFrom: "then", messages: [] } }];
  const asked: object[] = [];
  const sender = createHandbackSender({
    ...{ home: { data: folder.path, historyDb: folder.at("none") }, machine: "the-former-hub", clock },
    log: { info: () => {}, warn: (_message, fields) => warnings.push(fields) },
    readMessages: (_db, _isWanted, after) => (after ? [] : [WAITED]),
  });
  const step = () =>
    sender.step(async (body) => {
      asked.push(body);
      return answers.shift() as never;
    });

  expect(await step()).toBe(false);
  expect(warnings).toEqual([{ error: expect.stringContaining("does not answer as a hub of this version: /wanted") }]);
  expect(await step()).toBe(false);
  expect(asked).toHaveLength(1);

  await clock.advance(60_000);
  answers.push(
    { wanted: { historyFrom: null, messages: [] } },
    { samples: 0, messages: 1 },
    { samples: 0, messages: 0 },
  );
  while (await step());
  expect(asked.slice(1)).toEqual([
    { machine: "the-former-hub" },
    { machine: "the-former-hub", messages: [WAITED] },
    { machine: "the-former-hub", done: true },
  ]);
  expect(existsSync(folder.at("before-standby/leftovers.json"))).toBe(false);
});
