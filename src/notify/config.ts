// [[notify.channels]]: the contract's three kinds, checked before anything is sent.
import { type Static, Type } from "@sinclair/typebox";
import type { Problem } from "../core/schema.ts";

const closed = { additionalProperties: false } as const;
const name = Type.String({ minLength: 1, maxLength: 64 });

const MessagingBot = Type.Object(
  {
    name,
    type: Type.Literal("messaging_bot"),
    bot_token: Type.String({
      pattern: "^[0-9]+:[A-Za-z0-9_-]+$",
      problem: "must be the bot's token as it was issued, <digits>:<characters>",
    }),
    chat_id: Type.String({
      pattern: "^-?[0-9]+$",
      problem: 'must be the numeric identifier in quotes, such as "-100123"',
    }),
    parse_mode: Type.Optional(Type.Union([Type.Literal("HTML"), Type.Literal("Markdown"), Type.Literal("MarkdownV2")])),
  },
  closed,
);

const PushApp = Type.Object(
  {
    name,
    type: Type.Literal("push_app"),
    api_key: Type.String({ minLength: 1 }),
    user_key: Type.String({ minLength: 1 }),
    device: Type.Optional(Type.String()),
    sound: Type.Optional(Type.String()),
    priority: Type.Optional(Type.Integer({ minimum: -2, maximum: 2 })),
  },
  closed,
);

const address = Type.String({
  pattern: "^[^@\\s]+@[^@\\s]+$|^[^<>]*<[^@\\s]+@[^@\\s]+>$",
  problem: "must be an e-mail address",
});

const Email = Type.Object(
  {
    name,
    type: Type.Literal("email"),
    from: address,
    to: Type.Array(address, { minItems: 1 }),
    smtp: Type.Object(
      {
        host: Type.String({ minLength: 1 }),
        port: Type.Integer({ minimum: 1, maximum: 65_535 }),
        username: Type.String(),
        password: Type.String(),
        starttls: Type.Optional(Type.Boolean()),
        tls: Type.Optional(Type.Boolean()),
      },
      closed,
    ),
  },
  closed,
);

export const Channel = Type.Union([MessagingBot, PushApp, Email]);
export type Channel = Static<typeof Channel>;

export const NotifySection = Type.Object({ channels: Type.Array(Channel, { default: [] }) }, closed);
export type NotifySection = Static<typeof NotifySection>;

/** Names that mean something without being configured. */
export const RESERVED_CHANNELS: readonly string[] = ["log", "all"];

/** What one schema cannot say: names that clash, and TLS settings that cannot work. */
export function notifyProblems({ channels }: NotifySection): Problem[] {
  return channels.flatMap((channel, index) => {
    const at = `notify.channels[${index}]`;
    const first = channels.findIndex((other) => other.name === channel.name);
    const problems: Problem[] = [];
    if (RESERVED_CHANNELS.includes(channel.name)) {
      problems.push({
        path: `${at}.name`,
        message: `"${channel.name}" is always there and cannot be configured; choose another name`,
      });
    } else if (first < index) {
      problems.push({
        path: `${at}.name`,
        message: `"${channel.name}" is the name of notify.channels[${first}] too; names must differ`,
      });
    }
    if (channel.type === "email") problems.push(...smtpProblems(channel.smtp, `${at}.smtp`));
    return problems;
  });
}

function smtpProblems({ port, tls, starttls }: Extract<Channel, { type: "email" }>["smtp"], at: string): Problem[] {
  if (tls && starttls) {
    return [{ path: at, message: "tls and starttls exclude each other: use starttls for port 587, tls for port 465" }];
  }
  if (tls && port === 587)
    return [{ path: `${at}.tls`, message: "port 587 speaks STARTTLS: use starttls = true", warning: true }];
  if (starttls && port === 465)
    return [{ path: `${at}.starttls`, message: "port 465 speaks TLS: use tls = true", warning: true }];
  return [];
}
