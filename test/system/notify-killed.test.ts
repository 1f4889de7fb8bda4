// Rules that send messages, with and without waits, on the compiled hub that is killed at random moments: a real service gets each
// message of each firing, and the outbox had it once: what comes twice has the id of the first. `bun run campaign kills`
// kills it for longer.
import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { hookChannel, hookedRule, hookOf } from "../reach/notify/notices/rule-texts.ts";
import { serveHttp } from "../reach/notify/rig.ts";
import { CAMPAIGN_MS, randomOf, rounds, tried } from "../support/campaign.ts";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

const MIN_KILLS = 8;
const MAX_MS = 1200;

const rule = (id: keyof typeof RULES): string =>
  hookedRule(id, "[variables]\nturn = 0\n", `run_mode = "parallel"\n${RULES[id]}`);

const say = (message: string, more = ""): string =>
  `{ type = "notify", channel = "one", message = "${message} {{trigger.body.n}}"${more} }`;
const wait = (secs: number): string => `{ type = "delay", duration_secs = ${secs} }`;

const RULES = {
  plain: `actions = [${say("at once")}]`,
  waits: `actions = [
  ${say("first")},
  ${wait(0.1)},
  { type = "parallel", actions = [${say("left")}, { type = "conditional", condition = "true", then_actions = [${wait(0.1)}, ${say("right")}] }] },
  { type = "repeat_count", count = 4, actions = [
    { type = "set_variable", name = "turn", expression = "vars.turn + 1" }, ${wait(0.1)}, ${say("turn {{vars.turn}} of")},
  ] },
]`,
  escalates: `actions = [
  { type = "notify", channels = ["one", "two"], message = "answer {{trigger.body.n}}", escalate_after = "1s" },
]`,
};
/** So long before a kill, a run that was accepted waits, also on a busy machine: from then on it outlives the kill. */
const BEGUN_MS = 400;
/** What each firing sends to which channel. */
const WANTED: Record<keyof typeof RULES, string[]> = {
  plain: ["one at once"],
  waits: ["one first", "one left", "one right", "one turn 1 of", "one turn 2 of", "one turn 3 of", "one turn 4 of"],
  escalates: ["one answer", "two answer"],
};
const IDS = Object.keys(RULES) as (keyof typeof RULES)[];

test(
  "a kill loses no message of a rule, and makes none twice",
  async () => {
    const pauses = randomOf("pauses of the service");
    /** Ids of what came, by channel and text. */
    const came = new Map<string, string[]>();
    using service = serveHttp(async ({ path, json }) => {
      await Bun.sleep(pauses.below(20));
      const { id, message } = json as { id: string; message: string };
      // The line below says that it is late.
      const key = `${path.slice(1)} ${message.split("\n")[0]}`;
      came.set(key, [...(came.get(key) ?? []), id]);
      return { json: {} };
    });
    await using place = createHubPlace({ toml: hookChannel(service, "one") + hookChannel(service, "two") });
    for (const id of IDS) place.put(`rules/${id}.toml`, rule(id));
    const moments = randomOf("moments of kills");
    const accepted: string[] = [];
    const fired: string[] = [];
    /** What runs send once they have waited, and when they were accepted. */
    let later: { texts: string[]; at: number }[] = [];

    async function fire(hub: HubProcess, id: keyof typeof RULES): Promise<void> {
      const n = fired.length;
      const texts = WANTED[id].map((text) => `${text} ${n}`);
      fired.push(...texts);
      const how = { token: null, body: { n } };
      const answer = await hub.request("POST", hookOf(id), how).catch(() => undefined);
      if (answer?.status !== 202) return;
      const first = id === "waits" ? 1 : texts.length;
      accepted.push(...texts.slice(0, first));
      later.push({ texts: texts.slice(first), at: performance.now() });
    }

    /** A run that has not begun to wait yet is lost with the hub. */
    function countBegun(killedAt: number): void {
      for (const { texts, at } of later) if (at <= killedAt - BEGUN_MS) accepted.push(...texts);
      later = [];
    }

    /** A hub that is killed right after each start makes a safe start in the end, without rules. */
    async function start(): Promise<HubProcess> {
      rmSync(place.at("data", "starts.json"), { force: true });
      return place.start();
    }

    let kills = 0;
    for (const round of rounds(MIN_KILLS)) {
      const hub = await start();
      let killed = false;
      // Slower than what is stopped as a runaway rule.
      const firing = (async () => {
        for (let at = 0; !killed; at++) await Promise.all([fire(hub, IDS[at % IDS.length] ?? "plain"), Bun.sleep(90)]);
      })();
      await Bun.sleep(moments.below(MAX_MS));
      killed = true;
      const killedAt = performance.now();
      hub.kill("SIGKILL");
      await Promise.all([hub.exited, firing]);
      countBegun(killedAt);
      kills = round + 1;
    }
    const hub = await start();
    const nothingLeft = async (): Promise<boolean> => {
      const running = await Promise.all(IDS.map((id) => hub.get<unknown[]>(`/rules/${id}/runs`)));
      const notices = await hub.get<{ left: string[] }[]>("/notify/notices");
      const waiting = [...(await hub.get<unknown[]>("/notify/outbox")), ...running.flat()];
      return waiting.length === 0 && notices.every(({ left }) => left.length === 0);
    };
    await until("nothing waits or runs any more", nothingLeft, {
      // A hub that lives for a moment sends less than the rules say: what is left to the last one grows with the kills.
      ...{ timeoutMs: 20_000 + kills * 1000, everyMs: 100 },
    });
    for (const text of Object.values(WANTED).flat())
      expect(accepted.filter((each) => each.startsWith(`${text} `)).length).toBeGreaterThan(0);
    expect(accepted.filter((text) => !came.has(text))).toEqual([]);
    const twice = [...came].filter(([, ids]) => new Set(ids).size > 1);
    expect(twice).toEqual([]);
    expect([...came.keys()].filter((text) => !fired.includes(text))).toEqual([]);
    tried(`${kills} kills; ${accepted.length} messages of runs that were accepted, ${came.size} came`);
  },
  { timeout: 140_000 + 2 * CAMPAIGN_MS, retry: 0 },
);
