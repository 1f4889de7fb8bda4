// [auth] of hub.toml: what is refused, and that a secret never shows.
import { expect, test } from "bun:test";
import { checkValue } from "../../../src/kit/schema/schema.ts";
import { AuthSection, authProblems } from "../../../src/server/auth/config.ts";
import { SECRET } from "./auth-fixture.ts";

function problemsOf(value: unknown): string[] {
  const checked = checkValue(AuthSection, value, "auth");
  return checked.ok ? [] : checked.problems.map(({ path, message }) => `${path}: ${message}`);
}

test("defaults", () => {
  expect(checkValue(AuthSection, { jwt_secret: SECRET })).toMatchObject({
    ok: true,
    value: { jwt_secret: SECRET, token_lifetime_hours: 24, audit_rows: 10_000, whitelist: [] },
  });
});

for (const [what, secret] of [
  ["a short secret", "tooShortASecret"],
  ["an empty secret", ""],
  ["a placeholder", "<JWT_SECRET>"],
  ["a long placeholder", "<PUT_A_LONG_RANDOM_SECRET_IN_THIS_PLACE>"],
  ["a number", 1234567890123],
] as const) {
  test(`${what} is refused with the mend and without being repeated`, () => {
    const problems = problemsOf({ jwt_secret: secret });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toStartWith("auth.jwt_secret: must be");
    expect(problems[0]).toContain("openssl rand -base64 48");
    if (String(secret) !== "") expect(problems[0]).not.toContain(String(secret));
  });
}

test("a missing secret, unknown keys and bad lifetimes are named", () => {
  expect(problemsOf({})[0]).toStartWith("auth.jwt_secret: missing");
  expect(problemsOf({ jwt_secret: SECRET, white_list: [] })[0]).toContain('did you mean "whitelist"?');
  for (const hours of [0, -1, 8761, "24"]) {
    expect(problemsOf({ jwt_secret: SECRET, token_lifetime_hours: hours })[0]).toContain("at most 8760");
  }
  expect(problemsOf({ jwt_secret: SECRET, token_lifetime_hours: 0.5 })).toEqual([]);
});

test("whitelist entries that are no addresses are named, everybody is a warning", () => {
  const section = { jwt_secret: SECRET, token_lifetime_hours: 24 };
  const whitelist = ["10.0.0.1", "10.0.0.0/8", "fd00::/8", "::1", "::ffff:10.0.0.0/104"];
  expect(authProblems({ ...section, whitelist })).toEqual([]);
  const bad = ["living-room", "10.0.0.0/33", "300.1.1.1", "10.0.0.1/", "1", "::1/129", "", "10.0.0.0/8/8"];
  const problems = authProblems({ ...section, whitelist: bad });
  expect(problems.map(({ path }) => path)).toEqual(bad.map((_, index) => `auth.whitelist[${index}]`));
  expect(problems.map(({ message }) => message.split('"')[1])).toEqual(bad);
  expect(problems.some(({ warning }) => warning)).toBe(false);
  for (const all of ["0.0.0.0/0", "::/0"]) {
    expect(authProblems({ ...section, whitelist: [all] })).toMatchObject([{ warning: true }]);
  }
});
