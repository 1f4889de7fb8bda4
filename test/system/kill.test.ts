// Killed again and again under everything a house asks of it: what was acknowledged is there, files and databases are
// whole, and nobody is left behind. `bun run campaign kills` kills it for longer.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { CAMPAIGN_MS, randomOf, rounds, tried } from "../support/campaign.ts";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { DEVICES, type Shift, type Work } from "../support/load-work.ts";
import { mixedLoad, orphans } from "../support/mixed-load.ts";
import { processesOf } from "../support/processes.ts";
import { servePushes } from "../support/push-server.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/wait.ts";

const MIN_KILLS = 6;

/** Works until the hub is killed; each kind of work one after the other, all kinds side by side. Gives the last event's number. */
async function workUntilGone(
  hub: HubProcess,
  { round, works, life }: { round: number; works: readonly Work[]; life: () => Promise<unknown> },
): Promise<number> {
  const client = await hub.mqtt();
  const stream = await hub.openStream();
  let gone = false;
  client.once("close", () => {
    gone = true;
  });
  const answer: Shift["answer"] = async (...args) => {
    const answered = await hub.request(...args).catch(() => undefined);
    if (!answered) gone = true;
    return answered;
  };
  const ask: Shift["ask"] = async (method, path, body) => {
    const answered = await answer(method, path, { body });
    if (answered && answered.status >= 400)
      throw new Error(`${method} ${path} answers ${answered.status}: ${answered.text}`);
    return answered !== undefined;
  };
  const shift = { hub, client, round, answer, ask, gone: () => gone };
  const killed = life().finally(() => hub.kill("SIGKILL"));
  await Promise.all([killed, ...works.map((one) => one.work(shift))]);
  return seqsOf(stream.frames);
}

/** Throws unless they grow; the last one. */
function seqsOf(frames: readonly { seq: number }[]): number {
  let last = 0;
  for (const { seq } of frames) {
    if (seq <= last) throw new Error(`event ${seq} follows ${last}`);
    last = seq;
  }
  return last;
}

/** As the next start will find them, which must find them itself. */
function checkDatabases(place: HubPlace): void {
  using folder = createTemporaryFolder();
  for (const name of ["state.redb", "history.db"]) {
    for (const end of ["", "-wal"]) {
      const path = place.at("data", name + end);
      if (existsSync(path)) copyFileSync(path, folder.at(name + end));
    }
    if (!existsSync(folder.at(name))) continue;
    using db = new Database(folder.at(name));
    const { integrity_check: found } = db.query("PRAGMA integrity_check").get() as { integrity_check: string };
    expect({ name, found }).toEqual({ name, found: "ok" });
  }
}

test(
  "every acknowledged change outlives a kill",
  async () => {
    using server = servePushes();
    const channel = `type = "push_app"\napi_key = "application"\nuser_key = "somebody"\napi_url = "${server.url}"`;
    await using place = createHubPlace({
      // This load would use up an hour's writes in seconds, and the states of devices would then wait for up to ten minutes.
      toml: `[storage]\nflush_secs = 1\nmax_write_mb_per_day = 0\n[[notify.channels]]\nname = "phone"\n${channel}\n[[plugins]]\nid = "family"\nbinary = "plugins/family/bin/family"\n`,
    });
    place.put("plugins/family/bin/family", "#!/bin/sh\n(sleep 1001; true) &\nsleep 1002\ntrue\n", 0o755);
    const works = mixedLoad(place, server);
    let lastSeq = 0;
    let sentAgain = 0;
    let kills = 0;
    const moments = randomOf("moments of kills");

    /** A hub that was killed before is up, and has everything. */
    async function startAndCheck(round: number): Promise<HubProcess> {
      const hub = await place.start();
      for (const one of works)
        await one.check(hub).catch((error) => {
          throw new Error(`after kill ${round}, ${one.name}: ${error.message}`, { cause: error });
        });
      expect(orphans(place.home)).toEqual([]);
      const events = await hub.get<{ seq: number }[]>("/events?limit=1000");
      seqsOf(events.reverse());
      for (const { seq } of events) expect(seq).toBeGreaterThan(lastSeq);
      expect(hub.output).not.toMatch(/damaged|\[ERR\]|safe start/);
      return hub;
    }

    for (const before of rounds(MIN_KILLS)) {
      const round = before + 1;
      const hub = await startAndCheck(round - 1);
      if (round === 1) {
        const client = await hub.mqtt();
        for (const id of DEVICES) await client.publishAsync(`hub/devices/${id}/state`, "{}", { qos: 1 });
        await until("the devices are there", async () => (await hub.get<unknown[]>("/devices")).length >= 3);
      }
      // Some live long enough for what devices say to be on the disk, and for some of each kind also on a busy machine.
      const enough = round / 5 + 3;
      const isEnough = (): boolean => works.every(({ acknowledged }) => acknowledged > enough);
      const longLife = () =>
        Promise.all([Bun.sleep(3000 + moments.below(1000)), until("there was some of each kind of work", isEnough)]);
      const life = round % 20 === 5 ? longLife : () => Bun.sleep(20 + moments.below(480));
      lastSeq = Math.max(lastSeq, await workUntilGone(hub, { round, works, life }));
      await hub.exited;
      // As of a hub that had run for long: three that die as they start are followed by a safe start.
      rmSync(place.at("data", "starts.json"), { force: true });
      await until("nobody is left", () => processesOf(place.home).length === 0);
      checkDatabases(place);
      // The one that was under way when the last hub was killed, and no other.
      const repeated = server.repeated();
      expect(repeated.length).toBeLessThanOrEqual(1);
      sentAgain += repeated.length;
      kills = round;
    }

    await using last = await startAndCheck(kills);
    expect(last.output).toContain("the hub is up");
    server.up = true;
    await until(
      "every message has come",
      async () => {
        const waiting = await last.get<{ id: string }[]>("/notify/outbox?limit=1");
        if (waiting[0]) await last.request("POST", `/notify/outbox/${waiting[0].id}/retry`);
        return waiting.length === 0;
      },
      { timeoutMs: 60_000, everyMs: 200 },
    );
    for (const one of works) await one.check(last);
    expect(server.repeated().length).toBeLessThanOrEqual(1);
    // The load was one: something of each kind was acknowledged.
    const counts = Object.fromEntries(works.map(({ name, acknowledged }) => [name, acknowledged]));
    const list = Object.entries({ ...counts, "sent again": sentAgain }).map(([name, count]) => `${count} ${name}`);
    tried(`${kills} kills; acknowledged: ${list.join(", ")}`);
    for (const [name, acknowledged] of Object.entries(counts))
      expect({ name, enough: acknowledged > kills / 5 }).toEqual({ name, enough: true });
  },
  { timeout: 170_000 + 2 * CAMPAIGN_MS, retry: 0 },
);
