// What comes to a hub under load from around it: files that editors save, states of devices, messages for people.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { HubPlace } from "./hub-place.ts";
import { DEVICES, listed, type Work } from "./load-work.ts";
import type { PushServer } from "./push-server.ts";
import { until } from "./wait.ts";

/** Files saved as editors do, by renaming and in place; a hub that is killed meanwhile loses no save and tears no file. */
export function ruleFiles(place: HubPlace): Work {
  const saved = new Map<string, string>();
  let acknowledged = 0;
  const withoutId = (content: string): string => content.replace(/\bid: *"[^"]*",? */, "").replace(/\s+/g, " ");
  return {
    name: "rule files",
    get acknowledged() {
      return acknowledged;
    },
    async work({ round, gone }) {
      for (let n = 0; !gone(); n++) {
        const file = `file-${n % 6}.ron`;
        const id = n % 2 === 0 ? "" : `id: "file-${n % 6}", `;
        const name = `${file} ${round}.${n}`;
        const content = `(${id}name: "${name}", trigger: ManualTrigger, actions: [LogMessage(message: "${"x".repeat(1 + ((n * 997) % 5000))}")])\n`;
        saved.set(file, content);
        if (n % 3 === 0) writeFileSync(place.at("rules", file), content);
        else {
          writeFileSync(place.at("rules", `${file}~`), content);
          renameSync(place.at("rules", `${file}~`), place.at("rules", file));
        }
        acknowledged++;
        await Bun.sleep(10);
      }
    },
    async check(hub) {
      for (const [file, content] of saved) {
        const found = readFileSync(place.at("rules", file), "utf8");
        if (withoutId(found) !== withoutId(content)) throw new Error(`${file} is\n${found}\nnot\n${content}`);
      }
      const names = [...saved.values()].map((content) => /name: "([^"]+)"/.exec(content)?.[1]);
      let rules: { name: string; file: string; state: string }[] = [];
      const run = async (): Promise<boolean> => {
        rules = await hub.get("/rules");
        return names.every((name) => rules.some((rule) => rule.name === name && rule.state === "enabled"));
      };
      await until("the files' rules run", run).catch(() => {
        throw new Error(`${JSON.stringify(rules)} are not ${names.join(", ")}`);
      });
    },
  };
}

/** What devices say: on disk within a second, their names at once. */
export function reports(): Work {
  const flushed = new Map<string, number>();
  const fresh = new Set<string>();
  const FLUSHED_MS = 2500;
  let acknowledged = 0;
  return {
    name: "device states",
    get acknowledged() {
      return acknowledged;
    },
    async work({ client, round, gone }) {
      const publish = async (id: string, n: number): Promise<boolean> => {
        const sent = client.publishAsync(`hub/devices/${id}/state`, `{"n":${n}}`, { qos: 1 }).then(
          () => true,
          () => false,
        );
        return Promise.race([sent, until("gone", gone, { timeoutMs: 60_000 }).then(() => false)]);
      };
      const known: { at: number; id: string; n: number }[] = [];
      if (await publish(`new-${round}`, 0)) fresh.add(`new-${round}`);
      for (let n = round * 1_000_000; !gone(); n++) {
        const id = DEVICES[n % DEVICES.length] ?? "";
        if (!(await publish(id, n))) break;
        acknowledged++;
        known.push({ at: performance.now(), id, n });
      }
      const end = performance.now() - FLUSHED_MS;
      for (const { at, id, n } of known) if (at < end) flushed.set(id, n);
    },
    async check(hub) {
      const all = await listed(hub, "/devices", ({ attributes }) => attributes as { n?: number });
      for (const id of fresh) if (!all.has(id)) throw new Error(`the new device ${id} is not there any more`);
      for (const [id, n] of flushed) {
        const found = all.get(id)?.n ?? -1;
        if (found < n) throw new Error(`${id} is at ${found}, and was at ${n} long before the kill`);
      }
    },
  };
}

/** Messages that were acknowledged wait or were sent; how often, the server knows. */
export function notifications(server: PushServer): Work {
  const kept = new Set<string>();
  const RULE = {
    ...{ id: "bell", name: "Bell", trigger: { type: "manual_trigger" } },
    actions: [{ type: "notify", channel: "phone", message: "{{vars.note}}" }],
  };
  return {
    name: "notifications",
    get acknowledged() {
      return kept.size;
    },
    async work({ ask, answer, round, gone }) {
      server.up = round % 3 === 0;
      if ((await answer("GET", "/rules/bell"))?.status === 404) await ask("POST", "/rules", RULE);
      const [oldest] = (await answer("GET", "/notify/outbox?limit=1"))?.json<{ id: string }[]>() ?? [];
      if (server.up && oldest) await answer("POST", `/notify/outbox/${oldest.id}/retry`);
      for (let n = 0; !gone() && n < 5; n++) {
        const value = `message ${round}.${n}.`;
        if (!(await ask("PUT", "/variables/note", { value }))) return;
        const ran = await answer("POST", "/rules/bell/run", { body: {} });
        if (ran?.status === 200 && ran.text.includes("phone: ")) kept.add(value);
      }
    },
    async check(hub) {
      const waiting = await hub.get<{ message: string }[]>("/notify/outbox?limit=10000");
      const texts = new Set(waiting.map(({ message }) => message));
      if (texts.size < waiting.length) throw new Error(`${waiting.length - texts.size} wait twice`);
      for (const message of kept)
        if (!texts.has(message) && !server.taken.has(message)) throw new Error(`"${message}" is lost`);
    },
  };
}
