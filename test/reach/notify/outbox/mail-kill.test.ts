// Real processes that send mail, each killed between a mail's final dot and the server's answer: nothing is lost, and only the mail
// that was cut off there comes twice, under the same id. One of the two recipients is put off now and then.
// Over 10 s: each mail that is cut off waits for its next try.
import { expect, test } from "bun:test";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { until } from "../../../support/wait.ts";
import { refusal, serveMail } from "../mail-server.ts";
import { startChild } from "./kill-rig.ts";

const KILLS = 4;
const ANN = "ann@example.org";
const BOB = "bob@example.org";

test(`killed ${KILLS} times between the dot and its answer`, async () => {
  using folder = createTemporaryFolder();
  let asked = 0;
  let confirmed = 0;
  let holdAt = 0;
  const holding = () => confirmed >= holdAt;
  await using server = await serveMail(
    {
      authOptional: true,
      onRcptTo: ({ address }, _session, done) =>
        done(address === BOB && ++asked % 5 === 0 ? refusal(451, "4.7.1 try again later") : null),
    },
    async () => {
      if (holding()) return new Promise<void>(() => {});
      confirmed++;
    },
  );
  const kept: number[] = [];
  for (let round = 0; round < KILLS; round++) {
    const before = server.mails.length;
    holdAt = confirmed + 2;
    const from = round * 1000;
    const child = startChild(folder.at("state.redb"), `smtp://127.0.0.1:${server.port}`, `${from}`, `${from + 8}`);
    await until("a mail waits for its answer", () => holding() && server.mails.length > before + 2);
    await child.kill();
    kept.push(...child.kept());
  }
  holdAt = Number.POSITIVE_INFINITY;
  expect(await startChild(folder.at("state.redb"), `smtp://127.0.0.1:${server.port}`).ended()).toBe(0);
  expect(kept.length).toBeGreaterThanOrEqual(KILLS);

  const mails = server.mails.map(({ raw, to }) => ({
    to,
    id: /^Message-ID: (.*)\r$/m.exec(raw)?.[1],
    number: Number(/^(\d+)(?: \(delivered|\r$)/m.exec(raw.slice(raw.indexOf("text/plain")))?.[1]),
  }));
  const copies = (address: string) => mails.filter(({ to }) => to.includes(address)).map(({ number }) => number);
  for (const address of [ANN, BOB]) {
    const once = new Set(copies(address));
    expect(kept.filter((number) => !once.has(number))).toEqual([]);
    expect(copies(address).length - once.size).toBeLessThanOrEqual(KILLS);
  }
  const idsOf = Map.groupBy(mails, ({ number }) => number);
  for (const same of idsOf.values()) expect(new Set(same.map(({ id }) => id)).size).toBe(1);
}, 120_000);
