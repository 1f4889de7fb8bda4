// What it costs that runs which wait are on disk: the time that a firing takes more with a durable rule than with one that is
// not, from the event until the wait is on disk, one firing in each turn of the event loop, beside a bare commit of two such
// rows; the bytes of its row; and how long a start takes with ten thousand of them. In this process, with the database on the
// disk of TMPDIR.
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { atMost, type Bench, type Row } from "./support/bench.ts";
import { median } from "./support/stats.ts";
import { openWaitingHouse, storedBytes, waitingRules } from "./support/waiting-house.ts";

const FIRINGS = 18;
const ROUNDS = 15;
const PER_RULE = 20;
const WAITING = 10_000;
const STARTS = 5;

export const rulesWaits: Bench = {
  name: "rules-waits",
  async run({ folder, say }) {
    return [...(await waitCost(folder, say)), ...(await restoring(folder, say))];
  },
};

/** Milliseconds from the event to the end of all that it set off at once. */
async function firingMs(folder: string, durable: boolean): Promise<number> {
  await using house = openWaitingHouse(folder, waitingRules(1, { durable }));
  const times: number[] = [];
  for (let firing = 0; firing < FIRINGS; firing++) {
    await Bun.sleep(20);
    const begun = performance.now();
    house.fire();
    // The write happens in a microtask, before any I/O.
    await new Promise((resolve) => setImmediate(resolve));
    times.push(performance.now() - begun);
  }
  return median(times);
}

/** Milliseconds of a synced commit of two rows as long as those of a run. */
function bareCommitMs(path: string): number {
  using db = new Database(path, { create: true });
  db.run("PRAGMA journal_mode = WAL");
  db.run("PRAGMA synchronous = FULL");
  db.run("CREATE TABLE a (id INTEGER PRIMARY KEY, text TEXT)");
  db.run("CREATE TABLE b (id INTEGER PRIMARY KEY, text TEXT)");
  const commit = db.transaction(() => {
    db.run("INSERT INTO a (text) VALUES (?)", ["x".repeat(180)]);
    db.run("INSERT INTO b (text) VALUES (?)", ["x".repeat(250)]);
  });
  const times: number[] = [];
  for (let turn = 0; turn < FIRINGS; turn++) {
    const begun = performance.now();
    commit();
    times.push(performance.now() - begun);
  }
  return median(times);
}

async function waitCost(folder: string, say: (line: string) => void): Promise<Row[]> {
  const costs: number[] = [];
  const commits: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const durable = await firingMs(join(folder, `durable-${round}`), true);
    const bare = await firingMs(join(folder, `bare-${round}`), false);
    costs.push(durable - bare);
    commits.push(bareCommitMs(join(folder, `bare-commit-${round}`)));
    if (round % 5 === 0) say(`a firing takes ${durable.toFixed(2)} ms durable, ${bare.toFixed(2)} ms not`);
  }
  const { wait, begun } = storedBytes(join(folder, "durable-0"));
  return [
    atMost("ms that a durable wait costs", median(costs), median(commits), 1, "ms"),
    atMost("bytes of a durable wait, in a loop in a branch", Math.round(wait), undefined, 300, "bytes"),
    {
      ...atMost("bytes of what its run began with, written once", Math.round(begun), undefined, 0, ""),
      target: undefined,
      met: undefined,
    },
  ];
}

async function restoring(folder: string, say: (line: string) => void): Promise<Row[]> {
  const home = join(folder, "many");
  const rules = waitingRules(WAITING / PER_RULE);
  {
    await using house = openWaitingHouse(home, rules);
    for (let times = 0; times < PER_RULE; times++) house.fire();
  }
  const { runs } = storedBytes(home);
  if (runs !== WAITING) throw new Error(`${runs} runs are stored, not ${WAITING}`);
  const times: number[] = [];
  for (let start = 0; start < STARTS; start++) {
    await using house = openWaitingHouse(home, rules);
    const waiting = rules.reduce((sum, { id }) => sum + house.engine.runs(id).length, 0);
    if (waiting !== WAITING) throw new Error(`${waiting} runs go on, not ${WAITING}`);
    times.push(house.readyMs);
    say(`start ${start + 1}: ${house.readyMs.toFixed(0)} ms`);
  }
  return [atMost("ms of a start with 10,000 waiting runs", median(times), undefined, 500, "ms")];
}
