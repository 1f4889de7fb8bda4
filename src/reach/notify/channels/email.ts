// `email`: one message to all recipients over SMTP submission.
import { readFileSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import type { Problem } from "../../../kit/schema/schema.ts";
import { type ChannelDeps, DeliveryError, defineChannel } from "../channel.ts";
import { isLoopback } from "../http/web-service.ts";
import { HINTS } from "../mail/smtp-failure.ts";
import { speaks } from "../markup/dialect.ts";
import { plainAndHtml } from "../markup/plain-dialects.ts";

const ADDRESS = /^([^<>]*)<([^@\s<>]+@[^@\s<>]+)>$/;
const FROM_NAME = "Hub";

const address = Type.String({
  pattern: "^[^@\\s<>,;]+@[^@\\s<>,;]+$|^[^<>\\r\\n]*<[^@\\s<>,;]+@[^@\\s<>,;]+>$",
  problem: "must be an e-mail address",
});

const fields = {
  from: address,
  to: Type.Array(address, { minItems: 1 }),
  smtp: Type.Object(
    {
      host: Type.String({
        pattern: "^([^\\s/@:\\[\\]]+|[0-9A-Fa-f.:]*:[0-9A-Fa-f.:]*:[0-9A-Fa-f.:]*)$",
        problem: 'must be a name or address alone, such as "smtp.example.org": the port stands in port',
      }),
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
  open(config, { houseTime, resolve, log, fence }) {
    const { host, port, tls, username, password } = config.smtp;
    const sender = mailbox(config.from);
    const mailing = {
      place: { host, port, tls: tls === true },
      login: username === "" ? undefined : { user: username, pass: password },
      from: { ...sender, name: sender.name || FROM_NAME },
      to: config.to.map(mailbox),
      houseTime,
      fence,
    };
    let noted: string | undefined;
    return {
      name: config.name,
      kind: config.type,
      limits: { concurrent: 1 },
      ...speaks(plainAndHtml),
      async send(message, signal, sending) {
        const options = connectionOptions(config, resolve);
        // Loaded when needed: it takes 2 MB of memory.
        const { sendMail } = await import("../mail/send-mail.ts");
        const delivery = await sendMail({ ...mailing, options }, message, { signal, sending, log });
        const { note } = delivery;
        if (note && note !== noted) log.warn("a mail did not go as it should", { note });
        noted = note;
        return delivery;
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

function connectionOptions({ smtp }: Config, resolve: ChannelDeps["resolve"]) {
  const { host, port, tls, starttls, tls_ca, timeout_secs } = smtp;
  const timeoutMs = timeout_secs * 1000;
  return {
    host,
    port,
    secure: tls === true,
    // With `starttls`, nothing is sent without TLS. Without it, TLS is used when a server elsewhere offers it.
    requireTLS: starttls === true,
    ignoreTLS: !tls && !starttls && isLoopback(host),
    tls: { minVersion: "TLSv1.2" as const, ...(tls_ca ? { ca: readAuthority(resolve(tls_ca)) } : {}) },
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketCloseTimeout: 0,
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

function mailbox(text: string): { name: string; address: string } {
  const [, name = "", address = text] = ADDRESS.exec(text) ?? [];
  return { name: name.trim().replace(/^"(.*)"$/, "$1"), address };
}
