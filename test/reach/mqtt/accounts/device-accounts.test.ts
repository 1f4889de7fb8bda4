// Accounts that are made at run time: what is accepted, what is kept, and who may log in.
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { HubError } from "../../../../src/kit/schema/errors.ts";
import type { NewDeviceAccount } from "../../../../src/reach/mqtt/accounts/device-accounts.ts";
import { createAccountRig, NOW } from "./account-rig.ts";

function refusal(work: () => unknown): { code: string; message: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof HubError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error("it was not refused");
}

test("an account is kept without its password, and found by its name alone", () => {
  using rig = createAccountRig();
  const { password } = rig.accounts.create({ name: "bridge", kind: "zigbee2mqtt", base: "house/zigbee" });
  expect(Buffer.from(password, "base64url")).toHaveLength(32);
  const [row] = rig.db.durable.query<Record<string, unknown>, []>("SELECT * FROM mqtt_accounts").all();
  expect(JSON.stringify(row)).not.toContain(password);
  expect(rig.accounts.find("bridge")?.hash).toEqual(createHash("sha256").update(password).digest());
  for (const name of ["Bridge", "bridge ", "nobody", "", "a/b", "x".repeat(70_000)])
    expect(rig.accounts.find(name)).toBeUndefined();
  expect(rig.accounts.list()).toEqual([
    {
      ...{ name: "bridge", kind: "zigbee2mqtt", base: "house/zigbee", createdAt: NOW },
      publish: ["house/zigbee/#", "homeassistant/#"],
      subscribe: ["house/zigbee/#", "homeassistant/status"],
    },
  ]);
});

test("topics of a person's own are added to those of the kind", () => {
  using rig = createAccountRig();
  const account = rig.made({ name: "node", kind: "esphome", publish: ["garden/+"], subscribe: ["garden/#"] });
  expect(account).toEqual({
    kind: "listed",
    name: "node",
    publish: ["node/#", "homeassistant/+/node/#", "garden/+"],
    subscribe: ["node/#", "garden/#"],
  });
  expect(rig.made({ name: "far", kind: "plugin" })).toMatchObject({ kind: "plugin", name: "far", supervised: false });
});

describe("refused, with what to do:", () => {
  const taken = new Map([["garage", "is in [[mqtt.users]] of hub.toml"]]);
  const wrong: [NewDeviceAccount, string, string][] = [
    [{ name: "garage", kind: "shelly" }, "conflict", "take another name"],
    [{ name: "there", kind: "shelly" }, "conflict", "renew its password"],
    [{ name: "hub", kind: "shelly" }, "invalid", "give another base"],
    [{ name: "x", kind: "zigbee2mqtt", base: "hub/devices" }, "invalid", "give another base"],
    [{ name: "my plug", kind: "tasmota" }, "invalid", "no blanks"],
    [{ name: "plug", kind: "tasmota", base: "a;b" }, "invalid", "no blanks"],
    [{ name: "Kitchen", kind: "esphome" }, "invalid", "the node's name"],
    [{ name: "my plugin", kind: "plugin" }, "invalid", "the plugin's id"],
    [{ name: "far", kind: "plugin", base: "far" }, "invalid", "has none"],
    [{ name: "own", kind: "custom" }, "invalid", "needs topic patterns"],
    [{ name: "own", kind: "custom", publish: [], subscribe: [] }, "invalid", "needs topic patterns"],
  ];
  test.each(wrong)("%j", (account, code, words) => {
    using rig = createAccountRig({ taken });
    rig.made({ name: "there", kind: "shelly" });
    const { message, ...rest } = refusal(() => rig.accounts.create(account));
    expect(rest).toEqual({ code });
    expect(message).toContain(words);
    expect(rig.accounts.list()).toHaveLength(1);
  });

  test.each([
    ["house", false],
    ["house/hub", false],
    ["house/hub/devices", false],
    ["house/zigbee", true],
    ["hub", true],
  ])("with the prefix house/hub, the base %s: %p", (base, accepted) => {
    using rig = createAccountRig({ prefix: "house/hub" });
    const create = () => rig.accounts.create({ name: "bridge", kind: "zigbee2mqtt", base });
    if (accepted) expect(create().base).toBe(base);
    else expect(refusal(create).message).toContain('the hub\'s own topics begin with "house/hub"');
  });

  test("the thousand-and-first", () => {
    using rig = createAccountRig();
    const { durable } = rig.db;
    rig.made({ name: "first", kind: "shelly" });
    durable.run(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999) INSERT INTO mqtt_accounts SELECT 'a' || i, kind, base, publish, subscribe, password_hash, created_at FROM mqtt_accounts, n",
    );
    expect(refusal(() => rig.accounts.create({ name: "one-more", kind: "shelly" })).code).toBe("conflict");
  });

  test("what is not there, or elsewhere", () => {
    using rig = createAccountRig({ taken });
    for (const act of [rig.accounts.remove, rig.accounts.renew]) {
      expect(refusal(() => act("nobody")).code).toBe("not_found");
      expect(refusal(() => act("garage"))).toMatchObject({
        code: "conflict",
        message: expect.stringContaining("hub.toml"),
      });
    }
  });
});

test("a name that hub.toml has as well is a problem until the account is removed", () => {
  const taken = new Map<string, string>();
  using rig = createAccountRig({ taken });
  rig.made({ name: "garage", kind: "shelly" });
  expect(rig.accounts.problems()).toEqual([]);
  taken.set("garage", "is in [[mqtt.users]] of hub.toml");
  expect(rig.accounts.problems()).toEqual([expect.stringContaining("`hub device-account garage --remove`")]);
  rig.accounts.remove("garage");
  expect(rig.accounts.problems()).toEqual([]);
});

test("a removal or a new password by another process is noticed, and nothing else is", () => {
  using rig = createAccountRig();
  const [lamp, plug] = [rig.made({ name: "lamp", kind: "shelly" }), rig.made({ name: "plug", kind: "shelly" })];
  rig.accounts.haveChanged();
  expect(rig.accounts.haveChanged()).toBe(false);
  {
    using other = rig.openAgain();
    other.accounts.renew("lamp");
  }
  expect(rig.accounts.haveChanged()).toBe(true);
  expect([lamp, plug].map(rig.accounts.isCurrent)).toEqual([false, true]);
  rig.accounts.remove("plug");
  expect(rig.accounts.haveChanged()).toBe(true);
  rig.made({ name: "plug", kind: "shelly" });
  expect(rig.accounts.isCurrent(plug)).toBe(false);
  expect(rig.accounts.isCurrent({ kind: "listed", name: "plug", publish: [], subscribe: [] })).toBe(true);
});

test("a row that cannot be read is reported once, logs nobody in, and can be removed", () => {
  using rig = createAccountRig();
  rig.made({ name: "lamp", kind: "shelly" });
  rig.made({ name: "plug", kind: "shelly" });
  rig.db.durable.run("UPDATE mqtt_accounts SET kind = 'toaster' WHERE name = 'lamp'");
  using other = rig.openAgain();
  expect(other.db.faults.list()).toEqual([
    { table: "mqtt_accounts", key: "lamp", problem: expect.stringContaining('no kind of account is called "toaster"') },
  ]);
  expect(other.accounts.list().map(({ name }) => name)).toEqual(["plug"]);
  expect(other.accounts.find("lamp")).toBeUndefined();
  expect(refusal(() => other.accounts.renew("lamp")).message).toContain("so remove it");
  other.accounts.remove("lamp");
  expect(other.accounts.has("lamp")).toBe(false);
  expect(other.db.faults.list()).toHaveLength(1);
});
