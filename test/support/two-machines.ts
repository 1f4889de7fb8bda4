// Two machines of one house on this one: the compiled hub in two homes, one of which is the standby of the other.
import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { createHubPlace, type HubPlace, type HubSettings, type Ran } from "./hub-place.ts";
import { type HubProcess, spawnHub } from "./hub-process.ts";
import { until } from "./wait.ts";

export interface StandbyStatus {
  running: boolean;
  role: "hub" | "standby";
  epoch: number;
  copy: { whole: boolean; history_whole: boolean; behind_secs: number | null };
  standby: { whole: boolean; behind_secs: number | null } | null;
  takes_over: string | null;
  problem: string | null;
}

export interface Side {
  readonly place: HubPlace;
  /** The process that runs there now, or ran last. */
  readonly process: HubProcess;
  /** `http://127.0.0.1:PORT`, as the standby and as the hub. */
  readonly address: string;
  /** `hub standby WORD…` of the running process. */
  standby(...words: string[]): Promise<Ran>;
  status(): Promise<StandbyStatus>;
  /** Waits until it is the hub, and says so over the API. */
  isHub(timeoutMs?: number): Promise<void>;
  /** Waits until it is the standby with a whole copy. */
  isWhole(timeoutMs?: number): Promise<void>;
  /** Waits until a query finds a row in the state database of its copy. */
  hasCopied(query: string): Promise<void>;
  /** Starts `hub serve` there, whatever it is then. */
  start(): Promise<void>;
}

export interface TwoMachines extends AsyncDisposable {
  /** Began as the hub. */
  readonly first: Side;
  /** Began as the standby. */
  readonly second: Side;
}

const ANSWERS = /(?:the API answers|this machine is the standby) .*?port=(\d+)/;

/** `hub`: of the first machine's hub.toml. */
export async function createTwoMachines(
  { hub = {}, options = [] }: { hub?: HubSettings; options?: string[] } = {},
  binary?: string,
): Promise<TwoMachines> {
  const stack = new AsyncDisposableStack();
  try {
    const [one, two] = [hub, {}].map((settings) => stack.use(createHubPlace(settings, undefined, binary)));
    if (!one || !two) throw new Error("there are two");
    const first = sideOf(one, stack);
    const second = sideOf(two, stack);
    await first.start();
    await first.isHub();
    two.admin = one.admin;
    const paired = await two.run(["standby", "--of", first.address, "--pair-only", ...options], {
      stdin: `${one.admin?.password}\n`,
    });
    if (paired.code !== 0) throw new Error(paired.stderr);
    await second.start();
    return { first, second, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

function sideOf(place: HubPlace, stack: AsyncDisposableStack): Side {
  let process: HubProcess | undefined;
  const running = (): HubProcess => {
    if (!process) throw new Error("nothing was started there");
    return process;
  };

  const side: Side = {
    place,
    get process() {
      return running();
    },
    get address() {
      return `http://127.0.0.1:${ANSWERS.exec(running().output)?.[1]}`;
    },
    standby: (...words) => place.run(["standby", ...words, "--url", side.address]),
    async status() {
      const { stdout, stderr } = await side.standby("status", "--json");
      if (stdout === "") throw new Error(stderr);
      return JSON.parse(stdout) as StandbyStatus;
    },
    async isHub(timeoutMs = 45_000) {
      const ready = async (): Promise<boolean> => {
        const answer = await fetch(`${side.address}/api/v1/health`).catch(() => undefined);
        const health = (await answer?.json()) as { role?: string; ready?: boolean } | undefined;
        return health?.ready === true && health.role === undefined;
      };
      await until("it is the hub", ready, { timeoutMs, everyMs: 50 }).catch((error: unknown) => {
        throw new Error(`${error}\n${running().output.slice(-4000)}`);
      });
      const [, username, password] = /^username: (\S+)\npassword: (\S+)$/m.exec(running().output) ?? [];
      if (username && password) place.admin = { username, password };
    },
    async isWhole(timeoutMs = 45_000) {
      const look = async (): Promise<boolean> => {
        const { copy, problem } = await side.status().catch(() => ({ copy: undefined, problem: "silent" }));
        return copy?.whole === true && copy.history_whole && problem === null;
      };
      await until("its copy is whole", look, { timeoutMs, everyMs: 200 }).catch((error: unknown) => {
        throw new Error(`${error}\n${running().output.slice(-4000)}`);
      });
    },
    async hasCopied(query) {
      await until(`the copy has ${query}`, () => rowIn(place.at("data", "state.redb"), query), { everyMs: 100 });
    },
    async start() {
      const started = spawnHub(place);
      process = started;
      stack.use(started);
      await until("it answers", () => ANSWERS.test(started.output), { everyMs: 20 }).catch((error: unknown) => {
        throw new Error(`${error}\n${started.output.slice(-4000)}`);
      });
    },
  };
  return side;
}

/** From the bytes alone: opening the file would leave others beside it. */
function rowIn(path: string, query: string): unknown {
  try {
    const bytes = readFileSync(path);
    // Not written ahead: there is no such file for bytes.
    bytes.fill(1, 18, 20);
    using db = Database.deserialize(bytes);
    return db.query(query).get();
  } catch {
    // It is being written.
    return undefined;
  }
}
