// The house's lease in Debian's PostgreSQL and in NATS servers, single and as a cluster of three, that are killed, paused and emptied:
// bun test/interop/lease.ts [PART].
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { broke, compare as check, printTotals } from "./checks.ts";
import { natsClusterPart, natsPart } from "./lease/nats.ts";
import { postgresPart } from "./lease/postgres.ts";

const PARTS = { postgres: postgresPart, nats: natsPart, "nats-cluster": natsClusterPart };

try {
  using folder = createTemporaryFolder();
  Bun.spawnSync(["chmod", "755", folder.path]);
  const parts = Object.entries(PARTS).filter(([name]) => process.argv[2] === undefined || process.argv[2] === name);
  // Together: they wait most of the time.
  await Promise.all(
    parts.map(([name, part]) => part(folder.at(name), (what, ...rest) => check(`${name}: ${what}`, ...rest))),
  );
} catch (error) {
  broke(error);
}
process.exit(printTotals());
