// People who change a house as fast as it answers, and note what it acknowledged; and what of that a hub has.
import type { HubProcess } from "../../support/hub-process.ts";

export interface Acknowledged {
  /** The last number that the variable of each writer was set to. */
  numbers: Map<string, number>;
  areas: string[];
  rules: string[];
  /** The last state of the mode; undefined where none was acknowledged, or another was asked for since. */
  mode: boolean | undefined;
  count: number;
  /** Of answers that were no acknowledgement. */
  refused: Map<number, number>;
}

export interface Writers {
  /** Resolves when all have their last answer, however late that came. */
  end(): Promise<Acknowledged>;
  readonly count: number;
}

const MODE = "away";
const PAUSE_MS = 20;
/** An answer of a hub that stood still counts as any other. */
const MAX_MS = 60_000;

export async function startWriters(hub: HubProcess, round: number): Promise<Writers> {
  const over = new AbortController();
  const found: Acknowledged = {
    ...{ numbers: new Map(), areas: [], rules: [], mode: undefined, count: 0, refused: new Map() },
  };
  const token = await hub.adminToken();
  // The process may be gone, and its port another one's, before the last answer.
  const { api } = hub;

  async function send(method: string, path: string, body: unknown): Promise<boolean> {
    try {
      const answer = await fetch(api + path, {
        ...{ method, body: JSON.stringify(body), signal: AbortSignal.timeout(MAX_MS) },
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      });
      await answer.arrayBuffer();
      if (answer.ok) found.count++;
      else found.refused.set(answer.status, (found.refused.get(answer.status) ?? 0) + 1);
      return answer.ok;
    } catch {
      // Nobody answers: it is gone.
      return false;
    }
  }

  async function again(work: (count: number) => Promise<void>): Promise<void> {
    for (let count = 0; !over.signal.aborted; count++) {
      await work(count);
      await Bun.sleep(PAUSE_MS);
    }
  }

  const writing = Promise.all([
    ...["a", "b"].map((writer) =>
      again(async (count) => {
        if (await send("PUT", `/variables/${writer}_${round}`, { value: count }))
          found.numbers.set(`${writer}_${round}`, count);
      }),
    ),
    again(async (count) => {
      const name = `Room ${round} ${count}`;
      if (await send("POST", "/areas", { name })) found.areas.push(name);
    }),
    again(async (count) => {
      const name = `Rule ${round} ${count}`;
      const rule = {
        name,
        trigger: { type: "periodic", every_secs: 3600 },
        actions: [{ type: "log_message", message: name }],
      };
      if (await send("POST", "/rules", rule)) found.rules.push(name);
      await Bun.sleep(10 * PAUSE_MS);
    }),
    again(async (count) => {
      found.mode = undefined;
      const on = count % 2 === 0;
      if (await send("PATCH", `/devices/${MODE}/state`, { on })) found.mode = on;
    }),
  ]);
  return {
    get count() {
      return found.count;
    },
    async end() {
      over.abort();
      await writing;
      return found;
    },
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
  const device = await hub.get<{ attributes: { on: boolean } }>(`/devices/${MODE}`);
  if (mode !== undefined && device.attributes.on !== mode) lost.push(`${MODE} = ${mode}`);
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
