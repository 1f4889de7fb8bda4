// Everything a house asks of its hub, all at once, until the hub is gone; and whether what it acknowledged is still there.
import { readdirSync } from "node:fs";
import { createAcknowledgedWrites } from "./acknowledged-writes.ts";
import type { HubPlace } from "./hub-place.ts";
import { notifications, reports, ruleFiles } from "./load-around.ts";
import { DEVICES, type List, listed, text, type Work } from "./load-work.ts";
import type { PushServer } from "./push-server.ts";

interface Kept {
  path: string;
  /** The key of its id in lists. */
  id?: string;
  /** The request that makes it, and the one that changes it, with the value as a name. */
  make: (id: string, value: string) => [method: string, path: string, body: unknown];
  change: (id: string, value: string) => [method: string, path: string, body: unknown];
  value: (entry: Record<string, unknown>) => string;
}

/** Things people make, change and remove: four at a time. */
function keeping(name: string, { path, id = "id", make, change, value }: Kept): Work {
  const writes = createAcknowledgedWrites<string>(name);
  return {
    name,
    get acknowledged() {
      return writes.acknowledged;
    },
    async work({ ask, round, gone }) {
      for (let n = round; !gone(); n++) {
        const key = `${name}-${n % 4}`;
        const wanted = `${name} ${round}.${n}`;
        const there = writes.known().has(key);
        if (there && n % 7 === 0) await writes.write(key, undefined, () => ask("DELETE", `${path}/${key}`));
        else await writes.write(key, wanted, () => ask(...(there ? change : make)(key, wanted)));
      }
    },
    async check(hub) {
      const list = (await hub.get<List>(path)).filter((entry) => String(entry[id]).startsWith(name));
      writes.check(new Map(list.map((entry) => [String(entry[id]), value(entry)])));
    },
  };
}

const LOG = [{ type: "log_message", message: "heard" }];
const apiRule = (id: string, name: string) => ({ id, name, trigger: { type: "manual_trigger" }, actions: LOG });

function keptThings(): Work[] {
  return [
    keeping("scene", {
      path: "/scenes",
      make: (id, name) => ["POST", "/scenes", { id, name, states: { lamp: { on: true, for: name } } }],
      change: (id, name) => ["PUT", `/scenes/${id}`, { name, states: { lamp: { on: false, for: name } } }],
      value: (entry) => String((entry.states as { lamp: { for: string } }).lamp.for),
    }),
    keeping("variable", {
      path: "/variables",
      id: "name",
      make: (id, value) => ["PUT", `/variables/${id}`, { value }],
      change: (id, value) => ["PUT", `/variables/${id}`, { value }],
      value: text("value"),
    }),
    keeping("area", {
      path: "/areas",
      make: (id, name) => ["POST", "/areas", { id, name }],
      change: (id, name) => ["PATCH", `/areas/${id}`, { name }],
      value: text("name"),
    }),
    keeping("rule", {
      path: "/rules",
      make: (id, name) => ["POST", "/rules", apiRule(id, name)],
      change: (id, name) => ["PUT", `/rules/${id}`, apiRule(id, name)],
      value: text("name"),
    }),
  ];
}

function renames(): Work {
  const writes = createAcknowledgedWrites<string>("name and area of");
  return {
    name: "renames",
    get acknowledged() {
      return writes.acknowledged;
    },
    async work({ ask, round, gone }) {
      for (let n = 0; !gone(); n++) {
        const id = DEVICES[n % DEVICES.length] ?? "";
        const [name, area] = [`${id} ${round}.${n}`, `part-${n % 5}`];
        await writes.write(id, `${name}, ${area}`, () => ask("PATCH", `/devices/${id}`, { name, area }));
      }
    },
    async check(hub) {
      const all = await listed(hub, "/devices", ({ name, area }) => `${name}, ${area}`);
      writes.check(
        new Map([...writes.known().keys(), ...DEVICES].flatMap((id) => pick(all, id, writes.known().has(id)))),
      );
    },
  };
}

function pick(all: ReadonlyMap<string, string>, id: string, known: boolean): [string, string][] {
  const found = all.get(id);
  // Before the first rename its name is its id.
  return found === undefined || (!known && found.startsWith(`${id}, `)) ? [] : [[id, found]];
}

function commands(): Work {
  const writes = createAcknowledgedWrites<string>("the state of");
  const wanted = (n: number): [string, string, object][] => [
    ["kettle", `started ${3600 + n}`, { command: "start", duration_secs: 3600 + n }],
    ["oven", `started ${7200 + n}`, { command: "start", duration_secs: 7200 + n }],
    ["oven", `paused ${7200 + n}`, { command: "pause" }],
    ["guest", String(n % 2 === 0), { on: n % 2 === 0 }],
  ];
  return {
    name: "timers and switches",
    get acknowledged() {
      return writes.acknowledged;
    },
    async work({ ask, answer, round, gone }) {
      for (const [path, id] of [
        ["/timers", "kettle"],
        ["/timers", "oven"],
        ["/switches", "guest"],
      ]) {
        if ((await answer("GET", `${path}/${id}`))?.status === 404) await ask("POST", `${path}`, { id });
      }
      for (let n = round; !gone(); n++) {
        for (const [id, state, command] of wanted(n)) {
          if (!gone()) await writes.write(id, state, () => ask("PATCH", `/devices/${id}/state`, command));
        }
      }
    },
    async check(hub) {
      const timers = await listed(hub, "/timers", ({ state, duration_secs }) => `${state} ${duration_secs}`);
      const switches = await listed(hub, "/switches", ({ on }) => String(on));
      const found = [...timers, ...switches].filter(
        ([id, state]) => writes.known().has(id) || !/^idle|^false/.test(state),
      );
      writes.check(new Map(found));
    },
  };
}

function users(): Work {
  const writes = createAcknowledgedWrites<string>("the role of");
  let newest: { username: string; password: string } | undefined;
  return {
    name: "users",
    get acknowledged() {
      return writes.acknowledged;
    },
    async work({ ask, round, gone }) {
      const username = `user-${round}`;
      const password = `password-${round}`;
      const old = [...writes.known().keys()];
      if (old.length > 5) await writes.write(old[0] ?? "", undefined, () => ask("DELETE", `/auth/users/${old[0]}`));
      if (gone()) return;
      const made = await writes.write(username, "viewer", () =>
        ask("POST", "/auth/users", { username, password, role: "viewer" }),
      );
      if (made) newest = { username, password };
      for (let n = 0; made && !gone(); n++) {
        const role = n % 2 === 0 ? "user" : "viewer";
        await writes.write(username, role, () => ask("PATCH", `/auth/users/${username}`, { role }));
      }
    },
    async check(hub) {
      const all = await listed(hub, "/auth/users", text("role"), "username");
      writes.check(new Map([...all].filter(([name]) => name.startsWith("user-"))));
      if (!newest) return;
      const { status } = await hub.login(newest.username, newest.password);
      if (status !== 200) throw new Error(`${newest.username} cannot log in: ${status}`);
      newest = undefined;
    },
  };
}

function keys(): Work {
  const made: { id: string; key: string }[] = [];
  let acknowledged = 0;
  return {
    name: "API keys",
    get acknowledged() {
      return acknowledged;
    },
    async work({ ask, answer, round, gone }) {
      while (!gone()) {
        const one = await answer("POST", "/auth/api-keys", { body: { label: `round ${round}`, role: "viewer" } });
        if (!one) return;
        made.push(one.json());
        acknowledged++;
        const [oldest] = made;
        // Whether it is withdrawn where nobody answered is unknown.
        if (made.length > 10 && oldest) {
          made.shift();
          await ask("DELETE", `/auth/api-keys/${oldest.id}`);
        }
      }
    },
    async check(hub) {
      for (const { key } of made) {
        const { status } = await hub.request("GET", "/auth/me", { token: key });
        if (status !== 200) throw new Error(`an API key is refused: ${status}`);
      }
    },
  };
}

export function mixedLoad(place: HubPlace, server: PushServer): Work[] {
  return [
    ...keptThings(),
    ...[renames(), commands(), users(), keys(), reports()],
    ...[ruleFiles(place), notifications(server)],
  ];
}

/** What no crash may leave behind, once the hub is up again. */
export function orphans(home: string): string[] {
  return readdirSync(home, { recursive: true, encoding: "utf8" }).filter((name) => /\.tmp$|\.tmp\/?/.test(name));
}
