// People who change a house as fast as it answers, and note what it acknowledged; and what of that a hub has.
import type { HubProcess } from "../../support/hub-process.ts";

export interface Acknowledged {
  /** The last number that the variable of each writer was set to. */
  numbers: Map<string, number>;
  areas: string[];
  rules: string[];
  /** The last state of the mode; undefined where none was acknowledged, or another was asked for since. */
  mode: { id: string; on: boolean | undefined };
  count: number;
  /** Of answers that were no acknowledgement. */
  refused: Map<number, number>;
  /** What was done there: acknowledged, or said to be there alone. */
  done: Done[];
}

/** Monotonic ms. */
export interface Done {
  sentAt: number;
  answeredAt: number;
  isAcknowledged: boolean;
}

export interface Writers {
  /** Resolves when all have their last answer, however late that came; `withinMs`: after which nobody waits for one any more. */
  end(withinMs?: number): Promise<Acknowledged>;
  readonly done: readonly Done[];
}

export interface Written {
  /** `http://HOST:PORT/api/v1` */
  api: string;
  token: string;
  /** In the names of what they make: letters and digits. */
  name: string;
  /** The mode that they alone switch. */
  mode: string;
}

const PAUSE_MS = 20;
/** An answer of a hub that stood still counts as any other. */
const MAX_MS = 60_000;
/** It was done, and is on this machine alone. */
const UNCONFIRMED = 504;

export function startWriters({ api, token, name, mode }: Written): Writers {
  const over = new AbortController();
  const cutShort = new AbortController();
  const found: Acknowledged = {
    ...{ numbers: new Map(), areas: [], rules: [], mode: { id: mode, on: undefined } },
    ...{ count: 0, refused: new Map(), done: [] },
  };
  const send = createSender({ api, token, signal: cutShort.signal }, found);

  async function again(work: (count: number) => Promise<void>): Promise<void> {
    for (let count = 0; !over.signal.aborted; count++) {
      await work(count);
      await Bun.sleep(PAUSE_MS);
    }
  }

  const writing = Promise.all([
    ...["a", "b"].map((writer) =>
      again(async (count) => {
        if (await send("PUT", `/variables/${writer}_${name}`, { value: count }))
          found.numbers.set(`${writer}_${name}`, count);
      }),
    ),
    again(async (count) => {
      const area = `Room ${name} ${count}`;
      if (await send("POST", "/areas", { name: area })) found.areas.push(area);
    }),
    again(async (count) => {
      const title = `Rule ${name} ${count}`;
      const rule = {
        name: title,
        trigger: { type: "periodic", every_secs: 3600 },
        actions: [{ type: "log_message", message: title }],
      };
      if (await send("POST", "/rules", rule)) found.rules.push(title);
      await Bun.sleep(10 * PAUSE_MS);
    }),
    again(async (count) => {
      found.mode.on = undefined;
      const on = count % 2 === 0;
      if (await send("PATCH", `/devices/${mode}/state`, { on })) found.mode.on = on;
    }),
  ]);
  return {
    done: found.done,
    async end(withinMs) {
      over.abort();
      const timer = withinMs === undefined ? undefined : setTimeout(() => cutShort.abort(), withinMs);
      await writing;
      clearTimeout(timer);
      return found;
    },
  };
}

/** Resolves with whether it was acknowledged, and counts that. */
type Send = (method: string, path: string, body: unknown) => Promise<boolean>;

interface Way {
  api: string;
  token: string;
  signal: AbortSignal;
}

function createSender({ api, token, signal }: Way, found: Acknowledged): Send {
  return async (method, path, body) => {
    const sentAt = performance.now();
    try {
      const answer = await fetch(api + path, {
        ...{ method, body: JSON.stringify(body), redirect: "manual" },
        signal: AbortSignal.any([AbortSignal.timeout(MAX_MS), signal]),
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      });
      await answer.arrayBuffer();
      if (answer.ok) found.count++;
      else found.refused.set(answer.status, (found.refused.get(answer.status) ?? 0) + 1);
      if (answer.ok || answer.status === UNCONFIRMED)
        found.done.push({ sentAt, answeredAt: performance.now(), isAcknowledged: answer.ok });
      return answer.ok;
    } catch {
      // Nobody answers: it is gone.
      return false;
    }
  };
}

/** What was acknowledged and is not there. */
export async function lostOn(hub: HubProcess, { numbers, areas, rules, mode }: Acknowledged): Promise<string[]> {
  const variables = await hub.get<{ name: string; value: number }[]>("/variables");
  const lost = [...numbers].flatMap(([name, last]) => {
    const value = variables.find((one) => one.name === name)?.value ?? -1;
    return Array.from({ length: Math.max(0, last - value) }, (_, index) => `${name} = ${value + 1 + index}`);
  });
  const there = async (path: string): Promise<Set<string>> =>
    new Set((await hub.get<{ name: string }[]>(path)).map(({ name }) => name));
  const [roomsThere, rulesThere] = [await there("/areas"), await there("/rules")];
  lost.push(...areas.filter((name) => !roomsThere.has(name)), ...rules.filter((name) => !rulesThere.has(name)));
  const device = await hub.get<{ attributes: { on: boolean } }>(`/devices/${mode.id}`);
  if (mode.on !== undefined && device.attributes.on !== mode.on) lost.push(`${mode.id} = ${mode.on}`);
  return lost;
}

/** So that a house with many rounds does not grow. */
export async function removeAll(hub: HubProcess): Promise<void> {
  const areas = await hub.get<{ id: string; name: string }[]>("/areas");
  const rules = await hub.get<{ id: string; name: string }[]>("/rules");
  const variables = await hub.get<{ name: string }[]>("/variables");
  for (const { id, name } of areas) if (name.startsWith("Room ")) await hub.request("DELETE", `/areas/${id}`);
  for (const { id, name } of rules) if (name.startsWith("Rule ")) await hub.request("DELETE", `/rules/${id}`);
  for (const { name } of variables) await hub.request("DELETE", `/variables/${name}`);
}
