// hub.toml with its secrets masked: nothing secret is left, and what is put back unchanged is the same to the byte.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import "../../support/property-seed.ts";
import template from "../../../config/hub.template.toml" with { type: "text" };
import { maskConfig, unmaskConfig } from "../../../src/app/config/masked-text.ts";
import { parseToml, stringifyToml } from "../../../src/kit/schema/toml.ts";
import { MASK } from "../../../src/kit/text/masking.ts";
import { examples } from "../../support/examples.ts";
import { mutatedText } from "../../support/mutated-text.ts";

const SECRETS = [
  "jwt-secret-of-the-house",
  "the garage's password",
  "key-of-the-app",
  "token-of-the-bot",
  "mail-password",
];
const HOME = `# The house
[server]
port = 8080 # stays
tls_key = "config/key.pem"
[auth]
token_lifetime_hours = 24
jwt_secret = "${SECRETS[0]}"   # a comment behind it
[[mqtt.users]]
username = "garage"
password = '''${SECRETS[1]}'''
[[mqtt.users]]
username = "shed"
password = "•••"
[[plugins]]
id = "one"
binary = "x"
env = { TZ = "UTC", API_TOKEN = "${SECRETS[3]}" }
[[notify.channels]]
name = "phone"
type = "push_app"
api_key = """
${SECRETS[2]}"""
user_key = 12
[[notify.channels]]
name = "mail"
type = "email"
[notify.channels.smtp]
host = "mail"
password = "${SECRETS[4]}"
`;

function masked(text: string): string {
  const result = maskConfig(text);
  if (!result.ok) throw new Error(JSON.stringify(result.flaws));
  return result.text;
}

function unmasked(edited: string, present: string): string {
  const result = unmaskConfig(edited, present);
  if (!result.ok) throw new Error(JSON.stringify(result.flaws));
  return result.text;
}

describe("a house's hub.toml", () => {
  test("has no secret left, and keeps everything else", () => {
    const shown = masked(HOME);
    for (const secret of SECRETS) expect(shown).not.toContain(secret);
    for (const kept of ["# The house", "# a comment behind it", "config/key.pem", 'TZ = "UTC"', "lifetime_hours = 24"])
      expect(shown).toContain(kept);
    expect(unmasked(shown, HOME)).toBe(HOME);
  });

  test("keeps the secrets of entries that were moved, renamed or followed by others", () => {
    const users = (...names: string[]): string =>
      names.map((name) => `[[mqtt.users]]\nusername = "${name}"\npassword = "${name}-secret"\n`).join("");
    const hidden = (text: string): string => text.replaceAll(/"[a-z]*-secret"/g, `"${MASK}"`);
    expect(unmasked(hidden(users("b", "a")), users("a", "b"))).toBe(users("b", "a"));
    expect(unmasked(hidden(users("b")), users("a", "b"))).toBe(users("b"));
    const renamed = hidden(users("a", "b")).replace('"b"', '"c"');
    expect(unmasked(renamed, users("a", "b"))).toBe(users("a", "b").replace('"b"', '"c"'));
  });

  test("refuses a mask that hides nothing, with its place", () => {
    const edited = `${masked(HOME)}[[mqtt.users]]\nusername = "new"\npassword = "${MASK}"\n`;
    expect(unmaskConfig(edited, HOME)).toMatchObject({ ok: false, flaws: [{ path: "mqtt.users[2].password" }] });
    const copied = '[auth]\njwt_secret = "•••"\n';
    expect(unmaskConfig(copied, "[server]\n")).toMatchObject({
      ok: false,
      flaws: [{ path: "auth.jwt_secret", offset: 7 }],
    });
  });

  test("a mask in one place never brings the secret of another", () => {
    const edited = `[server]\nhost = "${MASK}"\n[auth]\njwt_secret = "${SECRETS[0]}"\n`;
    expect(unmasked(edited, HOME)).toBe(edited);
  });
});

describe("any text", () => {
  const isRead = (text: string): boolean => parseToml(text).ok;

  test("that was masked and is put back unchanged is the same to the byte", () => {
    fc.assert(
      fc.property(mutatedText([HOME, String(template), HOME.replaceAll("\n", "\r\n")]), (text) => {
        fc.pre(isRead(text));
        const shown = maskConfig(text);
        if (shown.ok) expect(unmasked(shown.text, text)).toBe(text);
      }),
      { numRuns: examples(150) },
    );
  });

  test("shows no secret, however the table is written", () => {
    const secret = fc.stringMatching(/^SECRET[a-z0-9 "'\\•\n#=]{1,30}$/);
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 5 }), secret, (passwords, jwt_secret) => {
        const users = passwords.map((password, index) => ({ username: `user ${index}`, password }));
        const text = stringifyToml({
          auth: { jwt_secret },
          mqtt: { users },
          notify: { channels: [{ api_keys: passwords }] },
        });
        const shown = masked(text);
        expect(shown).not.toContain("SECRET");
        expect(unmasked(shown, text)).toBe(text);
      }),
    );
  });
});
