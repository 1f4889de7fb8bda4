// Mail servers that take their time with the final dot, or put off some of a mail's recipients.
import { expect, test } from "bun:test";
import { until } from "../../../support/wait.ts";
import { type MailServer, type ReceivedMail, refusal, serveMail } from "../mail-server.ts";
import { type OutboxRig, openOutboxRig } from "./rig.ts";

const ANN = "ann@example.org";
const BOB = "bob@example.org";
const GREYLISTED = refusal(450, "4.2.0 greylisted, try again later");

const mail = (port: number, to = [ANN, BOB]) => ({
  ...{ name: "mail", type: "email", from: "hub@example.org", to },
  smtp: { host: "127.0.0.1", port, username: "", password: "unused" },
});
const idOf = ({ raw }: ReceivedMail) => /^Message-ID: (.*)\r$/m.exec(raw)?.[1];
const copiesFor = (server: MailServer, address: string) => server.mails.filter(({ to }) => to.includes(address)).length;

/** Lets time pass, but none while a try is under way, until nothing waits any more. */
const untilDone = (rig: OutboxRig) =>
  until("nothing waits", async () => {
    const waiting = rig.outbox.list();
    if (waiting.length > 0 && !waiting.some(({ state }) => state === "sending")) await rig.clock.advance(5000);
    return rig.outbox.list().length === 0;
  });

/** Answers the dot only when ordered to. */
async function serveSlowly(hold = true) {
  const gate = Promise.withResolvers<void>();
  const server = await serveMail({ authOptional: true }, () => (hold ? gate.promise : Promise.resolve()));
  return { server, confirm: () => gate.resolve() };
}

/** Answers for each recipient as the test says. */
const serveRecipients = (answer: (address: string) => Error | null) =>
  serveMail({ authOptional: true, onRcptTo: ({ address }, _session, done) => done(answer(address)) });

test("a mail whose dot is confirmed after minutes comes once", async () => {
  const { server, confirm } = await serveSlowly();
  await using _server = server;
  await using rig = await openOutboxRig([mail(server.port)]);
  const first = rig.say("mail", "door");
  await until("the server has the mail", () => server.mails.length === 1);
  await rig.clock.advance(11_000);
  expect(await first).toEqual([{ channel: "mail", state: "queued" }]);
  expect(rig.outbox.list()).toMatchObject([{ state: "sending", lastError: undefined }]);
  await rig.clock.advance(9 * 60_000);
  confirm();
  await until("it is confirmed", () => rig.outbox.list().length === 0);
  expect(server.mails).toHaveLength(1);
});

test("a mail that is never confirmed is sent again after ten minutes, under the same id", async () => {
  const { server, confirm } = await serveSlowly();
  await using _server = server;
  await using rig = await openOutboxRig([mail(server.port)]);
  void rig.say("mail", "door");
  await until("the server has the mail", () => server.mails.length === 1);
  await rig.clock.advance(10 * 60_000);
  await until("it waits", () => rig.outbox.list()[0]?.state === "waiting");
  expect(rig.outbox.list()[0]?.lastError).toEndWith("did not confirm the mail, which may have arrived (600 s)");
  confirm();
  await untilDone(rig);
  expect(server.mails.map(idOf)).toEqual([
    idOf(server.mails[0] as ReceivedMail),
    idOf(server.mails[0] as ReceivedMail),
  ]);
});

test("a test message that is not confirmed in time is answered as handed over, and still comes once", async () => {
  const { server, confirm } = await serveSlowly();
  await using _server = server;
  await using rig = await openOutboxRig([mail(server.port)]);
  const asked = new AbortController();
  const answer = rig.notifier.send({ channel: "mail", message: "x" }, asked.signal);
  await until("the server has the mail", () => server.mails.length === 1);
  await rig.clock.advance(10_000);
  expect((await answer).map(({ result }) => result)).toEqual([
    { ok: true, delivery: expect.objectContaining({ note: "handed over, not confirmed yet" }) },
  ]);
  asked.abort();
  confirm();
  await until("its success is known", () => rig.notifier.list()[0]?.lastSuccess !== undefined);
  expect(server.mails).toHaveLength(1);
});

test("a server that is silent before the dot is cut off as before", async () => {
  await using server = await serveMail({ authOptional: true, onRcptTo: () => {} });
  await using rig = await openOutboxRig([mail(server.port)]);
  const first = rig.say("mail", "door");
  await rig.clock.advance(10_000);
  expect((await first)[0]).toMatchObject({ state: "queued" });
  expect(rig.outbox.list()[0]?.lastError).toEndWith("did not answer in time (10 s)");
});

test("a recipient who is put off gets it later, alone, over a crash", async () => {
  let greylisting = true;
  await using server = await serveRecipients((address) => (greylisting && address === BOB ? GREYLISTED : null));
  await using rig = await openOutboxRig([mail(server.port)]);
  await rig.say("mail", "door");
  expect(server.mails.map(({ to }) => to)).toEqual([[ANN]]);
  expect(rig.outbox.list()[0]?.lastError).toContain(`put off for ${BOB} (450 4.2.0 greylisted, try again later)`);
  await rig.restart({ crash: true });
  greylisting = false;
  await untilDone(rig);
  expect(server.mails.map(({ to }) => to)).toEqual([[ANN], [BOB]]);
  expect(server.mails[1]?.raw).toContain(`To: ${ANN}, ${BOB}`);
  expect(new Set(server.mails.map(idOf)).size).toBe(1);
});

test("others do not wait for a recipient who is put off, and receive it again when it happens again", async () => {
  await using server = await serveRecipients((address) => (address === BOB ? GREYLISTED : null));
  await using rig = await openOutboxRig([mail(server.port)]);
  for (const text of ["door", "window", "door"]) await rig.say("mail", text);
  await until("all were sent", () => copiesFor(server, ANN) === 3);
  expect(rig.clock.mono()).toBe(0);
  expect(rig.outbox.list().map(({ count }) => count)).toEqual([1, 1, 1]);
});

test("a recipient who is refused for good is reported by an event, once, and nobody gets a second copy", async () => {
  let greylisting = true;
  const eve = "eve@example.org";
  await using server = await serveRecipients((address) => {
    if (address === BOB) return refusal(550, "5.1.1 no such user");
    return greylisting && address === eve ? GREYLISTED : null;
  });
  await using rig = await openOutboxRig([mail(server.port, [ANN, BOB, eve])]);
  await rig.say("mail", "door", "Cellar");
  const refused = { type: "notification_recipient_refused", channel: "mail", title: "Cellar", recipient: BOB };
  expect(rig.events).toMatchObject([{ ...refused, error: "550 5.1.1 no such user" }]);
  greylisting = false;
  await untilDone(rig);
  expect(server.mails.map(({ to }) => to)).toEqual([[ANN], [eve]]);
  expect(rig.events.map(({ type }) => type)).toEqual(["notification_recipient_refused", "notification_delivered_late"]);
});

test("the last one put off may be refused in the end: the others have it, so it is not given up", async () => {
  let answer = GREYLISTED;
  await using server = await serveRecipients((address) => (address === BOB ? answer : null));
  await using rig = await openOutboxRig([mail(server.port)]);
  await rig.say("mail", "door");
  answer = refusal(550, "5.1.1 no such user");
  await untilDone(rig);
  expect(rig.events).toMatchObject([
    { type: "notification_recipient_refused", recipient: BOB },
    { type: "notification_delivered_late" },
  ]);
});
