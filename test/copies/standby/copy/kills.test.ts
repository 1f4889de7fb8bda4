// A copy whose process is killed at any moment is that of one answer or of the next, and becomes equal to the house again.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { stateHashOf } from "../../../../src/copies/standby/copy/state-pages.ts";
import { pageHashes, pageSizeOf, stateId } from "../../../../src/copies/standby/hashes.ts";
import { readJournal } from "../../../../src/kit/files/journal-reader.ts";
import { journalIdOf, readingsFolder } from "../../../../src/server/db/readings.ts";
import { type Home, homeAt } from "../../../../src/server/home/paths.ts";
import "../../../support/property-seed.ts";
import { createTwo, open, samplesIn, startOn, statesIn, sync, syncHistory, type Two } from "./copying.ts";
import type { House } from "./house.ts";

type Change = readonly [kind: "read" | "note" | "device" | "file" | "gone" | "fold" | "shrink", number: number];

const change: fc.Arbitrary<Change> = fc.tuple(
  fc.constantFrom("read", "read", "read", "note", "device", "file", "gone", "fold", "shrink"),
  fc.nat({ max: 20 }),
);

function make(house: House, changes: readonly Change[], clock: { at: number }): void {
  for (const [kind, n] of changes) {
    if (kind === "read") house.read([{ device: `device-${n % 5}`, at: clock.at, set: { level: clock.at % 97 } }]);
    else if (kind === "note") house.note(`key-${n}`, "x".repeat(n * 400));
    else if (kind === "device") house.addDevice(`device-${n}`);
    else if (kind === "file")
      house.putFile(`rules/rule-${n % 6}.ron`, `${clock.at}`.repeat(n + 1), n % 2 ? 0o600 : 0o644);
    else if (kind === "gone") house.removeFile(`rules/rule-${n % 6}.ron`);
    else if (kind === "fold") house.checkpoint();
    else house.db.run("DELETE FROM meta WHERE key LIKE 'key-%'; VACUUM");
    clock.at += n % 4;
  }
}

/** The answers of a time in which the copy's process lives, and the hashes of the states in them. */
function prepareAnswers({ folder, house, home }: Two, rounds: readonly Change[][], clock: { at: number }) {
  const answers = folder.at("answers");
  Bun.spawnSync(["rm", "-rf", answers, folder.at("shadow")]);
  mkdirSync(answers);
  cpSync(home.root, folder.at("shadow"), { recursive: true });
  const states = new Set<string | undefined>([stateHashOf(home.stateDb)]);
  let number = 0;
  // What the killed process would have answered, and how far it would have come.
  using shadow = open(homeAt(folder.at("shadow")));
  for (const changes of rounds) {
    make(house, changes, clock);
    for (let asked = true; asked; ) {
      const answer = house.answer(shadow.have());
      writeFileSync(join(answers, `${number++}.sync`), answer);
      const applied = shadow.apply(answer);
      asked = applied.asked || applied.more;
    }
    const content = house.db.serialize();
    states.add(stateId(pageHashes(content, pageSizeOf(content))));
    const page = house.historyAnswer(shadow.historyRequest(), 5);
    writeFileSync(join(answers, `${number++}.history`), page);
    shadow.applyHistory(page);
  }
  return { answers, states };
}

async function runAndKill(home: Home, answers: string, afterMs: number): Promise<void> {
  const copier = Bun.spawn([process.execPath, join(import.meta.dir, "copier.ts"), home.root, answers], {
    stdout: "pipe",
    stderr: "inherit",
  });
  await copier.stdout.getReader().read();
  // When it is killed is what differs between the runs.
  await Bun.sleep(afterMs);
  copier.kill("SIGKILL");
  await copier.exited;
}

function checkReadable({ stateDb }: Home): void {
  if (!existsSync(stateDb)) return;
  using state = new Database(stateDb, { readonly: true });
  expect(state.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  const id = journalIdOf(
    state.query<{ application_id: number }, []>("PRAGMA application_id").get()?.application_id ?? 0,
  );
  for (const { texts } of readJournal(readingsFolder(stateDb), id)) for (const text of texts) JSON.parse(text);
}

test(
  "killed at any moment, it becomes equal to the house",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(fc.array(fc.array(change, { maxLength: 12 }), { minLength: 1, maxLength: 8 }), fc.nat({ max: 60 })),
          {
            minLength: 2,
            maxLength: 4,
          },
        ),
        async (lives) => {
          using two = createTwo();
          const { house, home } = two;
          const clock = { at: 1000 };
          for (const [rounds, afterMs] of lives) {
            const { answers, states } = prepareAnswers(two, rounds, clock);
            await runAndKill(home, answers, afterMs);
            // The next start repeats what a redo file holds.
            open(home)[Symbol.dispose]();
            const redone = open(home);
            redone.have();
            redone[Symbol.dispose]();
            expect(states).toContain(stateHashOf(home.stateDb));
            checkReadable(home);
          }
          const copy = open(home);
          sync(copy, house);
          syncHistory(copy, house, 7);
          sync(copy, house);
          expect(await copy.verify()).toBeUndefined();
          expect(readFileSync(home.stateDb).equals(house.db.serialize())).toBe(true);
          copy.prepareStart();
          startOn(home);
          house.checkpoint();
          expect(samplesIn(home)).toEqual(samplesIn(house.home));
          expect(statesIn(home)).toEqual(statesIn(house.home));
        },
      ),
      { numRuns: 6 },
    );
  },
  { timeout: 120_000, retry: 0 },
);
