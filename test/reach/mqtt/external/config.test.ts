// [mqtt] for a broker of others: what is wrong in hub.toml is said at its key.
import { expect, test } from "bun:test";
import { checkConfig } from "../../../../src/app/config/load.ts";

function problemsOf(mqtt: string, more = ""): string[] {
  const text = `[auth]\njwt_secret = "${"x".repeat(40)}"\n[mqtt]\n${mqtt}\n${more}`;
  return checkConfig(text).problems.map(
    ({ path, message, warning }) => `${warning ? "warning " : ""}${path}: ${message}`,
  );
}
const external = (keys: string): string => `mode = "external"\n${keys}`;
const PLUGIN = '[[plugins]]\nid = "sysmon"\nbinary = "/bin/true"\n';

test.each([
  [external('url = "mqtt://broker"'), undefined],
  [external('url = "wss://broker:8084/mqtt?x=1"\nca = "a.pem"\ncert = "b.pem"\nkey = "c.pem"'), undefined],
  // The port of the page may be the embedded broker's, which does not listen.
  [external('url = "mqtt://broker"\nport = 8080'), undefined],
  [external(""), "mqtt.url: is missing"],
  [external('url = "http://broker"'), "mqtt.url: must be the address"],
  [external('url = "mqtt://"'), "mqtt.url: must be the address"],
  [external('url = "mqtt://anna:geheim@broker"'), "mqtt.url: must not contain user name and password"],
  [external('url = "mqtt://broker"\nca = "a.pem"'), "mqtt.url: ca and cert are for mqtts://"],
  [external('url = "mqtt://broker"\nmore_urls = ["ftp://x"]'), "mqtt.more_urls[0]: must be the address"],
  [external('url = "mqtts://broker"\ncert = "a.pem"'), "mqtt.key: is missing"],
  [external('url = "mqtt://broker"\npassword = "geheim"'), "mqtt.username: is missing"],
  [external('url = "mqtt://broker"\ntopics = ["a#"]'), "mqtt.topics[0]: is not a topic pattern"],
  [external('url = "mqtt://broker"\nclient_id = "a b"'), "mqtt.client_id: must be 1 to 64"],
  ['url = "mqtt://broker"', 'mqtt.url: is for mode = "external" only'],
])("%s", (mqtt, expected) => {
  const found = problemsOf(mqtt);
  if (expected === undefined) expect(found).toEqual([]);
  else expect(found).toEqual([expect.stringContaining(expected)]);
  expect(found.join()).not.toContain("geheim");
});

test("a plugin without a password is warned of, where the broker has accounts", () => {
  const login = 'url = "mqtt://broker"\nusername = "hub"\npassword = "secret"';
  expect(problemsOf(external(login), PLUGIN)).toEqual([
    expect.stringMatching(/^warning plugins\[0\]\.password: the plugin "sysmon" needs an account of its own/),
  ]);
  expect(problemsOf(external(login), `${PLUGIN}password = "long enough"\n`)).toEqual([]);
  expect(problemsOf(external('url = "mqtt://broker"'), PLUGIN)).toEqual([]);
});
