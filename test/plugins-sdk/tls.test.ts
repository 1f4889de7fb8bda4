// A plugin at a broker that wants TLS: it checks the certificate, and says which it does not trust.
import { expect, setDefaultTimeout, test } from "bun:test";
import { readEnvironment } from "../../plugins/sdk/environment.ts";
import { openConnection } from "../../plugins/sdk/mqtt/connection.ts";
import { startBroker } from "../reach/mqtt/external/rig.ts";
import { createCertificates } from "../reach/notify/certificates.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/wait.ts";

setDefaultTimeout(30_000);

const ENV = { HUB_PLUGIN_ID: "p", HUB_MQTT_HOST: "localhost" };

test("the environment says whether the connection is encrypted", () => {
  const of = (more: Record<string, string>) => readEnvironment([], { ...ENV, ...more }).tls;
  expect(of({})).toBeUndefined();
  expect(of({ HUB_MQTT_URL: "mqtt://broker" })).toBeUndefined();
  expect(of({ HUB_MQTT_URL: "mqtts://broker" })).toEqual({ ca: undefined });
  expect(of({ HUB_MQTT_URL: "mqtts://broker", HUB_MQTT_CA: "PEM" })).toEqual({ ca: "PEM" });
  expect(() => of({ HUB_MQTT_URL: "wss://broker" })).toThrow("speaks mqtt:// and mqtts:// only");
});

test("it publishes and receives over TLS, and only at a broker that it trusts", async () => {
  using folder = createTemporaryFolder();
  const { authority } = createCertificates(folder);
  const ca = await Bun.file(authority).text();
  await using broker = await startBroker({ tls: { key: folder.at("key"), cert: folder.at("cert") } });
  const received: string[] = [];
  const options = {
    ...{ host: "localhost", port: broker.port, clientId: "p", keepAliveSecs: 30 },
    onMessage: (topic: string, text: string) => void received.push(`${topic} ${text}`),
  };
  const connection = await openConnection({ ...options, tls: { ca } });
  await connection.subscribe("a/b");
  await connection.publish({ topic: "a/b", payload: "x".repeat(100_000), qos: 1, retain: false });
  await until("it comes back", () => received.length > 0);
  expect(received).toEqual([`a/b ${"x".repeat(100_000)}`]);
  connection.close();
  expect(openConnection({ ...options, tls: { ca: undefined } })).rejects.toThrow("not trusted");
});
