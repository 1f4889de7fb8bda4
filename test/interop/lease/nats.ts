// The lease in NATS JetStream: one server, and a cluster of three.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import type { LeaseEngine } from "../../../src/copies/standby/lease/lease.ts";
import { type Check, codeOf, ENGINE_CONTRACT, machineNamed } from "../../copies/standby/lease/engine-contract.ts";
import { createCertificates } from "../../reach/notify/certificates.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { until } from "../../support/wait.ts";
import { answered, asked, LEASE_MS, openOn, openPatiently, runContract, timed } from "./machines.ts";
import { type NatsServer, startNats } from "./nats-servers.ts";

const TTL_MS = 4000;
const [ADA, BEN] = [machineNamed("ada"), machineNamed("ben")];
const LOGIN = { username: "hub", password: "the password of the hub" };
const USERS = `authorization { users: [
  { user: hub, password: "${LOGIN.password}" },
  { user: guest, password: "guest of the house", permissions: { publish: ["other.>"], subscribe: ["_INBOX.>"] } }
] }`;

export async function natsPart(folder: string, check: Check): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const [server] = await startNats(folder, 1, USERS);
  if (!server) return;
  stack.use(server);
  const section = { lease: server.url, ...LOGIN };
  const manager = await managerOf(stack, [server]);

  await runContract(ENGINE_CONTRACT, check, {
    open: (house, wallOffsetMs) => openPatiently({ ...section, house }, wallOffsetMs),
    empty: (house) => manager.streams.delete(`KV_hub_lease_${house}`),
  });
  check("one server, one replica", (await manager.streams.info("KV_hub_lease_house-0")).config.num_replicas, 1);
  await refusals(folder, section.lease, check);

  const house = { ...section, house: "faults" };
  const [ada, ben] = [stack.use(await openOn(house)), stack.use(await openOn(house))];
  await using first = openPatiently(house);
  await first.take(ADA, TTL_MS);
  const renew = () => ada.renew({ machine: ADA, epoch: 1, standby: BEN.id, ttlMs: TTL_MS });
  const renewed = () => answered("it is renewed", renew);
  await renewed();

  await server.pause();
  const [paused, pausedMs] = await timed(codeOf(renew()));
  const [again, againMs] = await timed(codeOf(renew()));
  server.goOn();
  check("a server that is paused is given up on", [paused, again], ["unavailable", "unavailable"]);
  check("… in time", [pausedMs < LEASE_MS, againMs < LEASE_MS], [true, true]);
  check("… and asked again when it goes on", await renewed(), true);

  await server.kill();
  const [gone, goneMs] = await timed(codeOf(renew()));
  check("a server that is gone is noticed", [gone, goneMs < LEASE_MS], ["unavailable", true]);
  await server.start();
  check(
    "… and asked again when it is back",
    [await renewed(), (await answered("it is read", () => first.read()))?.epoch],
    [true, 1],
  );

  await server.kill();
  server.empty();
  await server.start();
  check("back with an empty disk: not for the standby", await codeOf(ben.take(BEN, TTL_MS, 1)), "unavailable");
  check("… its holder makes it anew", await renewed(), true);
  const taken = await answered("ben is answered", () => ben.take(BEN, TTL_MS, 1));
  check("… and keeps it", taken.ok || [taken.row.holder.id, taken.row.epoch], ["ada", 1]);
}

async function refusals(folder: string, lease: string, check: Check): Promise<void> {
  const wrong = await asked({ lease, username: "hub", password: "not it" });
  check(
    "wrong password",
    [wrong.startsWith("config: the lease: NATS at nats://127"), wrong.includes("not it")],
    [...[true, false]],
  );
  const noRight = await asked({ lease, username: "guest", password: "guest of the house" });
  check("without rights", /^config: .*does not let this user do it .*\$JS\.API\.>/.test(noRight) || noRight, true);
  const [plain] = await startNats(join(folder, "plain"), 1);
  if (!plain) return;
  await using _plain = plain;
  const noTls = await asked({ lease: plain.url.replace("nats:", "tls:") });
  await checkTls(join(folder, "tls"), check);
  check("no TLS there", /^(config|unavailable): .*tls/i.test(noTls) || noTls, true);
}

async function checkTls(folder: string, check: Check): Promise<void> {
  using certificates = createTemporaryFolder();
  const { authority, key, cert } = createCertificates(certificates);
  const [keyFile, certFile] = [certificates.at("server.key"), certificates.at("server.pem")];
  writeFileSync(keyFile, key);
  writeFileSync(certFile, cert);
  const [server] = await startNats(folder, 1, `tls { cert_file: "${certFile}", key_file: "${keyFile}" }`);
  if (!server) return;
  await using _server = server;
  const lease = server.url.replace("nats://127.0.0.1", "tls://localhost");
  check("TLS with its authority", await asked({ lease, ca: authority }), "taken");
  const untrusted = await asked({ lease });
  check("TLS without it", /^config: .*certificate that is not trusted/.test(untrusted) || untrusted, true);
  const otherName = await asked({ lease: lease.replace("localhost", "127.0.0.1"), ca: authority });
  check("TLS of another name", /^config: .*certificate that is not trusted/.test(otherName) || otherName, true);
}

export async function natsClusterPart(folder: string, check: Check): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const servers = await startNats(folder, 3);
  for (const server of servers) stack.use(server);
  const section = { lease: servers.map(({ url }) => url).join(",") };
  const manager = await managerOf(stack, servers);
  await until("the cluster has a leader", () => manager.getAccountInfo().catch(() => undefined));

  const house = { ...section, house: "faults" };
  const [ada, ben] = [stack.use(await openOn(house)), stack.use(await openOn(house))];
  let asks = 0;
  const first = await answered("the lease is made", () => {
    asks++;
    return ada.take(ADA, TTL_MS);
  });
  check("three nodes, three replicas", (await infoOf(manager)).config.num_replicas, 3);
  // A question without an answer in time may have done it all the same.
  check("it is taken once by each question", first.ok && first.epoch >= 1 && first.epoch <= asks, true);
  const epoch = first.ok ? first.epoch : 0;
  const renew = () => ada.renew({ machine: ADA, epoch, standby: BEN.id, ttlMs: TTL_MS });
  check("renewed", await answered("it is renewed", renew), true);

  await Promise.all(ENGINE_CONTRACT.map((_, n) => makeBucket(section, `house-${n}`, manager)));
  await runContract(ENGINE_CONTRACT, check, {
    open: (name, wallOffsetMs) => openPatiently({ ...section, house: name }, wallOffsetMs),
    empty: (name) => manager.streams.purge(`KV_hub_lease_${name}`),
  });

  await manyAtOnce(section, check);

  for (const [round, wipe] of [false, true].entries()) {
    const leader = (await infoOf(manager)).cluster?.leader;
    const victim = servers.find(({ name }) => name === leader) as NatsServer;
    await victim.kill();
    const [isRenewed, ms] = await timed(answered("it is renewed on another node", renew));
    check(`round ${round}: its node killed, another goes on`, isRenewed, true);
    process.stdout.write(`     after ${Math.round(ms)} ms\n`);
    if (wipe) victim.empty();
    await victim.start();
    await until("all are up to date", () => isWhole(manager));
  }
  check("the same lease", (await answered("it is read", () => ada.read()))?.epoch, epoch);

  const paused = servers[0] as NatsServer;
  await paused.pause();
  check("a node that is paused: another is asked", await answered("renewed", renew), true);
  paused.goOn();
  await until("all are up to date", () => isWhole(manager));

  await until("ben sees it", () => ben.read().catch(() => undefined));
  const [one, two, three] = servers as [NatsServer, NatsServer, NatsServer];
  await Promise.all([one.kill(), two.kill()]);
  await Bun.sleep(TTL_MS * 1.5);
  const asked = await Promise.all([codeOf(renew()), codeOf(ben.take(BEN, TTL_MS, epoch))]);
  check("one of three nodes gives it to nobody", asked, ["unavailable", "unavailable"]);
  await Promise.all([one.start(), two.start()]);
  const [ours, theirs] = await Promise.all([
    answered("the cluster answers", renew),
    answered("the cluster answers", async () => (await ben.take(BEN, TTL_MS, epoch)).ok),
  ]);
  check("three again: one of the two has it", [ours, theirs].filter(Boolean).length, 1);
  check("the third node stayed", three.name, "node-2");
}

/** A cluster of this version answers several that their write was the one that counts. */
async function manyAtOnce(section: { lease: string }, check: Check): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const engines = await Promise.all(Array.from({ length: 9 }, () => openOn({ ...section, house: "house-0" })));
  for (const engine of engines) stack.use(engine);
  const epochs: number[] = [];
  for (let round = 0; round < 60 && epochs.length <= 30; round++) {
    const taken = await Promise.all(engines.map((engine) => engine.take(ADA, TTL_MS).catch(() => undefined)));
    epochs.push(...taken.flatMap((one) => (one?.ok ? [one.epoch] : [])));
  }
  check(
    "nine at once, again and again: no epoch twice",
    [epochs.length > 30, new Set(epochs).size],
    [true, epochs.length],
  );
}

async function managerOf(stack: AsyncDisposableStack, servers: NatsServer[]): Promise<JetStreamManager> {
  const connection = await connect({
    ...{ servers: servers.map(({ url }) => url), user: LOGIN.username, pass: LOGIN.password },
    ...{ maxReconnectAttempts: -1, reconnectTimeWait: 100 },
  });
  stack.defer(() => connection.close());
  return jetstreamManager(connection, { checkAPI: false, timeout: 20_000 });
}

const infoOf = (manager: JetStreamManager) =>
  until("the lease has a leader", async () => {
    const info = await manager.streams.info("KV_hub_lease_faults").catch(() => undefined);
    return info?.cluster === undefined || info.cluster.leader ? info : undefined;
  });

async function isWhole(manager: JetStreamManager): Promise<boolean> {
  const { cluster } = await infoOf(manager);
  const replicas = cluster?.replicas ?? [];
  return replicas.length === 2 && replicas.every(({ current, offline }) => current && !offline);
}

/** A cluster takes its time for that. */
async function makeBucket(section: { lease: string }, house: string, manager: JetStreamManager): Promise<void> {
  await using engine: LeaseEngine = await openOn({ ...section, house });
  await until("a bucket is made", () => engine.take(ADA, TTL_MS).catch(() => undefined));
  await answered("it is emptied", () => manager.streams.purge(`KV_hub_lease_${house}`));
}
