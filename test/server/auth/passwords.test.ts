// Real argon2id: what is accepted, how many at once, and that an unknown user costs as much as a known one.
import { expect, test } from "bun:test";
import { createPasswords, DUMMY_HASH } from "../../../src/server/auth/passwords.ts";
import { costsAboutTheSame, everythingIn, PASSWORD, refusalOf } from "./auth-fixture.ts";

const passwords = createPasswords();

test("a password is found again, another is not, and both spellings of é are one", async () => {
  const hash = await passwords.hash("café au lait".normalize("NFD"));
  expect(hash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
  expect(await passwords.verify("café au lait".normalize("NFC"), hash)).toBe(true);
  for (const wrong of ["cafe au lait", "", "x".repeat(2000), "nobody"]) {
    expect(await passwords.verify(wrong, hash)).toBe(false);
  }
});

test("the dummy hash costs what a real one costs, and opens nothing", async () => {
  const costOf = (hash: string): string | undefined => hash.split("$")[3];
  expect(costOf(DUMMY_HASH)).toBe(costOf(await passwords.hash(PASSWORD)));
  expect(await passwords.verify("nobody", undefined)).toBe(false);
  expect(await passwords.verify("", undefined)).toBe(false);
});

test("too short and too long are refused without being repeated", async () => {
  for (const bad of ["", "7 chars", "🙂🙂🙂🙂🙂🙂🙂", "é".repeat(513)]) {
    const error = await refusalOf(() => passwords.hash(bad));
    expect(error.code).toBe("invalid");
    if (bad !== "") expect(everythingIn(error)).not.toContain(bad);
  }
  await passwords.hash("x".repeat(1024));
});

test("two at once, 32 waiting, and the rest is refused", async () => {
  const busy = createPasswords();
  const works = Array.from({ length: 40 }, () =>
    busy.verify(PASSWORD, undefined).then(
      () => "done",
      (error: unknown) => (error as { code?: string }).code ?? "",
    ),
  );
  const outcomes = await Promise.all(works);
  expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(34);
  expect(outcomes.filter((outcome) => outcome === "unavailable")).toHaveLength(6);
  expect(await busy.verify(PASSWORD, undefined)).toBe(false);
});

test("an unknown user takes as long as a wrong password", async () => {
  const hash = await passwords.hash(PASSWORD);
  const verify = (known: string | undefined) => () => passwords.verify("a wrong password", known);
  expect(await costsAboutTheSame(verify(undefined), verify(hash))).toBe(true);
});
