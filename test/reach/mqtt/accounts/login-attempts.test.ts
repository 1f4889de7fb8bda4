// Failed MQTT logins count with all others, except in the name of a plugin whose password the hub made: anybody could lock it out.
import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { createAccounts } from "../../../../src/reach/mqtt/accounts/accounts.ts";
import { limitAttempts } from "../../../../src/reach/mqtt/accounts/login-attempts.ts";
import { MqttSection } from "../../../../src/reach/mqtt/config.ts";
import { createLoginLimit } from "../../../../src/server/auth/login-limit.ts";
import { sectionOf } from "../../../support/section.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";

const random = (bytes: number): Uint8Array => new Uint8Array(randomBytes(bytes));
const CHOSEN = "a password that somebody chose";

function rig() {
  const config = sectionOf(MqttSection, { users: [{ username: "lamp", password: CHOSEN }] });
  const limit = createLoginLimit({ clock: createVirtualClock(), exempt: () => false });
  const accounts = limitAttempts(createAccounts(config, random), limit);
  const login = (username: string, password: string) => {
    const found = accounts.authenticate({ username, password: Buffer.from(password), address: "127.0.0.1" });
    return typeof found === "string" ? found : found.name;
  };
  return { accounts, login };
}

test("who fails in the name of a plugin does not lock it out", () => {
  const { accounts, login } = rig();
  const password = accounts.issue("sysmon");
  for (let guess = 0; guess < 20; guess++) expect(login("sysmon", "wrong")).toBe("wrong_password");
  expect(login("sysmon", password)).toBe("sysmon");
});

test.each(["lamp", "homecore"])("a password that somebody chose cannot be guessed: %s", (username) => {
  const { accounts, login } = rig();
  accounts.issue("homecore", { password: CHOSEN, publish: [], subscribe: [] });
  for (let guess = 0; guess < 5; guess++) expect(login(username, "wrong")).toBe("wrong_password");
  expect(login(username, CHOSEN)).toBe("too_many");
});
