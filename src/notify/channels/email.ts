// `email`: one message to all recipients over SMTP submission.
import { readFileSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import type { Problem } from "../../core/schema.ts";
import {
  type ChannelDeps,
  type ChannelMessage,
  type Delivery,
  DeliveryError,
  defineChannel,
  plainText,
} from "../channel.ts";
import { html } from "../markup/html.ts";
import { HINTS, smtpFailure } from "../smtp-failure.ts";
import { isLoopback, wordsOf } from "../web-service.ts";

const ADDRESS = /^([^<>]*)<([^@\s<>]+@[^@\s<>]+)>$/;
const FROM_NAME = "Hub";
const SOCKET_TIMEOUT_MS = 60_000;

const address = Type.String({
  pattern: "^[^@\\s<>,;]+@[^@\\s<>,;]+$|^[^<>\\r\\n]*<[^@\\s<>,;]+@[^@\\s<>,;]+>$",
  problem: "must be an e-mail address",
});

const fields = {
  from: address,
  to: Type.Array(address, { minItems: 1 }),
  smtp: Type.Object(
    {
      host: Type.String({ minLength: 1 }),
      port: Type.Integer({ minimum: 1, maximum: 65_535 }),
      username: Type.String({ description: "Empty: no login" }),
      password: Type.String({ secret: true }),
      starttls: Type.Optional(Type.Boolean()),
      tls: Type.Optional(Type.Boolean()),
      tls_ca: Type.Optional(
        Type.String({
          minLength: 1,
          file: true,
          description: "File with the certificate of an authority of your own (PEM)",
        }),
      ),
      timeout_secs: Type.Integer({
        minimum: 1,
        maximum: 60,
        default: 9,
        description: "How long to wait for the server's greeting",
      }),
    },
    { additionalProperties: false },
  ),
};
type Config = Static<ReturnType<typeof Type.Object<typeof fields>>>;

export const email = defineChannel({
  kind: "email",
  service: "SMTP",
  fields,
  problems: ({ smtp }, at) => smtpProblems(smtp, `${at}.smtp`),
  open(config, { houseTime, resolve, log }) {
    const { host, port, tls } = config.smtp;
    return {
      name: config.name,
      kind: config.type,
      limits: { concurrent: 1 },
      ...plainText,
      async send(message, signal) {
        // Loaded when needed: it takes 2 MB of memory.
        const { createTransport } = await import("nodemailer");
        const transport = createTransport(transportOptions(config, resolve));
        try {
          const delivery = deliveryOf(await transport.sendMail({ ...mailOf(config, message, houseTime), signal }));
          if (delivery.note) log.warn("a mail did not reach all recipients", { note: delivery.note });
          return delivery;
        } catch (error) {
          if (signal.aborted) throw new DeliveryError(`${host}:${port} did not answer in time`, { transient: true });
          throw smtpFailure(error, { host, port, tls: tls === true });
        } finally {
          transport.close();
        }
      },
    };
  },
  doc: "E-mail over SMTP, one message to all recipients.",
  example: {
    name: "mail",
    from: "hub@home.example",
    to: ["anna@home.example", "ben@home.example"],
    smtp: {
      host: "mail.home.example",
      port: 587,
      username: "hub@home.example",
      password: "an application password",
      starttls: true,
    },
  },
});

function smtpProblems({ host, port, tls, starttls }: Config["smtp"], at: string): Problem[] {
  if (tls && starttls) {
    return [{ path: at, message: "tls and starttls exclude each other: use starttls for port 587, tls for port 465" }];
  }
  const warn = (key: string, message: string): Problem[] => [{ path: `${at}${key}`, message, warning: true }];
  if (tls && port === 587) return warn(".tls", "port 587 speaks STARTTLS: use starttls = true");
  if (starttls && port === 465) return warn(".starttls", "port 465 speaks TLS: use tls = true");
  if (tls || starttls || isLoopback(host)) return [];
  return warn("", "may send the password unencrypted: use starttls = true (port 587) or tls = true (port 465)");
}

function transportOptions({ smtp }: Config, resolve: ChannelDeps["resolve"]) {
  const { host, port, username, password, tls, starttls, tls_ca, timeout_secs } = smtp;
  const timeoutMs = timeout_secs * 1000;
  return {
    host,
    port,
    secure: tls === true,
    // With `starttls`, nothing is sent without TLS. Without it, TLS is used when a server elsewhere offers it.
    requireTLS: starttls === true,
    ignoreTLS: !tls && !starttls && isLoopback(host),
    tls: { minVersion: "TLSv1.2" as const, ...(tls_ca ? { ca: readAuthority(resolve(tls_ca)) } : {}) },
    ...(username === "" ? {} : { auth: { user: username, pass: password } }),
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: SOCKET_TIMEOUT_MS,
    socketCloseTimeout: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

// Read for each message, so that a new file needs no restart.
function readAuthority(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new DeliveryError("the file of smtp.tls_ca cannot be read", { transient: true, hint: HINTS.certificate });
  }
}

function mailOf({ from, to }: Config, message: ChannelMessage, houseTime: (at: number) => string) {
  const sender = mailbox(from);
  const lateness = message.late ? `\n\n(delivered late; this is from ${houseTime(message.at)})` : "";
  const repeated = message.repeats ? ` ${message.repeats}` : "";
  const text = message.message + repeated + lateness;
  return {
    from: { ...sender, name: sender.name || FROM_NAME },
    to: to.map(mailbox),
    subject: message.title,
    date: new Date(message.at),
    // Mail programs recognise a copy that arrives twice.
    messageId: `<${message.id}@${sender.address.split("@")[1]}>`,
    headers: { "Auto-Submitted": "auto-generated" },
    text,
    html: `<!doctype html><html><body><div style="white-space: pre-wrap">${html.escape(text)}</div></body></html>`,
  };
}

function mailbox(text: string): { name: string; address: string } {
  const [, name = "", address = text] = ADDRESS.exec(text) ?? [];
  return { name: name.trim().replace(/^"(.*)"$/, "$1"), address };
}

interface Sent {
  response: string;
  rejectedErrors?: { recipient?: string; response?: string }[] | undefined;
}

function deliveryOf({ response, rejectedErrors = [] }: Sent): Delivery {
  const status = Number.parseInt(response, 10);
  const refused = rejectedErrors.map(
    (error) => `${error.recipient ?? "a recipient"} (${wordsOf(error.response ?? "")})`,
  );
  return {
    ...(status > 0 ? { status } : {}),
    answer: wordsOf(response),
    parts: 1,
    ...(refused.length > 0 ? { note: `not delivered to ${refused.join(", ")}` } : {}),
  };
}
