// The compiled hub and its standby with the lease in Debian's PostgreSQL and in a NATS server: kills, pauses, an engine that is gone, and
// the way back; clocks that are apart, homes that are used twice, versions that differ, what is reported while the
// second machine stalls. bun test/interop/standby.ts [HUB [SCENE]].
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { broke, printTotals } from "./checks.ts";
import { POSTGRES, startPostgres } from "./export/engines.ts";
import { startNats } from "./lease/nats-servers.ts";
import { clocksApart } from "./standby/clocks.ts";
import { byHand, diesEarly, engineGone, engineGoneAtStart, killed, paused, upgraded } from "./standby/ends.ts";
import { startedTwice } from "./standby/homes.ts";
import type { Engine, Scene } from "./standby/house.ts";
import { stalled } from "./standby/stalled.ts";
import { newerStandby, olderStandby } from "./standby/versions.ts";

const [hub = join(import.meta.dir, "..", "..", "bin", "hub"), only] = process.argv.slice(2);

const SCENES: Record<string, (scene: Scene) => Promise<void>> = {
  killed,
  paused,
  upgraded,
  "by-hand": byHand,
  "dies-early": diesEarly,
  "engine-gone": engineGone,
  "engine-gone-at-start": engineGoneAtStart,
  "clocks-apart": clocksApart,
  "started-twice": startedTwice,
  "older-standby": olderStandby,
  "newer-standby": newerStandby,
  stalled,
};

async function onPostgres(folder: string, play: (engine: Engine) => Promise<void>): Promise<void> {
  await using server = await startPostgres(folder);
  const { username, password } = POSTGRES;
  const toml = `lease = "${server.url}"\nusername = "${username}"\npassword = "${password}"\n`;
  await play({ toml, stop: server.stop, start: server.start });
}

async function onNats(folder: string, play: (engine: Engine) => Promise<void>): Promise<void> {
  const [server] = await startNats(folder, 1);
  if (!server) throw new Error("there is no server");
  await using _server = server;
  await play({ toml: `lease = "${server.url}"\n`, stop: server.kill, start: server.start });
}

const folder = createTemporaryFolder();
Bun.spawnSync(["chmod", "755", folder.path]);
for (const [name, scene] of Object.entries(SCENES)) {
  if (only !== undefined && only !== name) continue;
  mkdirSync(folder.at(name), { mode: 0o755 });
  const playOn =
    (kind: string) =>
    (engine: Engine): Promise<void> =>
      scene({ engine, hub, folder: folder.path, say: (what) => `${name}, ${kind}: ${what}` });
  // A scene that breaks ends what it started, and the others go on.
  await Promise.all([
    onPostgres(folder.at(name, "postgres"), playOn("postgres")).catch(broke),
    onNats(folder.at(name, "nats"), playOn("nats")).catch(broke),
  ]);
}
folder[Symbol.dispose]();
process.exit(printTotals());
