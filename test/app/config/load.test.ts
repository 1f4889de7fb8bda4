import { describe, expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { checkConfig, formatProblem, loadConfig } from "../../../src/app/config/load.ts";
import { HubError } from "../../../src/kit/schema/errors.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const root = resolve(import.meta.dir, "../../..");

function problemsOf(text: string): string[] {
  return checkConfig(text).problems.map((problem) => formatProblem({ file: "hub.toml", ...problem }));
}

describe("hub.toml", () => {
  test("the template a new home gets is valid", () => {
    const template = readFileSync(join(root, "config", "hub.template.toml"), "utf8").replace("@JWT_SECRET@", SECRET);
    const { config, problems } = checkConfig(template);
    expect(problems).toEqual([]);
    expect(config).toMatchObject({ server: { port: 8080 }, mqtt: { host: "127.0.0.1", port: 1883, prefix: "hub" } });
  });

  test("a few lines are enough", () => {
    const { config } = checkConfig(`[auth]\njwt_secret = "${SECRET}"`);
    expect(config).toMatchObject({
      server: { host: "0.0.0.0", port: 8080 },
      events: { buffer: 1000 },
      plugins: [],
      notify: { channels: [] },
    });
  });

  test("a broker beyond this machine needs a user here, unless there may be accounts elsewhere", () => {
    const text = `[auth]\njwt_secret = "${SECRET}"\n[mqtt]\nhost = "0.0.0.0"\n`;
    expect(problemsOf(text)).toEqual([expect.stringMatching(/^hub\.toml:4: mqtt\.host: .*`hub device-account`/)]);
    expect(checkConfig(text, { otherMqttAccounts: true })).toMatchObject({
      problems: [],
      config: { mqtt: { host: "0.0.0.0" } },
    });
  });

  test("all problems are reported at once, with line, key and mend", () => {
    const text = [
      "[server]",
      "port = 99999",
      'hots = "0.0.0.0"',
      "[auth]",
      'jwt_secret = "short-secret"',
      "[[plugins]]",
      'id = "a/b"',
      'binary = "x"',
      "[[notify.channels]]",
      'name = "mail"',
      'type = "email"',
      'from = "a@b.example"',
      "to = []",
      "[notify.channels.smtp]",
      'host = "h"',
      "port = 587",
      'username = "u"',
      'password = "p"',
    ].join("\n");
    const problems = problemsOf(text);
    expect(problems).toContain("hub.toml:2: server.port: must be a whole number from 0 to 65535");
    expect(problems).toContain('hub.toml:3: server.hots: unknown key "hots" – did you mean "hosts"?');
    expect(problems.find((line) => line.startsWith("hub.toml:5: auth.jwt_secret"))).toContain("32");
    expect(problems.some((line) => line.startsWith("hub.toml:7: plugins[0].id"))).toBe(true);
    expect(problems).toContain("hub.toml:13: notify.channels[0].to: must have at least 1 entry");
    expect(problems.join()).not.toContain("short-secret");
  });

  test("problems between keys are found too", () => {
    const channel = (name: string, more = "") =>
      `[[notify.channels]]\nname = "${name}"\ntype = "push_app"\napi_key = "k"\nuser_key = "u"\n${more}`;
    const text = `[auth]\njwt_secret = "${SECRET}"\n[location]\nlatitude = 1\ntimezone = "Mars/Base"\n[server]\ntls_cert = "x"\n${channel("a")}${channel("a")}${channel("all")}${channel("p", "priority = 3\n")}`;
    expect(problemsOf(text).join("\n")).toContain("priority: must be a whole number from -2 to 2");
    const other = problemsOf(text.replace("priority = 3\n", ""));
    expect(other.join("\n")).toMatch(
      /server.tls_key: missing[\s\S]*location.longitude: missing[\s\S]*Mars\/Base[\s\S]*"a" is the name of notify.channels\[0\] too[\s\S]*"all" is always there/,
    );
  });

  test("SMTP flags that exclude each other are refused, unlikely ports are warned of", () => {
    const mail = (smtp: string) =>
      `[auth]\njwt_secret = "${SECRET}"\n[[notify.channels]]\nname = "m"\ntype = "email"\nfrom = "a@b.c"\nto = ["a@b.c"]\n[notify.channels.smtp]\nhost = "h"\nusername = "u"\npassword = "p"\n${smtp}`;
    // Found, but only this channel is out of use.
    expect(problemsOf(mail("port = 587\ntls = true\nstarttls = true"))[0]).toMatch(
      /^hub.toml:\d+: .*exclude each other/,
    );
    expect(checkConfig(mail("port = 587\ntls = true")).config).toBeDefined();
    expect(problemsOf(mail("port = 587\ntls = true"))[0]).toContain("warning: ");
    expect(problemsOf(mail("port = 587\nstarttls = true"))).toEqual([]);
  });

  test("the same port twice, or an account named like a plugin, is refused", () => {
    const base = `[auth]\njwt_secret = "${SECRET}"\n[mqtt]\nport = 8080\n[[mqtt.users]]\nusername = "x"\npassword = "long enough"\n[[plugins]]\nid = "x"\nbinary = "y"\n`;
    expect(problemsOf(base).join("\n")).toMatch(/mqtt.port: 8080[\s\S]*mqtt.users\[0\].username/);
  });

  test.each([
    ["[auth\njwt_secret = 1", /hub.toml:1: is not valid TOML/],
    [`[auth]\njwt_secret = "${SECRET}`, /hub.toml:2: is not valid TOML/],
    ["", /auth.jwt_secret: missing/],
    [`[auth]\njwt_secret = "<JWT_SECRET>"`, /auth.jwt_secret/],
    ["plugins = 3", /plugins: must be a list/],
  ])("half-written: %j", (text, expected) => {
    const problems = problemsOf(text).join("\n");
    expect(problems).toMatch(expected);
    expect(problems).not.toContain(SECRET);
  });
});

describe("the file", () => {
  test("that others may read is used, with a warning", () => {
    using folder = createTemporaryFolder();
    const path = folder.at("hub.toml");
    writeFileSync(path, `[auth]\njwt_secret = "${SECRET}"\n`);
    chmodSync(path, 0o644);
    expect(loadConfig(path).warnings.map(formatProblem)[0]).toContain("chmod 600");
    chmodSync(path, 0o600);
    expect(loadConfig(path).warnings).toEqual([]);
  });

  test("that is missing is a problem, not a set of defaults", () => {
    expect(() => loadConfig("/nowhere/hub.toml")).toThrow(HubError);
  });
});
