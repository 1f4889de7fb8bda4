// Two machines of one house on this one: the compiled hub in two homes, one of which is the standby of the other.
import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { createHubPlace, type HubPlace, type HubSettings, type Ran } from "./hub-place.ts";
import { HERE, type HubProcess, type OtherMachine, spawnHub } from "./hub-process.ts";
import { until } from "./wait.ts";

export interface StandbyStatus {
  running: boolean;
  role: "hub" | "standby";
  epoch: number;
  copy: { whole: boolean; history_whole: boolean; history_through: string | null; behind_secs: number | null };
  standby: { whole: boolean; behind_secs: number | null } | null;
  /** Of the standby. */
  lease?: { left_secs: number | null } | null;
  takes_over: string | null;
  problem: string | null;
}

export interface Side {
  readonly place: HubPlace;
  /** The process that runs there now, or ran last. */
  readonly process: HubProcess;
  /** `http://127.0.0.1:PORT`, as the standby and as the hub; or at the address of its machine. */
  readonly address: string;
  /** `hub standby WORD…` of the running process. */
  standby(...words: string[]): Promise<Ran>;
  status(): Promise<StandbyStatus>;
  /** What the standby answers to `hub standby status`, without a process for each look; undefined while it is none. */
  look(): Promise<StandbyStatus | undefined>;
  /** Waits until it is the hub, and says so over the API. */
  isHub(timeoutMs?: number): Promise<void>;
  /** Waits until it is the standby with a whole copy. */
  isWhole(timeoutMs?: number): Promise<void>;
  /** Waits until a query finds a row in the state database of its copy. */
  hasCopied(query: string): Promise<void>;
  /** Starts `hub serve` there, whatever it is then; of the executable in its home once `upgrade` has put one there. */
  start(): Promise<void>;
  /** `hub upgrade FILE` there, while nothing runs. */
  upgrade(file: string): Promise<void>;
}

export interface TwoMachines extends AsyncDisposable {
  /** Began as the hub. */
  readonly first: Side;
  /** Began as the standby. */
  readonly second: Side;
  /** One more, of the same administrator, where nothing was done yet. */
  another(): Side;
}

const ANSWERS = /(?:the API answers|this machine is the standby) .*?port=(\d+)/;

export interface TwoMachinesOptions {
  /** Of the first machine's hub.toml. */
  hub?: HubSettings;
  /** Of `hub standby --of`. */
  options?: string[];
  /** Of what runs on the first machine, and on the second. */
  env?: [Record<string, string>, Record<string, string>];
  /** Where that of the second machine is, without a copy of the executable. */
  secondHome?: string;
  /** On which they are, where it is not this one: then both listen where `hub` says. */
  machines?: readonly [OtherMachine, OtherMachine];
}

export async function createTwoMachines(
  { hub = {}, options = [], env = [{}, {}], secondHome, machines = [HERE, HERE] }: TwoMachinesOptions = {},
  binary?: string,
): Promise<TwoMachines> {
  const stack = new AsyncDisposableStack();
  try {
    const one = stack.use(createHubPlace(hub, undefined, binary, machines[0]));
    const two = stack.use(createHubPlace({ host: hub.host, port: hub.port }, secondHome, binary, machines[1]));
    if (secondHome !== undefined) two.put("bin/hub", "");
    const first = sideOf(one, stack, env[0]);
    const second = sideOf(two, stack, env[1]);
    await one.layOut();
    await first.start();
    await first.isHub();
    two.admin = one.admin;
    const paired = await two.run(["standby", "--of", first.address, "--pair-only", ...options], {
      stdin: `${one.admin?.password}\n`,
    });
    if (paired.code !== 0) throw new Error(paired.stderr);
    // It did not know of a second machine.
    if (paired.stderr.includes("starts again"))
      await until("it is up again", () => first.process.output.split("the hub is up ms=").length === 3);
    await second.start();
    const another = (): Side => {
      const place = stack.use(createHubPlace({}, undefined, binary));
      place.admin = one.admin;
      return sideOf(place, stack, {});
    };
    return { first, second, another, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

function sideOf(place: HubPlace, stack: AsyncDisposableStack, env: Record<string, string>): Side {
  let process: HubProcess | undefined;
  let upgraded: string | undefined;
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
      return `http://${place.machine.address}:${ANSWERS.exec(running().output)?.[1]}`;
    },
    standby: (...words) => place.run(["standby", ...words, "--url", side.address]),
    async status() {
      const { stdout, stderr } = await side.standby("status", "--json");
      if (stdout === "") throw new Error(stderr);
      return JSON.parse(stdout) as StandbyStatus;
    },
    look: () => askStandby(side),
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
      let seen: StandbyStatus | undefined;
      const isWhole = async (): Promise<boolean> => {
        seen = await side.look();
        const { copy, problem } = seen ?? {};
        return copy?.whole === true && copy.history_whole && problem === null;
      };
      await until("its copy is whole", isWhole, { timeoutMs, everyMs: 50 }).catch((error: unknown) => {
        throw new Error(`${error}: ${JSON.stringify(seen)}\n${running().output.slice(-4000)}`);
      });
    },
    async hasCopied(query) {
      await until(`the copy has ${query}`, () => rowIn(place.at("data", "state.redb"), query), { everyMs: 50 });
    },
    async start() {
      const started = spawnHub(upgraded === undefined ? place : { ...place, binary: upgraded }, { env });
      process = started;
      stack.use(started);
      await until("it answers", () => ANSWERS.test(started.output), { everyMs: 20 }).catch((error: unknown) => {
        throw new Error(`${error}\n${started.output.slice(-4000)}`);
      });
    },
    async upgrade(file) {
      const { code, stderr } = await place.run(["upgrade", file]);
      if (code !== 0) throw new Error(stderr);
      upgraded = place.at("bin", "hub");
    },
  };
  return side;
}

async function askStandby({ place, address }: Side): Promise<StandbyStatus | undefined> {
  try {
    const { role, other } = JSON.parse(place.read("data", "standby.json"));
    if (role !== "standby") return undefined;
    const answer = await fetch(`${address}/api/v1/standby`, { headers: { authorization: `Bearer ${other.key}` } });
    return answer.ok ? ((await answer.json()) as StandbyStatus) : undefined;
  } catch {
    // It changes its role, or starts.
    return undefined;
  }
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
