// Certificates of the broker that are not right, a broker that wants one of the hub, and MQTT over WebSockets. Debian's mosquitto is
// built without WebSockets: NATS has them.
import { chmodSync, writeFileSync } from "node:fs";
import { createCertificates } from "../../reach/notify/certificates.ts";
import { freePorts } from "../../support/free-port.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
import { until } from "../../support/wait.ts";
import { check } from "../checks.ts";
import { assert, CONNECTED, client, command, device, mosquitto, place, retained, serve } from "./rig.ts";

function openssl(...args: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["openssl", ...args], { stderr: "pipe", stdout: "ignore" });
  if (exitCode !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`);
}

interface Kind {
  /** YYYYMMDDHHMMSSZ */
  from?: string;
  to?: string;
  /** Of the broker: which name it is for. */
  name?: string;
}

/** Signed by the authority in the folder, with a key of its own; the paths of both. */
function issue(folder: TemporaryFolder, file: string, { from, to, name = "localhost" }: Kind = {}) {
  const [key, csr, cert, config] = ["key", "csr", "pem", "conf"].map((kind) => folder.at(`${file}.${kind}`)) as [
    string,
    string,
    string,
    string,
  ];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl("req", ...curve, "-keyout", key, "-out", csr, "-subj", `/CN=${name}`);
  writeFileSync(folder.at(`${file}.index`), "");
  writeFileSync(
    config,
    `[ca]\ndefault_ca = own\n[own]\ndatabase = ${folder.at(`${file}.index`)}\nnew_certs_dir = ${folder.path}
rand_serial = yes\ndefault_md = sha256\npolicy = any\nx509_extensions = names\n[any]\ncommonName = supplied\n[names]\nsubjectAltName = DNS:${name}\n`,
  );
  const dates = ["-startdate", from ?? "20200101000000Z", "-enddate", to ?? "20991231000000Z"];
  const authority = ["-cert", folder.at("ca.pem"), "-keyfile", folder.at("ca.key")];
  openssl("ca", "-batch", "-config", config, ...authority, ...dates, "-notext", "-in", csr, "-out", cert);
  for (const path of [key, cert]) chmodSync(path, 0o600);
  return { key, cert };
}

/** The hub says this of a broker that it cannot come to, or is connected. */
async function says(mqtt: string, wanted: string): Promise<void> {
  await using home = place(mqtt);
  const hub = await home.start();
  await hub.said(wanted);
}

export async function certificates(folder: TemporaryFolder): Promise<void> {
  const { authority } = createCertificates(folder);
  using elsewhere = createTemporaryFolder();
  createCertificates(elsewhere);
  const ofHub = issue(folder, "hub", { name: "hub" });
  const over = issue(folder, "over", { name: "hub", from: "20200101000000Z", to: "20210101000000Z" });
  const foreign = issue(elsewhere, "hub", { name: "hub" });
  const listener = ({ key, cert }: typeof ofHub): string => `certfile ${cert}\nkeyfile ${key}\ncafile ${authority}\n`;
  const rights = folder.at("rights-of-hub");
  writeFileSync(rights, "user hub\ntopic readwrite #\n");
  chmodSync(rights, 0o600);
  const asks = `require_certificate true\nuse_identity_as_username true\nacl_file ${rights}\n`;
  const brokers = {
    right: `${listener(issue(folder, "right"))}${asks}`,
    over: `${listener(issue(folder, "old", { from: "20200101000000Z", to: "20210101000000Z" }))}allow_anonymous true\n`,
    early: `${listener(issue(folder, "early", { from: "20980101000000Z" }))}allow_anonymous true\n`,
    other: `${listener(issue(folder, "other", { name: "broker.example" }))}allow_anonymous true\n`,
  };
  await using stack = new AsyncDisposableStack();
  const urls = new Map<string, string>();
  for (const [name, lines] of Object.entries(brokers)) {
    const { port } = stack.use(await mosquitto(folder, `tls-${name}`, lines));
    urls.set(name, `url = "mqtts://localhost:${port}"\nca = "${authority}"\n`);
  }
  const at = (name: keyof typeof brokers): string => urls.get(name) ?? "";
  const own = ({ cert, key }: typeof ofHub): string => `cert = "${cert}"\nkey = "${key}"\n`;
  const cases: [string, string, string][] = [
    ["the hub's certificate is its account", at("right") + own(ofHub), CONNECTED],
    ["a broker that wants a certificate, and the hub has none", at("right"), "it wants a certificate of the hub"],
    ["a certificate of the hub that has expired", at("right") + own(over), "the hub's certificate has expired"],
    ["a certificate of the hub from elsewhere", at("right") + own(foreign), "it does not trust the hub's certificate"],
    ["a broker's certificate that has expired", at("over"), "its certificate has expired"],
    ["a broker's certificate that is not valid yet", at("early"), "its certificate is not valid yet"],
    ["a broker's certificate for another name", at("other"), "its certificate is for another name"],
  ];
  for (const [name, mqtt, wanted] of cases) await check(`TLS: ${name}`, () => says(mqtt, wanted));
}

export async function webSockets(folder: TemporaryFolder): Promise<void> {
  const { authority } = createCertificates(folder);
  for (const scheme of ["ws", "wss"] as const) {
    const [plain = 0, mqtt = 0, web = 0] = freePorts(3);
    const file = folder.at(`${scheme}.conf`);
    const tls =
      scheme === "ws" ? "no_tls: true" : `tls { cert_file: "${folder.at("cert")}", key_file: "${folder.at("key")}" }`;
    const store = `jetstream { store_dir: "${folder.at(scheme)}" }`;
    const doors = `mqtt { host: 127.0.0.1, port: ${mqtt} }\nwebsocket { host: 127.0.0.1, port: ${web}, ${tls} }`;
    writeFileSync(file, `server_name: ${scheme}\nhost: 127.0.0.1\nport: ${plain}\n${store}\n${doors}\n`);
    await using _broker = await serve(["nats-server", "-c", file], mqtt);
    await check(`${scheme}://: what is retained is a device, and a command arrives once`, async () => {
      const lamp = await until("NATS takes MQTT clients", () => client({ port: mqtt }).catch(() => undefined));
      await lamp.publishAsync("hub/devices/lamp/state", '{"on":false}', retained);
      await lamp.subscribeAsync("hub/devices/lamp/cmd", { qos: 1 });
      const ca = scheme === "wss" ? `ca = "${authority}"\n` : "";
      await using home = place(`url = "${scheme}://localhost:${web}/mqtt"\n${ca}`);
      const hub = await home.start();
      await hub.said(CONNECTED);
      await until("the lamp is there", () => device(hub, "lamp"));
      await command(hub, "lamp", { on: true });
      await until("it arrives", () => lamp.received.length > 0);
      assert(lamp.received.length === 1, lamp.received.join());
      lamp.end(true);
    });
    if (scheme === "ws") continue;
    await check("wss://: a broker whose authority is not known", () =>
      says(`url = "wss://localhost:${web}/mqtt"\n`, "not signed by anybody the hub trusts"),
    );
    await check("wss://: a broker under another name", () =>
      says(`url = "wss://127.0.0.1:${web}/mqtt"\nca = "${authority}"\n`, "its certificate is for another name"),
    );
  }
}
