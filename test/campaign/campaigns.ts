// What is long and random, cut into rounds of some seconds each. A round is repeatable by its seed.
import { join } from "node:path";

export interface Command {
  /** Behind `bun`, or a script's path with what it is given. */
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}

export type Round = (seed: number) => Command;

export interface Campaign {
  name: string;
  /** What must not happen, for its table. */
  against: string;
  /** In turn, until the time is over. */
  rounds: readonly Round[];
}

const ROOT = join(import.meta.dir, "..", "..");
const HUB = join(ROOT, "bin", "hub");
const CORPUS = join(ROOT, "..", "shared", "corpus");

const testOf =
  (file: string, env: Readonly<Record<string, string>> = {}): Round =>
  (seed) => ({ args: ["test", `./test/${file}`, "--timeout", "600000"], env: { PROPERTY_SEED: String(seed), ...env } });
const bun =
  (...args: readonly string[]): Round =>
  (seed) => ({ args: args.map((one) => (one === "SEED" ? String(seed) : one)) });
const bench = (name: string): Round =>
  bun("test/bench/run.ts", name, "--brief", "--seed", "SEED", "--results", "RESULTS");
const shell =
  (script: string, ...args: readonly string[]): Round =>
  (seed) => ({ args: [script, ...args.map((one) => (one === "SEED" ? String(seed) : one))] });

const KILLS = { HUB_KILL_ROUNDS: "8" };
const MANY = { CAMPAIGN_SCALE: "10" };

export const CAMPAIGNS: readonly Campaign[] = [
  {
    name: "kills",
    against: "what was acknowledged is lost, or done twice, by a kill",
    rounds: [
      testOf("system/kill.test.ts", KILLS),
      testOf("system/notify-killed.test.ts", KILLS),
      testOf("system/readings-killed.test.ts", KILLS),
      testOf("rules/engine/killed.test.ts", KILLS),
    ],
  },
  {
    name: "restores",
    against: "a restore that is killed, or an archive that was tampered with, leaves half a house",
    rounds: [testOf("system/restore.test.ts", KILLS), bun("test/bench/mutated-archives.ts", "150", "SEED")],
  },
  {
    name: "streams",
    against: "a message of a recorded MQTT stream is lost, or delivered twice",
    rounds: [bun("test/interop/streams.ts", HUB, "300")],
  },
  {
    name: "fuzz-http",
    against: "an odd request gets what it may not, no answer, or a 500",
    rounds: [bench("fuzz-http"), testOf("http/router.test.ts", MANY)],
  },
  { name: "fuzz-mqtt", against: "an odd packet costs others a message", rounds: [bench("fuzz-mqtt")] },
  {
    name: "year",
    against: "a schedule, a wait or a timer is wrong in some year's time",
    rounds: [testOf("house/a-year.test.ts", MANY), testOf("rules/engine/year-of-cuts.test.ts", MANY)],
  },
  { name: "soak", against: "memory grows by more than a megabyte an hour", rounds: [bun("test/bench/soak.ts", "6")] },
  {
    name: "corpus",
    against: "a real device is read otherwise than by Home Assistant, or by its own description",
    rounds: [
      shell("test/interop/referee.sh", HUB, "--models", "60", "--seed", "SEED"),
      bun("test/interop/corpus.ts", join(CORPUS, "z2m.jsonl.xz"), "exposes", HUB),
      bun("test/interop/corpus.ts", join(CORPUS, "z2m.jsonl.xz"), "homeassistant", HUB),
    ],
  },
  {
    name: "two-hubs",
    against: "two machines command at once, or a number of a sensor is lost",
    rounds: [shell("test/interop/two-hubs.sh", HUB, "--secs", "20", "--seed", "SEED")],
  },
];
