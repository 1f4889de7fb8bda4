// What the tests of the copy have in common.
import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { type Copy, openCopy } from "../../../../src/copies/standby/copy/copy.ts";
import { checkpointSamplesIntoCopy } from "../../../../src/house/history/replay.ts";
import { type Log, silentLog } from "../../../../src/kit/lifecycle/log.ts";
import { checkpointReadings, readJournalTail } from "../../../../src/server/db/readings.ts";
import { type Home, homeAt } from "../../../../src/server/home/paths.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";
import { schemas } from "./answers.ts";
import { createHouse, type House } from "./house.ts";

export interface Two extends Disposable {
  readonly folder: TemporaryFolder;
  readonly house: House;
  readonly home: Home;
  readonly clock: VirtualClock;
}

/** A house, and an empty home for its copy. */
export function createTwo(): Two {
  using opening = new DisposableStack();
  const folder = opening.use(createTemporaryFolder());
  const house = opening.use(createHouse(folder.at("house")));
  const home = homeAt(folder.at("copy"));
  mkdirSync(home.data, { recursive: true });
  const stack = opening.move();
  return { folder, house, home, clock: createVirtualClock(), [Symbol.dispose]: () => stack.dispose() };
}

export const open = (home: Home, clock: VirtualClock = createVirtualClock(), log: Log = silentLog): Copy =>
  openCopy({ home, clock, log, schemas });

/** Asks until the copy is whole. */
export function sync(copy: Copy, house: House): void {
  for (let tries = 0; tries < 30; tries++) {
    const { more, asked } = copy.apply(house.answer(copy.have()));
    if (!more && !asked) return;
  }
  throw new Error("the copy does not become whole");
}

export function syncHistory(copy: Copy, house: House, most?: number): void {
  for (let tries = 0; tries < 1000; tries++)
    if (!copy.applyHistory(house.historyAnswer(copy.historyRequest(), most)).isMore) return;
  throw new Error("the history does not end");
}

/** Puts what is in the journal into the databases, as a hub does at its start. */
export function startOn({ stateDb, historyDb }: Home): void {
  using state = new Database(stateDb);
  const journalTail = readJournalTail(stateDb, state);
  checkpointSamplesIntoCopy(historyDb, journalTail, () => false);
  checkpointReadings(state, journalTail);
}

export function samplesIn({ historyDb }: Pick<Home, "historyDb">): unknown[] {
  using history = new Database(historyDb);
  const rows = `SELECT device_id, attribute, at, n, value, type
    FROM (SELECT * FROM samples UNION ALL SELECT * FROM recent) JOIN series ON series.id = series_id
    ORDER BY device_id, attribute, at, n`;
  return history.query(rows).all();
}

/** Devices with what they reported. */
export function statesIn({ stateDb }: Pick<Home, "stateDb">): unknown[] {
  using state = new Database(stateDb);
  return state.query("SELECT * FROM devices LEFT JOIN device_state ON device_id = id ORDER BY id").all();
}
