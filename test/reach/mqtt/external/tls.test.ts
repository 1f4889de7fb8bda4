// The external broker over TLS: a certificate of one's own making, and what is said of one that cannot be trusted.
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { until } from "../../../support/wait.ts";
import { createCertificates } from "../../notify/certificates.ts";
import { retained, startBroker, startExternalHub } from "./rig.ts";

setDefaultTimeout(60_000);

const good = createTemporaryFolder();
const other = createTemporaryFolder();
afterAll(() => {
  good[Symbol.dispose]();
  other[Symbol.dispose]();
});
const ours = createCertificates(good);
const theirs = createCertificates(other);

test("a broker with a certificate of one's own making is trusted with its authority as ca", async () => {
  await using broker = await startBroker({ tls: { key: good.at("key"), cert: good.at("cert") } });
  const url = `mqtts://localhost:${broker.port}`;
  const client = await broker.client({
    protocol: "mqtts",
    host: "localhost",
    ca: [await Bun.file(ours.authority).text()],
  });
  await client.publishAsync("hub/devices/lamp/state", '{"on":true}', retained);
  await using hub = await startExternalHub(url, { toml: `ca = "${ours.authority}"\n` });
  await until("the lamp is there", async () => (await hub.device("lamp"))?.attributes.on);

  await using stranger = await startExternalHub(url, { toml: `ca = "${theirs.authority}"\n` });
  await stranger.troubled("not signed by anybody the hub trusts");
  await using unsure = await startExternalHub(url);
  await unsure.troubled("give the certificate of whoever signed it as [mqtt] ca");
  await using elsewhere = await startExternalHub(url.replace("localhost", "127.0.0.1"), {
    toml: `ca = "${ours.authority}"\n`,
  });
  await elsewhere.troubled("its certificate is for another name");
  await using nowhere = await startExternalHub(url, { toml: 'ca = "/nowhere/ca.pem"\n' });
  await nowhere.troubled("[mqtt] ca cannot be read");
});

test("an expired certificate is said to be one", async () => {
  using folder = createTemporaryFolder();
  const openssl = (...args: string[]): void => {
    const { exitCode, stderr } = Bun.spawnSync(["openssl", ...args], { stderr: "pipe" });
    if (exitCode !== 0) throw new Error(stderr.toString());
  };
  const [csr, cert, names] = [folder.at("csr"), folder.at("cert"), folder.at("names")];
  writeFileSync(names, "subjectAltName=DNS:localhost\n");
  openssl("req", "-new", "-key", good.at("key"), "-subj", "/CN=localhost", "-out", csr);
  const authority = ["-CA", good.at("ca.pem"), "-CAkey", good.at("ca.key"), "-CAcreateserial"];
  openssl("x509", "-req", "-in", csr, ...authority, "-days", "-1", "-extfile", names, "-out", cert);
  await using broker = await startBroker({ tls: { key: good.at("key"), cert } });
  await using hub = await startExternalHub(`mqtts://localhost:${broker.port}`, { toml: `ca = "${ours.authority}"\n` });
  await hub.troubled("its certificate has expired");
});

test("plain MQTT at a port for TLS, and the other way round, is said too", async () => {
  await using secure = await startBroker({ tls: { key: good.at("key"), cert: good.at("cert") } });
  await using plain = await startExternalHub(`mqtt://localhost:${secure.port}`);
  expect(await plain.troubled("there is no connection to the MQTT broker")).toContain(`localhost:${secure.port}`);
  await using broker = await startBroker();
  await using hub = await startExternalHub(`mqtts://localhost:${broker.port}`);
  await hub.troubled("there is no connection to the MQTT broker");
});
