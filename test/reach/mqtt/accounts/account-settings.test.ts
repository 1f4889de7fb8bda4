// What people paste on the other side, read as the other side reads it.
import { expect, test } from "bun:test";
import { ACCOUNT_KINDS, type AccountKindName } from "../../../../src/reach/mqtt/accounts/account-kinds.ts";
import { type BrokerPlace, settingsOf } from "../../../../src/reach/mqtt/accounts/account-settings.ts";

const PLACE: BrokerPlace = {
  host: "0.0.0.0",
  port: 1883,
  prefix: "hub",
  address: "192.0.2.7",
  hubToml: "/home/hub.toml",
};
const settings = (
  kind: AccountKindName,
  { base, name = "lamp", place = {} }: { base?: string; name?: string; place?: Partial<BrokerPlace> } = {},
) => {
  const account = { kind, name, base, publish: [], subscribe: [], createdAt: 0, password: "its-password" };
  return settingsOf(account, { ...PLACE, ...place });
};

test("Zigbee2MQTT and ESPHome get YAML that says just what was given", () => {
  const name = 'a "quoted": name # with - everything';
  expect(Bun.YAML.parse(settings("zigbee2mqtt", { name, base: "house/zigbee" }).lines.join("\n"))).toEqual({
    mqtt: { base_topic: "house/zigbee", server: "mqtt://192.0.2.7:1883", user: name, password: "its-password" },
  });
  expect(Bun.YAML.parse(settings("esphome", { name, base: "kitchen-lamp" }).lines.join("\n"))).toEqual({
    mqtt: {
      ...{ broker: "192.0.2.7", port: 1883, username: name, password: "its-password" },
      topic_prefix: "kitchen-lamp",
    },
  });
});

test("a Tasmota gets one line of commands", () => {
  const [line = "", ...more] = settings("tasmota", { base: "plug" }).lines;
  expect(more).toEqual([]);
  expect(line.replace(/^Backlog /, "").split("; ")).toEqual([
    ...["MqttHost 192.0.2.7", "MqttPort 1883", "MqttUser lamp", "MqttPassword its-password"],
    ...["Topic plug", "FullTopic %prefix%/%topic%/", "SetOption19 0"],
  ]);
  expect(settings("tasmota").lines[0]).toContain("Topic tasmota_%06X;");
});

test("a Shelly gets the fields of its page, and an IPv6 address its brackets", () => {
  expect(settings("shelly", { place: { address: "2001:db8::7" } }).lines).toEqual([
    ...["Enable MQTT: on", "Server: [2001:db8::7]:1883", "Username: lamp", "Password: its-password"],
    ...["MQTT prefix: lamp", "Enable RPC status notifications: on"],
  ]);
});

test("a plugin gets what its kit reads", () => {
  expect(Object.fromEntries(settings("plugin").lines.map((line) => line.split("=")))).toEqual({
    ...{ HUB_PLUGIN_ID: "lamp", HUB_MQTT_HOST: "192.0.2.7", HUB_MQTT_PORT: "1883" },
    ...{ HUB_MQTT_USERNAME: "lamp", HUB_MQTT_PASSWORD: "its-password", HUB_TOPIC_PREFIX: "hub" },
  });
});

test("where only this machine reaches the broker, that is said first, with the mend", () => {
  const place = { host: "127.0.0.1" };
  for (const kind of Object.keys(ACCOUNT_KINDS) as AccountKindName[]) {
    const { isProgram } = ACCOUNT_KINDS[kind];
    const { lines, notes } = settings(kind, { place });
    expect({ kind, note: notes[0] }).toEqual({
      kind,
      note: expect.stringContaining('set host = "0.0.0.0" under [mqtt] in /home/hub.toml, and restart the hub'),
    });
    expect({ kind, local: lines.join("\n").includes("127.0.0.1") }).toEqual({ kind, local: isProgram });
    expect(settings(kind).notes.join()).not.toContain("0.0.0.0");
  }
  expect(settings("custom", { place: { port: 0 } }).notes[0]).toContain("port = 1883");
});
