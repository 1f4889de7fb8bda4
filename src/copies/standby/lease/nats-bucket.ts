// A connection to one key of a bucket in NATS JetStream: opened when it is needed, on the next node of the cluster after whatever went
// wrong with it.
import type { KV, Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { leaseNodes, type StandbySection } from "../config.ts";
import type { EngineOptions } from "./engine-options.ts";

export interface NatsBucket {
  /** The last write, or that of a revision; `text` is undefined where it removed the value. Undefined where there is none. */
  get(revision?: number): Promise<{ revision: number; text: string | undefined } | undefined>;
  /** Makes the bucket if it is missing. The new revision; undefined where the last write is no longer of the revision `last`. */
  put(text: string, last: number): Promise<number | undefined>;
}

export interface NatsBuckets extends AsyncDisposable {
  readonly name: string;
  /** Rejects with HubError; `unavailable` where it takes longer than `withinMs`: then `put` does nothing any more. */
  run<T>(work: (bucket: NatsBucket) => Promise<T>): Promise<T>;
}

interface Open {
  connection: NatsConnection;
  kv: KV;
}

type Options = Pick<EngineOptions, "lease" | "config" | "ca" | "withinMs" | "clock">;

const KEY = "lease";
/** Of JetStream's API. */
const [NO_STREAM, OTHER_REVISION, OTHER_REVISION_UNKNOWN] = [10_059, 10_071, 10_164];
const [NO_CLUSTER, NO_PEERS, NOT_FOR_ACCOUNT] = [10_074, 10_005, 10_039];
const REPLICAS = 3;
/** So many writes may come in between two that a reader must know. */
const HISTORY = 64;

export function createNatsBucket({ lease, config, ca, withinMs, clock }: Options): NatsBuckets {
  const name = `hub_lease_${config.house}`;
  const nodes = leaseNodes(lease);
  let first = 0;
  let opening: Promise<Open> | undefined;
  let hasJetStream: boolean | undefined;

  async function connect(): Promise<Open> {
    const { connect } = await import("@nats-io/transport-node");
    let failure: unknown;
    for (let n = 0; n < nodes.length; n++) {
      const node = (first + n) % nodes.length;
      try {
        const connection = await connect(connectionOptions(nodes[node] ?? ""));
        first = node;
        hasJetStream = connection.info?.jetstream;
        // Answered by the leader: other nodes may be behind.
        return { connection, kv: await (await bucketsOn(connection)).open(name, { allow_direct: false }) };
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  function connectOnce(): Promise<Open> {
    const opened = connect();
    // A node that was stopped says goodbye: the next question need not find out.
    opened
      .then(({ connection }) => connection.closed())
      .then(
        () => drop(opened),
        () => {},
      );
    return opened;
  }

  async function bucketsOn(connection: NatsConnection): Promise<Kvm> {
    const [{ jetstream }, { Kvm }] = await Promise.all([import("@nats-io/jetstream"), import("@nats-io/kv")]);
    return new Kvm(jetstream(connection, { timeout: withinMs }));
  }

  function connectionOptions(node: string): Parameters<typeof import("@nats-io/transport-node").connect>[0] {
    const { username, password, token } = config;
    const isTls = node.startsWith("tls:") || ca !== undefined;
    return {
      servers: node.replace(/^tls:/, "nats:"),
      name: "hub",
      timeout: Math.max(300, Math.floor(withinMs / (nodes.length + 0.5))),
      reconnect: false,
      ...(username !== undefined && { user: username, pass: password ?? "" }),
      ...(token !== undefined && { token }),
      ...(isTls && { tls: ca === undefined ? {} : { ca } }),
    };
  }

  function drop(opened: Promise<Open> | undefined): void {
    opened?.then(({ connection }) => connection.close()).catch(() => {});
    if (opened !== opening) return;
    opening = undefined;
    // The next node's turn: this one may be cut off from the others.
    first = (first + 1) % nodes.length;
  }

  async function make(connection: NatsConnection): Promise<void> {
    const { info } = connection;
    const inCluster = info?.cluster === undefined ? 1 : Math.max(nodes.length, info.connect_urls?.length ?? 0);
    const buckets = await bucketsOn(connection);
    const create = (replicas: number) =>
      buckets.create(name, {
        replicas,
        history: HISTORY,
        allow_direct: false,
        description: "Which hub commands the house",
      });
    if (inCluster < REPLICAS) return void (await create(1));
    try {
      await create(REPLICAS);
    } catch (error) {
      const code = codeOf(error);
      if (code !== NO_CLUSTER && (code !== NO_PEERS || nodes.length >= REPLICAS)) throw error;
      await create(1);
    }
  }

  function bucketOf({ connection, kv }: Open, signal: AbortSignal): NatsBucket {
    let isMade = true;
    return {
      async get(revision) {
        signal.throwIfAborted();
        try {
          const entry = await kv.get(KEY, revision === undefined ? undefined : { revision });
          return entry
            ? { revision: entry.revision, text: entry.operation === "PUT" ? entry.string() : undefined }
            : undefined;
        } catch (error) {
          if (codeOf(error) !== NO_STREAM) throw error;
          isMade = false;
          return undefined;
        }
      },
      async put(text, last) {
        signal.throwIfAborted();
        if (!isMade) await make(connection);
        isMade = true;
        try {
          return await kv.put(KEY, text, { previousSeq: last });
        } catch (error) {
          const code = codeOf(error);
          if (code === OTHER_REVISION || code === OTHER_REVISION_UNKNOWN) return undefined;
          throw error;
        }
      },
    };
  }

  return {
    name,
    async run(work) {
      const deadline = new AbortController();
      const aborted = Promise.withResolvers<never>();
      aborted.promise.catch(() => {});
      const timer = clock.after("lease", withinMs, () => {
        deadline.abort(new HubError("unavailable", `the lease: ${lease} does not answer within ${withinMs / 1000} s`));
        aborted.reject(deadline.signal.reason);
      });
      opening ??= connectOnce();
      const opened = opening;
      try {
        return await Promise.race([opened.then((open) => work(bucketOf(open, deadline.signal))), aborted.promise]);
      } catch (error) {
        // Whatever else is wrong is not wrong with the connection.
        if (!(error instanceof HubError) || error === deadline.signal.reason) drop(opened);
        throw leaseFailure(error, { lease, config, hasJetStream });
      } finally {
        timer[Symbol.dispose]();
      }
    },
    async [Symbol.asyncDispose]() {
      drop(opening);
    },
  };
}

function codeOf(error: unknown): number | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "number" ? code : undefined;
}

interface Asked {
  lease: string;
  config: Pick<StandbySection, "username">;
  /** What the node said of itself; undefined where it was not reached. */
  hasJetStream: boolean | undefined;
}

function leaseFailure(error: unknown, { lease, config, hasJetStream }: Asked): HubError {
  if (error instanceof HubError) return error;
  const { name = "", code, cause } = (error ?? {}) as { name?: string; code?: unknown; cause?: unknown };
  const said = messageOf(error).replace(/\s+/g, " ").slice(0, 300);
  const fail = (errorCode: "config" | "unavailable", what: string) =>
    new HubError(errorCode, `the lease: NATS at ${lease} ${what}`, { cause: error });
  const names = [name, (cause as Error | undefined)?.name];
  if (names.includes("AuthorizationError"))
    return fail(
      "config",
      `does not accept ${config.username === undefined ? "this login" : `"${config.username}"`}: see username, password and token in [standby]`,
    );
  if (names.includes("PermissionViolationError"))
    return fail("config", `does not let this user do it (${said}): it needs $JS.API.>, $KV.> and _INBOX.>`);
  if (code === NOT_FOR_ACCOUNT || (name === "JetStreamNotEnabled" && hasJetStream !== true))
    return fail("config", "has no JetStream for this user: turn it on there (`jetstream {}` in its configuration)");
  if (code === NO_PEERS)
    return fail("unavailable", "has fewer than three nodes now, which the lease needs when it is made");
  if (/certificate|self.signed|CERT_|ALTNAME/i.test(`${String(code)} ${said}`))
    return fail("config", `has a certificate that is not trusted (${said}): see ca in [standby]`);
  return fail("unavailable", `does not answer: ${said}`);
}
