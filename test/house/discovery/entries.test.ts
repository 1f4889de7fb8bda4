// What is announced takes room, each account its own: what is announced no more gives way to what is new.
import { expect, test } from "bun:test";
import { Entries, MAX_ENTRIES } from "../../../src/house/discovery/entries.ts";
import type { Entry } from "../../../src/house/discovery/entry.ts";

function announce(entries: Entries, account: string, key: string): Entry | undefined {
  const sender = { name: account, mayPublish: () => true };
  const made = entries.make({ id: `homeassistant:${account}:${key}`, source: "homeassistant", rank: 0, sender });
  if (made) Object.assign(made, { announced: true, deviceId: key });
  return made;
}

test("an account that announces new devices all the time has room for them, as long as the former are gone", () => {
  const entries = new Entries();
  for (let at = 0; at < 3 * MAX_ENTRIES.each; at++) {
    const made = announce(entries, "flood", `d${at}`);
    expect(made).toBeDefined();
    if (made) made.announced = false;
  }
  expect([...entries.all()]).toHaveLength(MAX_ENTRIES.each);
});

test("one that announces too many takes no room of others, and gets one more for each that goes", () => {
  const entries = new Entries();
  const first = announce(entries, "flood", "d0");
  for (let at = 1; at < MAX_ENTRIES.each; at++) announce(entries, "flood", `d${at}`);
  expect(announce(entries, "flood", "more")).toBeUndefined();
  expect(announce(entries, "esp", "lamp")).toBeDefined();
  if (first) first.announced = false;
  expect(announce(entries, "flood", "more")).toBeDefined();
  expect(announce(entries, "flood", "and more")).toBeUndefined();
});
