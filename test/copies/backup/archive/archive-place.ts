// A home with a state worth saving, made without a hub, and its archive.
import { Database } from "bun:sqlite";
import { mkdirSync, writeFileSync } from "node:fs";
import { openArchive } from "../../../../src/copies/backup/archive/archive.ts";
import { lockBackups } from "../../../../src/copies/backup/backup-lock.ts";
import { historyMigrations } from "../../../../src/house/history/migrations/index.ts";
import { stateMigrations } from "../../../../src/server/db/migrations/index.ts";
import { openDatabase } from "../../../../src/server/db/open.ts";
import { type Home, homeAt } from "../../../../src/server/home/paths.ts";
import { openTestState } from "../../../support/state-db.ts";

export const schemas = { state: stateMigrations.length, history: historyMigrations.length };
export const NOW = Date.UTC(2026, 10, 21, 3, 0, 0);

export function furnishHome(path: string, mark = "old"): Home {
  const home = homeAt(path);
  for (const folder of [home.config, home.data, home.rules, home.ruleExamples, home.plugin("x").config])
    mkdirSync(folder, { recursive: true });
  writeFileSync(home.hubToml, `# ${mark}\n[auth]\njwt_secret = "${mark.repeat(20)}"\n[[plugins]]\nid = "x"\n`);
  writeFileSync(home.modesToml, `# ${mark}\n`);
  writeFileSync(`${home.rules}/${mark}.ron`, "()");
  writeFileSync(`${home.rules}/Küche.ron`, "()");
  writeFileSync(`${home.ruleExamples}/example.ron`, "()");
  writeFileSync(home.plugin("x").configToml, 'password = "of the plugin"');
  using state = openTestState(home.stateDb, () => NOW);
  state.durable.run("INSERT INTO devices (id, plugin_id, name, created_at) VALUES (?, 'x', ?, 1)", [
    mark,
    `the ${mark} one`,
  ]);
  const { db } = openDatabase({ path: home.historyDb, migrations: historyMigrations, now: () => NOW });
  db.run("INSERT INTO series (device_id, attribute) VALUES (?, 'n')", [mark]);
  db.close();
  return home;
}

export async function archiveOf(home: Home, target: string): Promise<string> {
  using _lock = lockBackups(home);
  using archive = openArchive({ home, hubVersion: "0.0.0-test", now: NOW });
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive.read()) chunks.push(chunk);
  writeFileSync(target, Buffer.concat(chunks));
  return target;
}

/** Whether no backup or restore is running there. */
export function isFree(home: Home): boolean {
  try {
    lockBackups(home)[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}

/** Puts notifications into the outbox of a home. */
export function letWait(home: Home, ...messages: string[]): void {
  using state = openTestState(home.stateDb, () => NOW);
  for (const message of messages)
    state.durable.run(
      `INSERT INTO outbox (channel, message_id, at, count, tries, parts, kept_ms, tried_ms, not_before_ms, title, message)
       VALUES ('phone', 'm', 1, 1, 0, 0, 0, 0, 0, '', ?)`,
      [message],
    );
}

export function waitingIn(path: string): string[] {
  using db = new Database(path);
  return db
    .query<{ message: string }, []>("SELECT message FROM outbox ORDER BY id")
    .all()
    .map(({ message }) => message);
}
