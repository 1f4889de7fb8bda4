// The lease in PostgreSQL.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { type Check, codeOf, ENGINE_CONTRACT, machineNamed } from "../../copies/standby/lease/engine-contract.ts";
import { createCertificates } from "../../reach/notify/certificates.ts";
import { standStill } from "../../support/processes.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { until } from "../../support/wait.ts";
import { POSTGRES, startPostgres } from "../export/engines.ts";
import { answered, asked, LEASE_MS, openOn, openPatiently, runContract, timed } from "./machines.ts";

const TTL_MS = 3000;
const ADA = machineNamed("ada");

export async function postgresPart(folder: string, check: Check): Promise<void> {
  await using stack = new AsyncDisposableStack();
  mkdirSync(folder, { mode: 0o755 });
  const server = stack.use(await startPostgres(join(folder, "server")));
  const admin = stack.adopt(new SQL({ url: server.url, ...POSTGRES, max: 1 }), (sql) => sql.close());
  const section = { lease: server.url, ...POSTGRES };

  await runContract(ENGINE_CONTRACT, check, {
    open: (house, wallOffsetMs) => openPatiently({ ...section, house }, wallOffsetMs),
    empty: (house) => admin`DELETE FROM hub_lease WHERE house = ${house}`,
  });

  await refusals(admin, section, check);

  await checkTls(join(folder, "server", "data"), admin, section, check);

  await using ada = await openOn({ ...section, house: "faults" });
  await using first = openPatiently({ ...section, house: "faults" });
  await first.take(ADA, TTL_MS);
  const renew = () => ada.renew({ machine: ADA, epoch: 1, standby: undefined, ttlMs: TTL_MS });
  const renewed = () => answered("it is renewed", renew);
  await renewed();

  const [postmaster] = readFileSync(join(folder, "server", "data", "postmaster.pid"), "utf8").split("\n");
  const pids = [Number(postmaster), ...childrenOf(Number(postmaster))];
  for (const pid of pids) await standStill(pid);
  const [paused, pausedMs] = await timed(codeOf(renew()));
  const [again, againMs] = await timed(codeOf(renew()));
  // A shell of another user's process stops with it, and does not go on with it.
  for (const pid of [...pids, parentOf(Number(postmaster))]) process.kill(pid, "SIGCONT");
  check("a server that is paused is given up on", [paused, again], ["unavailable", "unavailable"]);
  check("… in time", [pausedMs < LEASE_MS, againMs < LEASE_MS], [true, true]);
  check("… and asked again when it goes on", await renewed(), true);

  await admin.close();
  await server.stop();
  const [gone, goneMs] = await timed(codeOf(renew()));
  check("a server that is gone is noticed", [gone, goneMs < LEASE_MS], ["unavailable", true]);
  await server.start();
  check(
    "… and asked again when it is back",
    [await renewed(), (await answered("it is read", () => first.read()))?.epoch],
    [true, 1],
  );
}

async function checkTls(data: string, admin: SQL, section: { lease: string }, check: Check): Promise<void> {
  using certificates = createTemporaryFolder();
  const { authority, key, cert } = createCertificates(certificates);
  const [keyFile, certFile] = [join(data, "server.key"), join(data, "server.crt")];
  const lease = `${section.lease.replace("127.0.0.1", "localhost")}`;
  const without = await asked({ ...section, ...POSTGRES, lease, ca: authority });
  check("no TLS there", /^config: .*has no TLS/.test(without) || without, true);
  writeFileSync(keyFile, key, { mode: 0o600 });
  writeFileSync(certFile, cert);
  if (process.getuid?.() === 0) Bun.spawnSync(["chown", "postgres", keyFile, certFile]);
  await admin.unsafe("ALTER SYSTEM SET ssl = on");
  await admin.unsafe("SELECT pg_reload_conf()");
  const trusted = () => asked({ ...section, ...POSTGRES, lease, house: "tls", ca: authority });
  await until("TLS with its authority", async () => (await trusted()) === "taken");
  const untrusted = await asked({ ...section, ...POSTGRES, lease: `${lease}?sslmode=verify-full` });
  check("TLS without it", /^config: .*certificate that is not trusted/.test(untrusted) || untrusted, true);
}

async function refusals(admin: SQL, section: { lease: string }, check: Check): Promise<void> {
  await admin.unsafe("CREATE ROLE guest LOGIN PASSWORD 'guest of the house'");
  await admin.unsafe("CREATE DATABASE plain");
  const guest = { username: "guest", password: "guest of the house" };
  const plain = section.lease.replace(/postgres$/, "plain");
  const noRight = await asked({ lease: plain, ...guest });
  check(
    "without rights: what to run",
    noRight.startsWith("config: the lease: PostgreSQL at 127.0.0.1:") &&
      noRight.includes("CREATE TABLE IF NOT EXISTS hub_lease (") &&
      noRight.endsWith('GRANT SELECT, INSERT, UPDATE ON hub_lease TO "guest"'),
    true,
  );
  const statements = noRight.slice(noRight.indexOf("CREATE TABLE"));
  await using inPlain = new SQL({ url: plain, ...POSTGRES, max: 1 });
  await inPlain.unsafe(statements);
  check("… and then it works", await asked({ lease: plain, ...guest }), "taken");
  const wrong = await asked({ ...section, username: "guest", password: "not it" });
  check("wrong password", [wrong.startsWith("config: "), wrong.includes("not it")], [true, false]);
  const missing = await asked({ lease: section.lease.replace(/postgres$/, "nothing"), ...POSTGRES });
  check("no database", /^config: .*has no database "nothing": make it/.test(missing), true);
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

function childrenOf(pid: number): number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return list.trim().split(" ").filter(Boolean).map(Number);
}
