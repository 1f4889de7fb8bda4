// A standby of the tests' own that follows a hub, keeps a copy, and confirms what it has.
import type { StandbyMachine } from "../../src/copies/standby/protocol.ts";
import { type AssembledCopy, assembleCopy } from "./assemble-copy.ts";

export interface FakeStandby extends AsyncDisposable {
  readonly copy: AssembledCopy;
  /** It asks again and again while this is so; true at first. */
  follows: boolean;
}

interface Following {
  /** Of the hub. */
  api: string;
  /** Of the pairing. */
  key: string;
  /** For the copy. */
  folder: string;
}

const HOLD_MS = 200;
const PAUSE_MS = 5;

export function followAs(machine: StandbyMachine, { api, key, folder }: Following): FakeStandby {
  const copy = assembleCopy(folder, { ...machine, address: machine.address });
  const over = new AbortController();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };

  async function ask(body: unknown): Promise<Uint8Array | undefined> {
    const answer = await fetch(`${api}/standby/sync`, { method: "POST", headers, body: JSON.stringify(body) });
    return answer.ok ? await answer.bytes() : undefined;
  }

  async function follow(): Promise<void> {
    let confirms: number | undefined;
    let holdMs = 0;
    while (!over.signal.aborted) {
      const request = { ...copy.request(), ...(confirms !== undefined && { confirms }), holdMs };
      const bytes = self.follows ? await ask(request).catch(() => undefined) : undefined;
      // What came while it stood still is lost.
      if (!bytes || !self.follows) {
        await Bun.sleep(PAUSE_MS);
        continue;
      }
      const isWhole = copy.apply(bytes);
      if (isWhole) confirms = copy.request().turn;
      holdMs = isWhole ? HOLD_MS : 0;
    }
  }

  const self: FakeStandby = {
    copy,
    follows: true,
    async [Symbol.asyncDispose]() {
      over.abort();
      await following;
    },
  };
  const following = follow();
  return self;
}
