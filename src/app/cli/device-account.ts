// hub device-account: MQTT accounts for devices, whether the hub runs or not.
import { HubError } from "../../kit/schema/errors.ts";
import { checkValue } from "../../kit/schema/schema.ts";
import type { AccountSettings } from "../../reach/mqtt/accounts/account-settings.ts";
import {
  type DeviceAccount,
  type DeviceAccounts,
  NewDeviceAccount,
} from "../../reach/mqtt/accounts/device-accounts.ts";
import { recordOnce } from "../../server/auth/audit.ts";
import type { StateDb } from "../../server/db/state-db.ts";
import { actAsOwner } from "../../server/home/owner.ts";
import type { Home } from "../../server/home/paths.ts";
import { loadConfig } from "../config/load.ts";
import type { HubConfig } from "../config/sections.ts";
import { assertOwnAccounts, openMqttAccounts, settingsFor } from "../hub/mqtt-accounts.ts";
import { type Command, homeOf, homeOption, type Invocation, type OptionValue } from "./command.ts";
import { confirmElsewhere } from "./confirm-elsewhere.ts";
import { assertHasDatabase, openHomeDatabase } from "./home-database.ts";
import { assertNoStandby } from "./hub-only.ts";
import { readConfig } from "./prepare.ts";

export const deviceAccount: Command = {
  options: {
    ...homeOption,
    for: {
      type: "string",
      value: "KIND",
      values: ["zigbee2mqtt", "tasmota", "shelly", "esphome", "plugin", "custom"],
      doc: "zigbee2mqtt, tasmota, shelly, esphome, plugin or custom",
    },
    base: {
      type: "string",
      value: "TOPIC",
      doc: "how its topics begin: the base topic of Zigbee2MQTT, the topic, prefix or name of one device",
    },
    publish: { type: "string", value: "PATTERNS", doc: "further topics it may publish to, with commas between them" },
    subscribe: { type: "string", value: "PATTERNS", doc: "the same for subscriptions" },
    list: { type: "boolean", doc: "list the accounts made so, without passwords" },
    "new-password": { type: "boolean", doc: "give the account NAME a new password" },
    remove: { type: "boolean", doc: "remove the account NAME" },
    json: { type: "boolean", doc: "print JSON" },
  },
  maxPositionals: 1,
  async run(invocation) {
    const { io, options } = invocation;
    const home = homeOf(invocation);
    assertNoStandby(home, (hub) => `run this on the machine of ${hub}; the accounts are here seconds later`);
    using _owner = actAsOwner(home);
    assertHasDatabase(home);
    // It may be the very command that gives the broker its first account.
    const config = readConfig(home, io, ({ hubToml }) => loadConfig(hubToml, { otherMqttAccounts: true }));
    assertOwnAccounts(config);
    using db = openHomeDatabase(home, io.platform.clock, "no account can be changed");
    const accounts = openMqttAccounts(config, db, io.platform);
    io.platform.stdout.write(textOf(invocation, { accounts, config, db, home }));
    return options.list ? 0 : confirmElsewhere(home, io);
  },
};

interface Opened {
  accounts: DeviceAccounts;
  config: HubConfig;
  db: StateDb;
  home: Home;
}

/** Does what was asked for; returns what to print. */
function textOf(invocation: Invocation, opened: Opened): string {
  const { options } = invocation;
  const { accounts } = opened;
  const wanted = ["for", "list", "new-password", "remove"].filter((option) => options[option] !== undefined);
  if (wanted.length !== 1) throw new HubError("invalid", "give one of --for KIND, --new-password, --remove and --list");
  if (options.list) return listText(accounts.list(), options.json === true);
  const name = nameIn(invocation);
  if (options.remove) {
    accounts.remove(name);
    record(invocation, opened, "remove");
    return options.json ? json({ removed: name }) : `the MQTT account "${name}" was removed\n`;
  }
  const made = options["new-password"] ? accounts.renew(name) : accounts.create(newAccount(invocation, name));
  record(invocation, opened, options["new-password"] ? "password" : "create");
  const settings = settingsFor(made, opened);
  return options.json ? json(settings) : settingsText(settings);
}

function nameIn({ positionals: [name] }: Invocation): string {
  if (name === undefined)
    throw new HubError("invalid", "give the account's NAME, such as hub device-account kitchen_lamp");
  return name;
}

function newAccount({ options }: Invocation, name: string): NewDeviceAccount {
  const patterns = (list: OptionValue) => (typeof list === "string" ? list.split(",") : undefined);
  const given = { name, kind: options.for, base: options.base };
  const lists = { publish: patterns(options.publish), subscribe: patterns(options.subscribe) };
  const there = Object.entries({ ...given, ...lists }).filter(([, value]) => value !== undefined);
  const checked = checkValue(NewDeviceAccount, Object.fromEntries(there));
  if (checked.ok) return checked.value;
  const problems = checked.problems.map(({ path, message }) => `${path === "kind" ? "--for" : path}: ${message}`);
  throw new HubError("invalid", problems.join("; "));
}

function record({ io, positionals: [target = ""] }: Invocation, { db }: Opened, act: string): void {
  recordOnce(db, io.platform.clock.now(), {
    actor: { kind: "command_line", id: "", name: "hub device-account" },
    address: "",
    action: `mqtt_account.${act}`,
    target,
    outcome: "ok",
  });
}

const json = (value: unknown): string => `${JSON.stringify(value)}\n`;

function settingsText({ lines, notes }: AccountSettings): string {
  const shownOnce = "The password is shown only once; --new-password makes a new one.";
  return `${[...notes, shownOnce].join("\n")}\n\n${lines.join("\n")}\n`;
}

function listText(accounts: readonly DeviceAccount[], asJson: boolean): string {
  if (asJson)
    return json(accounts.map(({ name, kind, base, publish, subscribe }) => ({ name, kind, base, publish, subscribe })));
  if (accounts.length === 0) return "no MQTT account was made so; those in hub.toml are not listed here\n";
  const width = Math.max(...accounts.map(({ name }) => name.length));
  return accounts.map(({ name, kind, base }) => `${name.padEnd(width)}  ${kind}${base ? ` ${base}` : ""}\n`).join("");
}
