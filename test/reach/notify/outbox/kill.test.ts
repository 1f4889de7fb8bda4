// Real processes, killed at any moment: every stored message arrives, in order, and only the one being sent arrives twice.
import { expect, test } from "bun:test";
import { CAMPAIGN_MS, randomOf, rounds, tried } from "../../../support/campaign.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { until } from "../../../support/wait.ts";
import { startChild } from "./kill-rig.ts";

const MIN_KILLS = 10;

interface Service extends Disposable {
  readonly url: string;
  /** What the server of each channel accepted, in order. */
  readonly accepted: Record<string, number[]>;
}

/** Slow and busy now and then. */
function openService(): Service {
  const accepted: Service["accepted"] = { a: [], b: [] };
  let requests = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const channel = new URL(request.url).pathname.split("/")[1] ?? "";
      const message = new URLSearchParams(await request.text()).get("message");
      if (++requests % 100 === 0) return Response.json({ status: 0 }, { status: 503 });
      // A service that is slow now and then, before it takes the message and behind that: either may be where the hub is killed.
      if (requests % 3 === 0) await Bun.sleep(requests % 7);
      accepted[channel]?.push(Number(message));
      if (requests % 5 === 0) await Bun.sleep(requests % 11);
      return Response.json({ status: 1, request: "r" });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, accepted, [Symbol.dispose]: () => void server.stop(true) };
}

test(
  "killed while it posts and sends",
  async () => {
    using folder = createTemporaryFolder();
    using service = openService();
    const path = folder.at("state.redb");
    const kept: number[] = [];
    const moments = randomOf("moments of kills");
    let kills = 0;
    for (const round of rounds(MIN_KILLS)) {
      const child = startChild(path, service.url, `${round * 1_000_000}`, `${round * 1_000_000 + 100_000}`);
      const enough = 15 + moments.below(45);
      await until("so many are kept", () => child.kept().length >= enough);
      await child.kill();
      kept.push(...child.kept());
      kills = round + 1;
    }
    expect(await startChild(path, service.url).ended()).toBe(0);
    expect(kept.length).toBeGreaterThan(kills * 10);
    for (const numbers of Object.values(service.accepted)) {
      const once = [...new Set(numbers)];
      expect(once.filter((number) => kept.includes(number))).toEqual(kept);
      // A message that was stored at the moment of a kill may not have been reported.
      expect(once.length - kept.length).toBeLessThanOrEqual(kills);
      // In order; a copy follows directly behind the first.
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      expect(numbers.length - once.length).toBeLessThanOrEqual(kills);
    }
    tried(`${kills} kills; ${kept.length} messages`);
  },
  { timeout: 60_000 + 2 * CAMPAIGN_MS, retry: 0 },
);
