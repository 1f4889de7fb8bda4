// The lease as one value in a bucket of NATS JetStream. Each write says which one it replaces, and everybody who reads goes through the
// last writes in their order: one that does not replace the last valid one is none. So of several that arrive together, or late, after
// their senders gave up waiting, one counts. The server is asked for the same (`previousSeq`), but a cluster looks at that condition
// before it orders the writes, not after (nats-server issues 4320 and 8469): twenty at once may all be answered yes.
//
// No clock of a node counts either, which may differ in a cluster: whoever wants the lease must have seen the value unchanged for as
// long as it holds. Its holder counts from before it wrote that value, and so stops earlier, also where it did not get the answer.
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { HubError } from "../../../kit/schema/errors.ts";
import { secret } from "../../../kit/schema/ids.ts";
import { parseJson } from "../../../kit/schema/json.ts";
import type { EngineOptions } from "./engine-options.ts";
import type { LeaseEngine, LeaseRow, Machine, Taken } from "./lease.ts";
import { createNatsBucket, type NatsBucket } from "./nats-bucket.ts";
import { createWitness } from "./witness.ts";

const Stored = Type.Object({
  holder: Type.Object({ id: Type.String(), name: Type.String(), address: Type.String() }),
  epoch: Type.Integer({ minimum: 1 }),
  standby: Type.Union([Type.String(), Type.Null()]),
  /** From when it was written; 0 where it was given up. */
  ttl_ms: Type.Number({ minimum: 0 }),
  /** The revision of the valid value before; 0 where there was none. */
  replaces: Type.Integer({ minimum: 0 }),
  /** Distinguishes two writes where a bucket was removed and counts its revisions anew. */
  mark: Type.String(),
});

interface Found {
  /** Of the last write, valid or not; 0 where there was none. */
  last: number;
  /** Of the last valid one. */
  valid: number;
  mark: string | undefined;
  row: LeaseRow | undefined;
}

interface Terms {
  holder: Machine;
  epoch: number;
  standby: string | undefined;
  ttlMs: number;
}

interface Write {
  revision: number;
  value: Static<typeof Stored>;
}

/** `writes` are all after `base`, which is valid: the last of them says so. */
function lastValid(writes: Write[], base: number): Write | undefined {
  let valid: Write | undefined;
  for (const write of writes) if (write.value.replaces === (valid?.revision ?? base)) valid = write;
  return valid;
}

export function openNatsLease(options: EngineOptions): LeaseEngine {
  const { lease, clock, random } = options;
  const bucket = createNatsBucket(options);
  const witness = createWitness(clock, lease);

  function stored(text: string): Static<typeof Stored> {
    const parsed = parseJson(text);
    if (parsed.ok && Value.Check(Stored, parsed.value)) return parsed.value;
    throw new HubError("config", `the lease: the bucket ${bucket.name} at ${lease} is used by something else`);
  }

  async function find({ get }: NatsBucket): Promise<Found> {
    const last = await get();
    if (last?.text === undefined)
      return { last: last?.revision ?? 0, valid: last?.revision ?? 0, mark: undefined, row: undefined };
    const newest = { revision: last.revision, value: stored(last.text) };
    const writes = [newest];
    for (let revision = last.revision - 1; revision > newest.value.replaces; revision--) {
      const between = await get(revision);
      if (between?.text === undefined) break;
      writes.unshift({ revision, value: stored(between.text) });
    }
    const { revision: valid, value } = lastValid(writes, newest.value.replaces) ?? newest;
    const { holder, epoch, standby, ttl_ms, mark } = value;
    const row = { holder, epoch, standby: standby ?? undefined, leftMs: witness.leftMs(mark, ttl_ms, 0) };
    return { last: last.revision, valid, mark, row };
  }

  async function put(open: NatsBucket, { last, valid }: Found, terms: Terms): Promise<boolean> {
    const { holder, epoch, standby, ttlMs } = terms;
    const mark = secret(random, 9);
    const value = { holder, epoch, standby: standby ?? null, ttl_ms: ttlMs, replaces: valid, mark };
    const revision = await open.put(JSON.stringify(value), last);
    if (revision === undefined) return false;
    return revision === last + 1 || (await find(open)).mark === mark;
  }

  /** `decide` gives what is to be written, or the result where nothing is; again where somebody else wrote in between. */
  function change<T>(decide: (found: Found) => { write: Terms; result: T } | { result: T }): Promise<T> {
    return bucket.run(async (open) => {
      for (;;) {
        const found = await find(open);
        const decision = decide(found);
        if (!("write" in decision) || (await put(open, found, decision.write))) return decision.result;
      }
    });
  }

  return {
    url: lease,
    read: () => bucket.run(async (open) => (await find(open)).row),
    take: (machine, ttlMs, known = 0) =>
      change<Taken>(({ row }) => {
        witness.mayTake(row, { known, ttlMs });
        const isOwn = row?.holder.id === machine.id;
        if (row && !isOwn && (row.standby !== machine.id || row.leftMs > 0)) return { result: { ok: false, row } };
        const epoch = Math.max(row?.epoch ?? 0, known) + 1;
        const standby = isOwn ? row.standby : undefined;
        const write = { holder: machine, epoch, standby, ttlMs };
        return { write, result: { ok: true, epoch, standby, askedAt: clock.mono() } };
      }),
    renew: ({ machine, epoch, standby, ttlMs }) =>
      change<boolean>(({ row }) => {
        // A cluster that was set back to an earlier state still names the holder, in an earlier epoch.
        if (row && (row.holder.id !== machine.id || row.epoch > epoch)) return { result: false };
        return { write: { holder: machine, epoch, standby, ttlMs }, result: true };
      }),
    giveUp: ({ machine, epoch }) =>
      change<void>(({ row }) => {
        if (row?.holder.id !== machine.id || row.epoch !== epoch) return { result: undefined };
        return { write: { holder: machine, epoch, standby: row.standby, ttlMs: 0 }, result: undefined };
      }),
    [Symbol.asyncDispose]: () => bucket[Symbol.asyncDispose](),
  };
}
