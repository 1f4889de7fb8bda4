// The hub, its standby and the lease's engine are machines of a network (test/interop/machines/network.ts), each of which can be cut off from
// each. People at both machines change the house all the time, so each round sees whether two are the hub at once.
import type { Random } from "../../support/random.ts";
import type { Side } from "../../support/two-machines.ts";
import { until } from "../../support/wait.ts";
import type { Machine } from "../machines/network.ts";
import { type Cut, cutsOf, NOTHING, WAYS } from "./cuts.ts";
import { type House, isReady, type Machines, MODES, type Round } from "./house.ts";
import { type Acknowledged, type Done, lostOn, removeAll, startWriters, type Writers } from "./writers.ts";

interface Network {
  random: Random;
  leaseMs: number;
  machineOf(side: Side): Machine;
  engine: readonly Machine[];
}

const DEATHS = ["kill", "stop", "pause"] as const;
/** Of the network alone, where that ends the hub: twice as often as each of the others. */
const ENDS = ["cut", "cut", ...DEATHS] as const;
type End = (typeof ENDS)[number];

const MAX_CUT_MS = 12_000;
const MAX_ALIVE_MS = 6000;
/** A change that the other machine does not confirm is answered after three seconds; a busy machine is late. */
const ANSWERS_WITHIN_MS = { confirms: 2500, alone: 5000 } as const;
/** Of what is on its way when a round is over. */
const LAST_ANSWERS_MS = 2000;
const TAKES_OVER_MS = 90_000;

export const houseOnThreeMachines = (network: Network): House => ({
  round: (machines, number) => round(network, machines, number),
});

interface Plan {
  cut: Cut;
  end: End;
  /** Undefined: until the other machine is the hub. */
  cutMs: number | undefined;
  aliveMs: number;
}

function planOf({ random, leaseMs, machineOf, engine }: Network, { hub, standby }: Machines, number: number): Plan {
  const cuts = cutsOf({ hub: machineOf(hub), standby: machineOf(standby), engine }, random.pick(WAYS));
  const cut = cuts[number % cuts.length] ?? random.pick(cuts);
  const end = random.pick(cut.hub === "ends" ? ENDS : DEATHS);
  const aliveMs = random.below(MAX_ALIVE_MS);
  const isLasting = cut.name === NOTHING || (!cut.isInTheWay && random.below(3) === 0);
  if (isLasting) return { cut, end, aliveMs, cutMs: undefined };
  // About when the lease ends, either machine may be quicker.
  const isClose = cut.hub === "ends" && random.chance(0.5);
  return { cut, end, aliveMs, cutMs: isClose ? leaseMs - 1000 + random.below(3000) : random.below(MAX_CUT_MS) };
}

async function round(network: Network, machines: Machines, number: number): Promise<Round> {
  const { hub, standby } = machines;
  const { cut, end, cutMs, aliveMs } = planOf(network, machines, number);
  await isReady(machines, true);
  const token = await hub.process.adminToken();
  const at = ({ address }: Side, which: 0 | 1): Writers =>
    startWriters({ api: `${address}/api/v1`, token, name: `${number}${"ab"[which]}`, mode: MODES[which] });
  const [here, there] = [at(hub, 0), at(standby, 1)];
  await Bun.sleep(300 + network.random.below(1500));

  const cutAt = performance.now();
  cut.set(true);
  const over = cutMs === undefined ? undefined : Bun.sleep(cutMs).then(() => cut.set(false));
  let goneAt = Number.POSITIVE_INFINITY;
  let ended = end;
  if (end === "cut") {
    await over;
    if (over && (await outlives(network, machines, here))) ended = "kill";
  } else {
    await Bun.sleep(aliveMs);
    if (cut.hub !== "ends") goesOn(cut.hub, { here, there, forMs: performance.now() - cutAt });
  }
  if (ended !== "cut") goneAt = performance.now();
  await endHub(ended, hub);
  await standby.isHub(TAKES_OVER_MS);
  const tookOverAt = performance.now();
  // Otherwise it may have heard since what people sent meanwhile.
  if (cut.isSilent && (cutMs === undefined || tookOverAt < cutAt + cutMs)) goneAt = cutAt;
  await over;
  if (!over) cut.set(false);
  await until("the new hub does what people say", () => there.done.length > 0);
  await comesBack(ended, machines);
  const [former, present] = await Promise.all([here.end(LAST_ANSWERS_MS), there.end(LAST_ANSWERS_MS)]);
  const result: Round = {
    end: `${cut.name}${cutMs === undefined ? "" : ` for ${(cutMs / 1000).toFixed(1)} s`}, ${end === ended ? end : "went on, kill"}`,
    acknowledged: former.count + present.count,
    refused: added(former, present),
    lost: [...(await lostOn(standby.process, former)), ...(await lostOn(standby.process, present))],
    late: lateOf(former.done, {
      ...{ goneAt, isSlow: cut.isSilent === true || end === "pause" },
      newAt: Math.min(tookOverAt, ...present.done.map(({ answeredAt }) => answeredAt)),
    }),
  };
  await removeAll(standby.process);
  return result;
}

/** Whether the hub is the hub still, when the network is whole again: not where the other machine has taken over. */
async function outlives({ leaseMs }: Network, { standby }: Machines, here: Writers): Promise<boolean> {
  const settled = performance.now() + leaseMs + 1000;
  const isWell = (): boolean => performance.now() > settled && (here.done.at(-1)?.answeredAt ?? 0) > settled;
  const isTaken = async (): Promise<boolean> => {
    const answer = await fetch(`${standby.address}/api/v1/health`, { signal: AbortSignal.timeout(1000) }).catch(
      () => undefined,
    );
    const health = (await answer?.json()) as { role?: string; ready?: boolean } | undefined;
    return health?.ready === true && health.role === undefined;
  };
  let isIt: boolean | undefined;
  await until(
    "one of them is the hub again",
    async () => {
      if (await isTaken()) isIt = false;
      else if (isWell()) isIt = true;
      return isIt !== undefined;
    },
    { timeoutMs: TAKES_OVER_MS, everyMs: 50 },
  );
  return isIt === true;
}

/** Throws where the hub did not do what it promises, or the other machine did something before that was its turn. */
function goesOn(
  promised: "confirms" | "alone",
  { here, there, forMs }: { here: Writers; there: Writers; forMs: number },
): void {
  if (there.done.length > 0)
    throw new Error(`the other machine took over ${Math.round(forMs)} ms after a cut that the hub goes on in`);
  const now = performance.now();
  const last = here.done.findLast(({ isAcknowledged }) => isAcknowledged || promised === "alone");
  const silentMs = now - (last?.answeredAt ?? 0);
  if (silentMs > ANSWERS_WITHIN_MS[promised])
    throw new Error(
      `the hub ${promised} nothing for ${Math.round(silentMs)} ms, ${Math.round(forMs)} ms after the cut`,
    );
}

async function endHub(end: End, { process }: Side): Promise<void> {
  if (end === "cut") return;
  process.kill(end === "stop" ? "SIGTERM" : end === "pause" ? "SIGSTOP" : "SIGKILL");
  if (end !== "pause") await process.exited;
}

/** As the standby, by itself. */
async function comesBack(end: End, { hub }: Machines): Promise<void> {
  if (end === "kill" || end === "stop") await hub.start();
  if (end === "pause") hub.process.kill("SIGCONT");
  await hub.isWhole(60_000);
}

interface Moments {
  /** Of the new hub. */
  newAt: number;
  /** From which on the former one hears nobody until then. */
  goneAt: number;
  /** What it had said may have been on its way since: it stood still, or its cable was out. */
  isSlow: boolean;
}

/** What the former hub did after there was the new one. */
function lateOf(done: readonly Done[], { newAt, goneAt, isSlow }: Moments): string[] {
  return done
    .filter(
      ({ sentAt, answeredAt, isAcknowledged }) =>
        answeredAt > newAt && (sentAt > Math.min(newAt, goneAt) || (isAcknowledged && !isSlow)),
    )
    .map(({ sentAt, answeredAt, isAcknowledged }) => {
      const ms = (at: number): string => `${Math.round(at - newAt)} ms`;
      return `sent at ${ms(sentAt)}, ${isAcknowledged ? "acknowledged" : "done alone"} at ${ms(answeredAt)}`;
    });
}

function added({ refused }: Acknowledged, other: Acknowledged): Map<number, number> {
  const sum = new Map(refused);
  for (const [status, times] of other.refused) sum.set(status, (sum.get(status) ?? 0) + times);
  return sum;
}
