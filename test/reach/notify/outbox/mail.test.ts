// The outbox with a real SMTP server: transient and permanent failures.
import { expect, test } from "bun:test";
import { HINTS } from "../../../../src/reach/notify/mail/smtp-failure.ts";
import { until } from "../../../support/wait.ts";
import { refusal, serveMail } from "../mail-server.ts";
import { openOutboxRig } from "./rig.ts";

const mail = (port: number) => ({
  ...{ name: "mail", type: "email", from: "hub@example.org", to: ["ann@example.org"] },
  smtp: { host: "127.0.0.1", port, username: "", password: "unused" },
});

test("a mail that is deferred arrives later with the same id and its original time", async () => {
  let busy = true;
  await using server = await serveMail({
    authOptional: true,
    onRcptTo: (_address, _session, done) => done(busy ? refusal(451, "4.7.1 greylisted, try again later") : null),
  });
  await using rig = await openOutboxRig([mail(server.port)]);
  expect(await rig.say("mail", "door", "Cellar")).toMatchObject([{ state: "queued" }]);
  expect(rig.outbox.list()[0]?.lastError).toContain("greylisted");
  const [row] = rig.db.durable.query<{ message_id: string }, []>("SELECT message_id FROM outbox").all();
  busy = false;
  await rig.restart();
  await rig.clock.advance(60_000);
  await until("the mail comes", () => server.mails.length === 1);
  expect(server.mails[0]?.raw).toContain("this is from 2026-01-15 13:00");
  expect(server.mails[0]?.raw).toContain(`Message-ID: <${row?.message_id}@example.org>`);
  await until("it is done", () => rig.outbox.list().length === 0);
  expect(rig.ends()).toMatchObject([{ type: "notification_delivered_late", channel: "mail", title: "Cellar" }]);
});

test("a refused mail is not kept, and the error says what to do", async () => {
  await using server = await serveMail({
    authOptional: true,
    onRcptTo: (_address, _session, done) => done(refusal(554, "5.7.1 relay access denied")),
  });
  await using rig = await openOutboxRig([mail(server.port)]);
  expect(await rig.say("mail", "door")).toMatchObject([{ state: "failed", hint: HINTS.relay }]);
  expect(rig.outbox.list()).toEqual([]);
  expect(rig.logged.join("\n")).toContain(HINTS.relay);
});

test("a server that cannot be reached is tried again", async () => {
  const gone = await serveMail();
  const { port } = gone;
  await gone[Symbol.asyncDispose]();
  await using rig = await openOutboxRig([mail(port)]);
  expect(await rig.say("mail", "door")).toMatchObject([{ state: "queued", hint: HINTS.refused }]);
});
