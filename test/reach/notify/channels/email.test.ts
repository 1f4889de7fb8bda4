import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import type { Fence } from "../../../../src/kit/lifecycle/fence.ts";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import type { Channel } from "../../../../src/reach/notify/channel.ts";
import { HINTS } from "../../../../src/reach/notify/mail/smtp-failure.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { type Certificates, createCertificates } from "../certificates.ts";
import { type MailServer, PASSWORD, refusal, serveMail } from "../mail-server.ts";
import { AT, createRig, failureOf, messageOf, never, openFrom, type Rig, serveRaw } from "../rig.ts";

const folder = createTemporaryFolder();
let tls: Certificates;
let starttls: MailServer;
let direct: MailServer;
beforeAll(async () => {
  tls = createCertificates(folder);
  starttls = await serveMail({ key: tls.key, cert: tls.cert });
  direct = await serveMail({ key: tls.key, cert: tls.cert, secure: true });
});
afterAll(async () => {
  await starttls[Symbol.asyncDispose]();
  await direct[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

function mail(smtp: JsonObject, more: JsonObject = {}, rig?: Rig): Channel {
  const entry = {
    name: "mail",
    type: "email",
    from: "hub@example.org",
    to: ["ann@example.org", "Bob <bob@example.org>"],
    smtp: { host: "localhost", username: "hub", password: PASSWORD, timeout_secs: 1, ...smtp },
    ...more,
  };
  return openFrom(entry, rig);
}

const secured = (smtp: JsonObject = {}): JsonObject => ({
  port: starttls.port,
  starttls: true,
  tls_ca: tls.authority,
  ...smtp,
});
const send = (channel: Channel, text = "x") => channel.send(messageOf(text), never());

function last({ mails }: MailServer) {
  const mail = mails.at(-1);
  if (!mail) throw new Error("no mail came");
  return mail;
}

/** Open for so many questions. */
function fenceOf(questions: number): Fence {
  let left = questions;
  const fence: Fence = {
    get closed() {
      return left-- > 0 ? undefined : "this machine is no longer the hub of this house: its lease has ended";
    },
    assertOpen() {
      const why = fence.closed;
      if (why !== undefined) throw new Error(why);
    },
  };
  return fence;
}

describe("a mail", () => {
  test("is cut at any step once this machine may no longer be the hub, and not given up", async () => {
    const before = starttls.mails.length;
    for (const questions of [0, 1, 2]) {
      const rig = createRig();
      const failure = await failureOf(
        mail(secured(), {}, { ...rig, deps: { ...rig.deps, fence: fenceOf(questions) } }).send(messageOf("x"), never()),
      );
      expect(failure.message).toContain("no longer the hub");
      expect(failure.fault.transient).toBe(true);
    }
    expect(starttls.mails.length).toBe(before);
  });

  test("goes to all recipients in one transaction over STARTTLS, after a login", async () => {
    const before = starttls.mails.length;
    const delivery = await send(mail(secured()));
    expect(delivery).toEqual({ status: 250, answer: "250 2.0.0 queued as 4711", parts: 1 });
    expect(starttls.mails.length).toBe(before + 1);
    expect(last(starttls)).toMatchObject({
      from: "hub@example.org",
      to: ["ann@example.org", "bob@example.org"],
      secure: true,
      user: "hub",
    });
  });

  test("goes over TLS from the first byte", async () => {
    await send(mail({ port: direct.port, tls: true, tls_ca: tls.authority }));
    expect(last(direct)).toMatchObject({ secure: true, user: "hub" });
  });

  test("has a readable sender, date, message id, text and HTML", async () => {
    await mail(secured()).send(messageOf("21.5 °C <b> & more\nsecond line", { title: "Größe: 5 € 🔔" }), never());
    const { raw } = last(starttls);
    expect(raw).toContain("From: Hub <hub@example.org>\r\n");
    expect(raw).toContain("To: ann@example.org, Bob <bob@example.org>\r\n");
    expect(raw).toMatch(/^Subject: =\?UTF-8\?/m);
    expect(raw).toContain("Message-ID: <0f0e@example.org>\r\n");
    expect(raw).toContain("Auto-Submitted: auto-generated\r\n");
    expect(Date.parse(/^Date: (.*)\r$/m.exec(raw)?.[1] ?? "")).toBe(AT);
    expect(raw).toContain("Content-Type: multipart/alternative");
    const parts = [...raw.matchAll(/Content-Type: text\/(plain|html)[\s\S]*?\r\n\r\n([\s\S]*?)\r\n---/g)];
    expect(parts.map(([, kind]) => kind)).toEqual(["plain", "html"]);
    const texts = parts.map(([, , body = ""]) => decodeQuotedPrintable(body));
    expect(texts[0]).toContain("21.5 °C <b> & more\r\nsecond line");
    expect(texts[1]).toContain("21.5 °C &lt;b&gt; &amp; more");
  });

  test("keeps the sender's own name, and says when it is late and how often it was posted", async () => {
    const late = messageOf("x", { late: true, repeats: "(12 times since 14:02)" });
    await mail(secured(), { from: '"Our House" <hub@example.org>' }).send(late, never());
    expect(last(starttls).raw).toContain("x (12 times since 14:02)");
    expect(last(starttls).raw).toContain("From: Our House <hub@example.org>");
    expect(last(starttls).raw).toContain("(delivered late; this is from 2026-11-21 14:02)");
  });

  test("cannot be given headers or recipients by its title or text", async () => {
    const evil = "Alert\r\nBcc: eve@example.org\r\n\r\nbody\nX-Evil: 1";
    await mail(secured()).send(messageOf(`${evil}\r\n.\r\nRCPT TO:<eve@example.org>\r\n`, { title: evil }), never());
    const { raw, to } = last(starttls);
    expect(to).toEqual(["ann@example.org", "bob@example.org"]);
    const head = raw.slice(0, raw.indexOf("\r\n\r\n"));
    expect(head).not.toMatch(/^(bcc|x-evil):/im);
    expect(raw).toContain("RCPT TO:<eve@example.org>");
  });

  test.each([
    ["looks encoded", "=?utf-8?Q?Hidden?= and =?broken"],
    ["is one endless word", "x".repeat(240)],
    ["mixes both", `Tür =?${"x".repeat(200)}`],
  ])("whose title %s arrives as it is, in short lines", async (_name, title) => {
    await mail(secured()).send(messageOf("x", { title }), never());
    const { raw } = last(starttls);
    const [, subject = ""] = /^Subject: ((?:.*\r\n )*.*)\r\n/m.exec(raw) ?? [];
    for (const line of raw.split("\r\n")) expect(line.length).toBeLessThanOrEqual(78);
    const words = subject.split(/\r\n /).map((word) => /^=\?UTF-8\?B\?([^?]*)\?=$/.exec(word)?.[1]);
    expect(words.map((word) => Buffer.from(word ?? "", "base64").toString()).join("")).toBe(title);
  });

  test("with a title of a kilobyte has a short subject, and the whole title in its text", async () => {
    const title = "All windows of the house are open ".repeat(30).trim();
    await mail(secured()).send(messageOf("x", { title }), never());
    const { raw } = last(starttls);
    const [, subject = ""] = /^Subject: ((?:.*\r\n )*.*)\r\n/m.exec(raw) ?? [];
    expect(subject.length).toBeLessThan(500);
    expect(decodeQuotedPrintable(raw)).toContain(title);
  });

  test("says how important it is", async () => {
    await mail(secured()).send(messageOf("x", { priority: 2 }), never());
    expect(last(starttls).raw).toContain("Importance: high\r\n");
    await mail(secured()).send(messageOf("x", { priority: -1 }), never());
    expect(last(starttls).raw).toContain("Importance: low\r\n");
  });

  test("has a link that confirms it, where somebody has to, and one for each other answer", async () => {
    const acknowledgeUrl = "https://hub.example/l/a?b=1&c=2";
    const actionLinks = [{ id: "valve", label: "Close\r\nSubject: <it>", url: "https://hub.example/l/v" }];
    await mail(secured()).send(messageOf("x", { acknowledgeUrl, actionLinks }), never());
    const text = decodeQuotedPrintable(last(starttls).raw);
    expect(text).toContain("Confirm: https://hub.example/l/a?b=1&c=2\r\nClose Subject: <it>: https://hub.example/l/v");
    expect(text).toMatch(/<a href="https:\/\/hub\.example\/l\/a\?b=1&amp;c=2" style="[^"]+">Confirm<\/a>/);
    expect(text).toMatch(/<a href="https:\/\/hub\.example\/l\/v" style="[^"]+">Close Subject: &lt;it&gt;<\/a>/);
  });

  test("shows its picture, which is also a file", async () => {
    const picture = { name: "door.jpg", type: "image/jpeg", bytes: Buffer.from([0xff, 0xd8, 0xff, 1, 2, 3]) };
    await mail(secured()).send(messageOf("x", { picture }), never());
    const { raw } = last(starttls);
    expect(raw).toContain("Content-Type: image/jpeg; name=door.jpg");
    expect(raw).toContain("Content-Disposition: inline; filename=door.jpg");
    expect(raw).toContain(picture.bytes.toString("base64"));
    const [, cid] = /Content-Id: <(.*)>\r/i.exec(raw) ?? [];
    expect(decodeQuotedPrintable(raw)).toContain(`<img src="cid:${cid}"`);
  });

  test("of 100 kB arrives whole", async () => {
    const text = "lorem ipsum ".repeat(8500);
    await send(mail(secured()), text);
    expect(last(starttls).raw.replace(/=\r\n|[\r\n]/g, "")).toContain(text.trim().slice(0, 100_000));
  });

  test("names the recipients that were refused", async () => {
    await using server = await serveMail({
      key: tls.key,
      cert: tls.cert,
      onRcptTo: ({ address }, _session, done) =>
        done(address.startsWith("bob") ? refusal(550, "5.1.1 no such user") : null),
    });
    const rig = createRig();
    const delivery = await send(mail(secured({ port: server.port }), {}, rig));
    expect(delivery.note).toBe("not delivered to bob@example.org (550 5.1.1 no such user)");
    expect(rig.output.text).toMatch(/\[WRN\].*not delivered to bob@example\.org/);
    expect(server.mails).toHaveLength(1);
  });
});

describe("a server that offers no login", () => {
  const strangers = { disabledCommands: ["AUTH", "STARTTLS"], authOptional: true };

  test("gets the mail without one, and the result says so", async () => {
    await using server = await serveMail(strangers);
    const { note } = await send(mail({ port: server.port }));
    expect(note).toContain("the server offers no login (AUTH) here, so the mail was sent without");
    expect(server.mails).toHaveLength(1);
    expect((await send(mail({ port: server.port, username: "", password: "" }))).note).toBeUndefined();
  });

  test("and refuses the sender is reported plainly", async () => {
    await using server = await serveMail({
      ...strangers,
      onMailFrom: (_address, _session, done) => done(refusal(553, "5.7.1 sender rejected")),
    });
    const failure = await failureOf(send(mail({ port: server.port })));
    expect(failure.message).toContain("the server offers no login (AUTH), so the configured one was not used");
    expect(failure.fault).toMatchObject({ transient: false, status: 553, hint: HINTS.noLogin });
  });
});

test("a test of a mail of which one recipient is put off says who has it", async () => {
  await using server = await serveMail({
    key: tls.key,
    cert: tls.cert,
    onRcptTo: ({ address }, _session, done) => done(address.startsWith("bob") ? refusal(451, "4.7.1 wait") : null),
  });
  const failure = await failureOf(send(mail(secured({ port: server.port }))));
  expect(failure.message).toEndWith("put off for bob@example.org (451 4.7.1 wait); ann@example.org has it");
  expect(failure.fault).toMatchObject({
    ...{ transient: true, mayBeTheMessage: true, status: 451 },
    settled: { reached: ["ann@example.org"], refused: [] },
  });
  expect(failure.fault.hint).toContain("greylisting");
});

describe("TLS that is configured", () => {
  test("is never skipped", async () => {
    await using server = await serveMail({ hideSTARTTLS: true, disabledCommands: ["STARTTLS"] });
    const failure = await failureOf(send(mail(secured({ port: server.port }))));
    expect(failure.fault).toMatchObject({ hint: HINTS.tls, transient: true });
    expect(server.mails).toEqual([]);
  });

  test.each(["starttls", "tls"])(
    "%s: an unknown authority, or another host's certificate, is refused",
    async (kind) => {
      const port = kind === "tls" ? direct.port : starttls.port;
      for (const smtp of [
        { port, [kind]: true },
        { port, [kind]: true, tls_ca: tls.authority, host: "127.0.0.1" },
      ]) {
        const failure = await failureOf(send(mail(smtp)));
        expect(failure.fault).toMatchObject({ hint: HINTS.certificate, transient: true });
      }
    },
  );

  test("a missing tls_ca file is named in the error", async () => {
    const failure = await failureOf(send(mail(secured({ tls_ca: folder.at("nowhere.pem") }))));
    expect(failure.message).toContain("tls_ca cannot be read");
  });
});

// The contract's table of errors, line by line.
describe("the contract's hint for", () => {
  test("connection refused", async () => {
    const failure = await failureOf(send(mail({ port: 1 })));
    expect(failure.fault).toMatchObject({ hint: "Likely wrong SMTP host or port", transient: true });
    const unknown = await failureOf(send(mail({ port: 1, host: "nowhere.invalid" })));
    expect(unknown.fault).toMatchObject({ hint: "Likely wrong SMTP host or port", transient: true });
  });

  test("authentication failed", async () => {
    const failure = await failureOf(send(mail(secured({ password: "wrong-password-here" }))));
    expect(failure.fault).toEqual({
      hint: "Likely wrong username or password; an application password may be needed",
      transient: false,
      status: 535,
      answer: "535 5.7.8 Authentication credentials invalid",
    });
  });

  test.each(["wrong", "password", "authentication", "Likely"])(
    "authentication failed, with the password %p, which is one of the hub's own words",
    async (password) => {
      const failure = await failureOf(send(mail(secured({ password }))));
      expect(failure.fault.hint).toBe("Likely wrong username or password; an application password may be needed");
      expect(failure.message).toContain(": authentication failed: 535");
    },
  );

  test("TLS handshake failed: TLS to a STARTTLS port", async () => {
    const failure = await failureOf(send(mail({ port: starttls.port, tls: true, tls_ca: tls.authority })));
    expect(failure.fault).toMatchObject({
      hint: "Use `starttls = true` for port 587 or `tls = true` for port 465",
      transient: true,
    });
  });

  test.each<JsonObject>([{}, { starttls: true }])(
    "TLS handshake failed: plain text to a TLS port %j",
    async (flags) => {
      const failure = await failureOf(send(mail({ port: direct.port, ...flags })));
      expect(failure.fault.transient).toBe(true);
      expect(failure.fault.hint).toStartWith("Use `starttls = true` for port 587 or `tls = true` for port 465");
    },
  );

  test.each([
    [550, "5.7.1 Relaying denied"],
    [554, "5.7.1 <ann@example.org>: Relay access denied"],
    [530, "5.7.0 Authentication required"],
  ])("relay denied: %d %s", async (code, words) => {
    await using server = await serveMail({
      disabledCommands: ["AUTH", "STARTTLS"],
      authOptional: true,
      onRcptTo: (_address, _session, done) => done(refusal(code, words)),
    });
    const failure = await failureOf(send(mail({ port: server.port })));
    expect(failure.fault).toEqual({
      hint: "The SMTP server requires authentication; check username and password",
      transient: false,
      status: code,
      answer: `${code} ${words}`,
    });
  });

  test("a server that refuses a login without encryption leads to the TLS hint, not the password hint", async () => {
    await using server = await serveMail({ key: tls.key, cert: tls.cert });
    const failure = await failureOf(send(mail({ port: server.port })));
    expect(failure.fault).toMatchObject({ status: 538, hint: HINTS.tls, transient: false });
    expect(server.mails).toEqual([]);
  });

  test("relay denied: the server needs a login and none is configured", async () => {
    await using server = await serveMail({ disabledCommands: ["STARTTLS"] });
    const failure = await failureOf(send(mail({ port: server.port, username: "", password: "" })));
    expect(failure.fault).toMatchObject({ status: 530, hint: HINTS.relay });
  });
});

describe("other failures", () => {
  test.each([
    [451, true],
    [452, true],
    [550, false],
    [552, false],
    [554, false],
  ])("the server's %d to the message is transient: %p", async (code, transient) => {
    await using server = await serveMail({
      key: tls.key,
      cert: tls.cert,
      onData(stream, _session, done) {
        stream.on("end", () => done(refusal(code, "not this one")));
        stream.resume();
      },
    });
    const failure = await failureOf(send(mail(secured({ port: server.port }))));
    const mayBe = transient ? { mayBeTheMessage: true } : {};
    expect(failure.fault).toEqual({ transient, status: code, answer: `${code} not this one`, ...mayBe });
  });

  test("a login that is refused for the moment is a transient failure", async () => {
    await using server = await serveMail({
      key: tls.key,
      cert: tls.cert,
      onAuth: (_auth, _session, done) => done(refusal(454, "4.7.0 Temporary authentication failure")),
    });
    expect((await failureOf(send(mail(secured({ port: server.port }))))).fault).toMatchObject({
      transient: true,
      status: 454,
    });
  });

  test.each<[string, (socket: Socket) => void]>([
    ["says nothing", () => {}],
    ["closes at once", (socket) => void socket.destroy()],
    ["is too busy", (socket) => void socket.end("421 4.3.2 too many connections\r\n")],
    ["speaks HTTP", (socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")],
    [
      "drops the connection in the middle",
      (socket) => dialogue(socket, (command) => (/^RCPT/.test(command) ? undefined : "250 ok")),
    ],
    [
      "drops it after the data",
      (socket) =>
        dialogue(socket, (command) =>
          /^DATA/.test(command)
            ? "354 go"
            : /^[A-Z]{4} /.test(command)
              ? "250 ok"
              : /^\.\r?$/m.test(command)
                ? undefined
                : "",
        ),
    ],
  ])("a server that %s is a transient failure", async (_name, behave) => {
    using place = await serveRaw(behave);
    const failure = await failureOf(send(mail({ port: place.port, username: "", password: "" })));
    expect(failure.fault.transient).toBe(true);
    expect(failure.message).toStartWith(`localhost:${place.port}: `);
  });

  test("waits for a slow server until the signal aborts", async () => {
    using place = await serveRaw((socket) => dialogue(socket, (command) => (/^EHLO/.test(command) ? "" : "250 ok")));
    const failure = await failureOf(mail({ port: place.port }).send(messageOf("x"), AbortSignal.timeout(200)));
    expect(failure.message).toBe(`localhost:${place.port} did not answer in time`);
  });
});

/** A server of one line: an answer for each command; without one the connection is dropped, and an empty one is silence. */
function dialogue(socket: Socket, answer: (command: string) => string | undefined): void {
  socket.write("220 slow.example.org\r\n");
  socket.on("data", (data: Buffer) => {
    const line = answer(data.toString());
    if (line === undefined) socket.destroy();
    else if (line !== "") socket.write(`${line}\r\n`);
  });
}

function decodeQuotedPrintable(body: string): string {
  const bytes = body
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
