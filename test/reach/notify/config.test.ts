import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { checkConfig, formatProblem } from "../../../src/app/config/load.ts";
import { channelNames, NotifySection, readChannels } from "../../../src/reach/notify/config.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const AUTH = '[auth]\njwt_secret = "0123456789abcdef0123456789abcdef"\n';
const push = { name: "phone", type: "push_app", api_key: "a-key", user_key: "a-user" };
const bot = { name: "chat", type: "messaging_bot", bot_token: "123:abc", chat_id: "-1001" };
const smtp = { host: "smtp.example.org", port: 587, username: "u", password: "secret-pass", starttls: true };
const mail = { name: "mail", type: "email", from: "hub@example.org", to: ["a@example.org"], smtp };

const lines = (entries: readonly unknown[]): string[] =>
  readChannels(entries).problems.map(
    ({ path, message, warning }) => `${warning ? "warning: " : ""}${path}: ${message}`,
  );

describe("[notify] channels", () => {
  test("of all kinds are read, with their defaults", () => {
    const { entries, problems } = readChannels([push, bot, mail]);
    expect(problems).toEqual([]);
    expect(entries).toEqual([
      { name: "phone", kind: "push_app", config: { ...push, retry_secs: 60, expire_secs: 3600, html: false } },
      { name: "chat", kind: "messaging_bot", config: bot },
      { name: "mail", kind: "email", config: { ...mail, smtp: { ...smtp, timeout_secs: 9 } } },
    ] as never);
  });

  test.each<[string, unknown, RegExp]>([
    ["both TLS flags", { ...mail, smtp: { ...smtp, tls: true } }, /\[0\]\.smtp: tls and starttls exclude each other/],
    ["priority 3", { ...push, priority: 3 }, /\[0\]\.priority: must be a whole number from -2 to 2/],
    ["too small a retry", { ...push, retry_secs: 29 }, /retry_secs: must be a whole number from 30/],
    ["too long an expire", { ...push, expire_secs: 10_801 }, /expire_secs: must be a whole number from 30 to 10800/],
    [
      "a malformed token",
      { ...bot, bot_token: "abc" },
      /bot_token: must be the bot's token as Telegram's BotFather issued it/,
    ],
    ["a chat by name", { ...bot, chat_id: "@house" }, /chat_id: must be the numeric identifier/],
    ["a number as chat", { ...bot, chat_id: -1001 }, /chat_id: must be the numeric identifier/],
    [
      "an unknown parse mode",
      { ...bot, parse_mode: "html" },
      /parse_mode: must be "HTML" or "Markdown" or "MarkdownV2"/,
    ],
    ["nobody to write to", { ...mail, to: [] }, /\.to: must have at least 1 entry/],
    ["two addresses in one", { ...mail, to: ["a@example.org, b@example.org"] }, /\.to\[0\]: must be an e-mail address/],
    ["a line break in an address", { ...mail, from: "x\r\nBcc: <a@example.org>" }, /\.from: must be an e-mail address/],
    ["no smtp", { ...mail, smtp: 7 }, /\.smtp: must be a table/],
    ["a port of 0", { ...mail, smtp: { ...smtp, port: 0 } }, /smtp\.port: must be a whole number/],
    ["the name log", { ...push, name: "log" }, /"log" is always there/],
    ["a person's name", { ...push, name: "person:Anna" }, /"person:Anna" would stand for people/],
    ["a group's name", { ...push, name: "people:home" }, /"people:home" would stand for people/],
    ["an address as host", { ...mail, smtp: { ...smtp, host: "smtp://a.example" } }, /smtp\.host: must be a name or/],
    ["a port in host", { ...mail, smtp: { ...smtp, host: "a.example:587" } }, /smtp\.host: .*the port stands in port/],
    ["the name all", { ...push, name: "all" }, /"all" is always there/],
    [
      "an unknown type",
      { ...push, type: "push-app" },
      /\.type: must be one of "messaging_bot" \(Telegram\), "push_app" \(Pushover\), "email" \(SMTP\), .* – did you mean "push_app"/,
    ],
    [
      "the name of a service as type",
      { ...bot, type: "telegram" },
      /\.type: must be one of .* – did you mean "messaging_bot"\?/,
    ],
    ["no type", { name: "x" }, /\.type: missing: must be one of/],
    ["no name", { ...push, name: "" }, /\.name: must not be empty/],
    ["no table", 7, /\[0\]: must be a table/],
    ["an address with a password", { ...bot, api_url: "https://me:pass@example.org" }, /api_url: must be an address/],
    ["an address that is none", { ...push, api_url: "ftp://example.org" }, /api_url: must be an address/],
  ])("%s: found, and only this channel is disabled", (_name, entry, expected) => {
    const { entries, problems } = readChannels([entry, { ...push, name: "other" }]);
    expect(lines([entry]).join("\n")).toMatch(expected);
    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems) expect(problem.confined).toBe(true);
    expect(entries[0]).toHaveProperty("problem", expect.stringMatching(expected));
    expect(entries[1]).toHaveProperty("config");
  });

  test("a name twice disables the second", () => {
    const { entries } = readChannels([push, { ...bot, name: "phone" }]);
    expect(entries[0]).toHaveProperty("config");
    expect(entries[1]).toMatchObject({
      name: "phone",
      kind: "messaging_bot",
      problem: expect.stringContaining("channels[0] too"),
    });
  });

  test.each(["smtp.example.org", "mail", "192.168.1.5", "::1", "fe80::1"])("a mail server may be at %p", (host) => {
    expect(lines([{ ...mail, smtp: { ...smtp, host } }])).toEqual([]);
  });

  test.each<[string, unknown, RegExp | undefined]>([
    [
      "tls with 587",
      { ...mail, smtp: { ...smtp, starttls: false, tls: true } },
      /^warning: .*smtp\.tls: .*starttls = true/,
    ],
    ["starttls with 465", { ...mail, smtp: { ...smtp, port: 465 } }, /^warning: .*smtp\.starttls: .*tls = true/],
    ["neither", { ...mail, smtp: { ...smtp, starttls: false } }, /^warning: .*smtp: may send the password unencrypted/],
    [
      "neither, to this machine",
      { ...mail, smtp: { ...smtp, host: "localhost", port: 25, starttls: false } },
      undefined,
    ],
    [
      "a key over plain HTTP",
      { ...bot, api_url: "http://bots.lan:8081" },
      /^warning: .*api_url: sends the key unencrypted/,
    ],
    ["plain HTTP to this machine", { ...bot, api_url: "http://127.0.0.1:8081" }, undefined],
  ])("%s is at most a warning", (_name, entry, expected) => {
    expect(readChannels([entry]).entries[0]).toHaveProperty("config");
    if (expected) expect(lines([entry]).join()).toMatch(expected);
    else expect(lines([entry])).toEqual([]);
  });

  test("no secret is in a problem", () => {
    const wrong = [
      { ...push, api_key: 7, user_key: "planted-secret", x: 1 },
      { ...mail, smtp: { ...smtp, tls: true } },
      { ...bot, bot_token: "planted-secret" },
    ];
    expect(JSON.stringify(readChannels(wrong))).not.toMatch(/planted-secret|secret-pass/);
  });

  test("names are known whether a channel is enabled or not", () => {
    const section = Value.Default(NotifySection, { channels: [push, { ...bot, bot_token: "x" }] }) as NotifySection;
    expect(channelNames(section)).toEqual(["log", "all", "phone", "chat"]);
    expect(section.expire_hours).toBe(24);
  });
});

describe("hub.toml", () => {
  const toml = (channel: string): string =>
    `${AUTH}[[notify.channels]]\nname = "phone"\ntype = "push_app"\napi_key = "k"\nuser_key = "u"\n${channel}`;

  test("with a wrong channel still gives a configuration, and the problem with its line", () => {
    const { config, problems } = checkConfig(
      toml('priority = 3\n[[notify.channels]]\nname = "mail"\ntype = "email"\nfrom = "a@b.example"\nto = []\n'),
    );
    expect(config?.notify.channels).toHaveLength(2);
    const lines = problems.map((problem) => formatProblem({ file: "hub.toml", ...problem }));
    expect(lines).toContain("hub.toml:8: notify.channels[0].priority: must be a whole number from -2 to 2");
    expect(lines).toContain("hub.toml:13: notify.channels[1].to: must have at least 1 entry");
  });

  test("that is wrong elsewhere reports the problems of its channels as well", () => {
    const { config, problems } = checkConfig(`${toml("priority = 3\n")}[server]\nport = -1\n`);
    expect(config).toBeUndefined();
    expect(problems.map(({ path }) => path).sort()).toEqual(["notify.channels[0].priority", "server.port"]);
  });

  test("whose channels are not a list has no channels, and says so", () => {
    const { config } = checkConfig(`${AUTH}[notify]\nchannels = "x"`);
    expect(config).toMatchObject({ notify: { channels: [] }, faults: [{ path: "notify.channels", confined: true }] });
    expect(checkConfig(`${AUTH}[notify]\nchanels = []`).problems[0]?.message).toContain('did you mean "channels"');
  });
});

test("hub check fails for a wrong channel, and names its line", () => {
  using folder = createTemporaryFolder();
  mkdirSync(folder.at("config"));
  const file = folder.at("config", "hub.toml");
  const check = (channel: string) => {
    writeFileSync(file, `${AUTH}${channel}`, { mode: 0o600 });
    const main = resolve(import.meta.dir, "../../../src/main.ts");
    const ran = Bun.spawnSync([process.execPath, main, "check", "--home", folder.path], {
      stderr: "pipe",
      stdout: "pipe",
    });
    return { code: ran.exitCode, output: `${ran.stdout}${ran.stderr}` };
  };
  const channel = '[[notify.channels]]\nname = "phone"\ntype = "push_app"\napi_key = "k"\nuser_key = "u"\n';
  expect(check(channel)).toMatchObject({ code: 0, output: expect.stringContaining("is valid") });
  const { code, output } = check(`${channel}priority = 3\n`);
  expect(code).toBe(1);
  expect(output).toContain(`${file}:8: notify.channels[0].priority: must be a whole number from -2 to 2`);
});
