// What is long and random, cut into rounds of some seconds each. A round is repeatable by its seed.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Command {
  /** Behind `bun`, or a script's path with what it is given. */
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}

export interface Given {
  seed: number;
  /** What it may take. Most of what a round runs goes on until then: see test/support/campaign.ts. */
  secs: number;
}

export type Round = (given: Given) => Command;

export interface Campaign {
  name: string;
  /** What must not happen, for its table. */
  against: string;
  /** Beside Bun, bin/hub and what the system has anyway. Without it, .ci/run runs the campaign for a minute. */
  needs?: string;
  /** Its rounds run the sources alone, not bin/hub. */
  isInProcess?: true;
  /** In turn, until the time is over. */
  rounds: readonly Round[];
}

const ROOT = join(import.meta.dir, "..", "..");
const HUB = join(ROOT, "bin", "hub");
const CORPUS = join(ROOT, "..", "shared", "corpus");
const MODELS = join(CORPUS, "z2m.jsonl.xz");

interface Of {
  /** A part of the names of its tests. */
  only?: string;
  env?: Readonly<Record<string, string>>;
}

const testOf =
  (file: string, { only, env = {} }: Of = {}): Round =>
  () => ({
    args: ["test", `./test/${file}`, "--timeout", "600000", ...(only ? ["--test-name-pattern", only] : [])],
    env,
  });
const run =
  (...args: readonly string[]): Round =>
  () => ({ args });
const bench =
  (name: string): Round =>
  ({ seed }) => ({ args: ["test/bench/run.ts", name, "--seed", String(seed), "--results", "/dev/null"] });

/** Seeds follow each other, so all have their turn. */
const one = <T>(list: readonly T[], { seed }: Given): T => list[seed % list.length] as T;

const MANY = { CAMPAIGN_SCALE: "10" };
const PLACES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"];

export const CAMPAIGNS: readonly Campaign[] = [
  {
    name: "kills",
    against: "what was acknowledged is lost, or done twice, by a kill",
    rounds: [
      testOf("reach/notify/outbox/kill.test.ts"),
      testOf("system/kill.test.ts"),
      testOf("rules/engine/killed.test.ts", { only: "kept in: journal" }),
      testOf("rules/engine/killed.test.ts", { only: "kept in: rows" }),
      testOf("system/notify-killed.test.ts"),
      testOf("system/readings-killed.test.ts", { only: "readings outlive" }),
      testOf("copies/standby/copy/kills.test.ts", { only: "killed at any moment" }),
    ],
  },
  {
    name: "restores",
    against: "a restore or an import that is killed, or an archive that was tampered with, leaves half a house",
    rounds: [
      testOf("system/restore.test.ts", { only: "a kill during" }),
      ({ seed }) => ({ args: ["test/bench/mutated-archives.ts", "100", String(seed)] }),
      testOf("system/import-homecore.test.ts", { only: "killed at any moment" }),
    ],
  },
  {
    name: "takeovers",
    against:
      'what was acknowledged with [standby] acknowledge = "standby" is lost by a take-over, or two are the hub at once',
    rounds: [
      run("test/interop/take-overs.ts", HUB, "1"),
      () => ({ args: ["test/interop/take-overs.ts", HUB, "1"], env: { TAKE_OVERS_MACHINES: "3" } }),
    ],
  },
  {
    name: "streams",
    against: "a message of an MQTT stream is lost, or delivered twice",
    rounds: [run("test/interop/streams.ts", HUB, "500")],
  },
  {
    name: "fuzz-http",
    against: "an odd request gets what it may not, no answer, or a 500",
    rounds: [bench("fuzz-http"), testOf("api/http/router.test.ts", { env: MANY })],
  },
  { name: "fuzz-mqtt", against: "an odd packet costs others a message", rounds: [bench("fuzz-mqtt")] },
  {
    name: "year",
    against: "a schedule, a wait or a timer is wrong in some year's time",
    isInProcess: true,
    rounds: [
      testOf("rules/engine/year-of-cuts.test.ts", { env: MANY }),
      (given) =>
        testOf("situations/a-year.test.ts", { only: one(PLACES, given), env: given.secs < 60 ? {} : MANY })(given),
    ],
  },
  {
    name: "soak",
    against: "memory grows by more than a megabyte an hour",
    isInProcess: true,
    rounds: [run("test/bench/soak.ts", "1")],
  },
  {
    name: "corpus",
    against: "a real device is read or commanded otherwise than its description says",
    rounds: [
      run("test/interop/names.ts", MODELS),
      run("test/interop/corpus.ts", MODELS, "both", HUB),
      run("test/interop/corpus.ts", join(CORPUS, "template-cases.jsonl.xz"), "templates"),
    ],
  },
  {
    name: "properties",
    against: "an example that nobody thought of breaks what holds for all",
    isInProcess: true,
    rounds: [(given) => testOf(one(propertyTests(), given), { env: MANY })(given)],
  },
  {
    name: "referee",
    against: "a real device is read otherwise than by Home Assistant",
    needs: "the network for Home Assistant, or REFEREE_PYTHON",
    rounds: [({ seed }) => ({ args: ["test/interop/referee.sh", HUB, "--models", "60", "--seed", String(seed)] })],
  },
  {
    name: "two-hubs",
    against: "two machines command at once, or a number of a sensor is lost",
    needs: "root, and the brokers and databases that test/interop/two-hubs.sh names",
    rounds: [
      ({ seed, secs }) => ({
        args: ["test/interop/two-hubs.sh", HUB, "--secs", String(Math.ceil(secs / 2)), "--seed", String(seed)],
      }),
    ],
  },
  {
    name: "telegram",
    against: "Telegram's own parser refuses what the hub writes",
    needs: "npm, for the parser",
    rounds: [run("test/interop/tdlib.ts")],
  },
  {
    name: "page",
    against: "the page falls behind, or grows, under 500 events a second",
    needs: "Chromium",
    rounds: [(given) => testOf("page/load.test.ts", { env: { PAGE_LOAD_SECONDS: String(given.secs) } })(given)],
  },
];

/** Files of tests below test/ whose examples are made up anew by each seed, but for those that other campaigns have, and
 * contract/, where they are few among much else. */
function propertyTests(): string[] {
  const folder = join(ROOT, "test");
  const files = [...new Bun.Glob("*/**/*.test.ts").scanSync(folder)].filter(
    (file) => !/^(?:contract|situations)|kills?/.test(file),
  );
  return files.filter((file) => readFileSync(join(folder, file), "utf8").includes('from "fast-check"')).sort();
}
