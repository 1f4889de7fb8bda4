// Killed again and again under load: what was acknowledged is there, and nobody is left behind.
// HUB_KILL_ROUNDS says how often.
import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { createHubPlace } from "../support/hub-place.ts";
import type { Answer, HubProcess } from "../support/hub-process.ts";
import { processesOf } from "../support/processes.ts";
import { until } from "../support/wait.ts";

const ROUNDS = Number(process.env.HUB_KILL_ROUNDS ?? 10);
const DEVICES = ["attic", "barn", "cellar"];

interface Acknowledged {
  /** Device → the name acknowledged last, and the one that was asked for but not answered. */
  names: Map<string, { known: string; pending: string | undefined }>;
  users: { username: string; password: string }[];
  keys: string[];
}

/** Works until the hub is gone; each kind of work one after the other, all kinds side by side. */
async function work(hub: HubProcess, round: number, done: Acknowledged): Promise<void> {
  const client = await hub.mqtt();
  let gone = false;
  client.once("close", () => {
    gone = true;
  });
  const ask = async (...args: Parameters<HubProcess["request"]>): Promise<Answer | undefined> => {
    const answer = await hub.request(...args).catch(() => undefined);
    if (!answer) gone = true;
    else if (answer.status >= 400) throw new Error(`${args[0]} ${args[1]} answers ${answer.status}: ${answer.text}`);
    return answer;
  };

  async function reports(): Promise<void> {
    for (let n = 0; !gone; n++) {
      const sent = DEVICES.map((id) => client.publishAsync(`hub/devices/${id}/state`, `{"n":${n}}`, { qos: 1 }));
      await Promise.race([Promise.allSettled(sent), until("gone", () => gone)]);
    }
  }
  async function renames(): Promise<void> {
    for (let n = 0; !gone; n++) {
      const id = DEVICES[n % DEVICES.length] ?? "";
      const name = `${id} ${round}.${n}`;
      const known = done.names.get(id)?.known ?? "";
      done.names.set(id, { known, pending: name });
      if (await ask("PATCH", `/devices/${id}`, { body: { name } }))
        done.names.set(id, { known: name, pending: undefined });
    }
  }
  async function users(): Promise<void> {
    const user = { username: `user-${round}`, password: `password-${round}` };
    if (await ask("POST", "/auth/users", { body: { ...user, role: "viewer" } })) done.users.push(user);
  }
  async function keys(): Promise<void> {
    while (!gone) {
      const made = await ask("POST", "/auth/api-keys", { body: { label: `round ${round}`, role: "viewer" } });
      if (made) done.keys.push(made.json<{ key: string }>().key);
    }
  }
  await Promise.all([reports(), renames(), users(), keys()]);
}

async function checkNames(hub: HubProcess, { names }: Acknowledged): Promise<void> {
  for (const [id, { known, pending }] of names) {
    const { name } = await hub.get<{ name: string }>(`/devices/${id}`);
    expect([known, pending]).toContain(name);
    names.set(id, { known: name, pending: undefined });
  }
}

async function checkAccess(hub: HubProcess, { users, keys }: Pick<Acknowledged, "users" | "keys">): Promise<void> {
  for (const { username, password } of users)
    expect({ username, status: (await hub.login(username, password)).status }).toEqual({ username, status: 200 });
  for (const token of keys) expect((await hub.request("GET", "/auth/me", { token })).status).toBe(200);
}

test(
  `every acknowledged change outlives ${ROUNDS} kills`,
  async () => {
    await using place = createHubPlace({
      toml: '[[plugins]]\nid = "family"\nbinary = "plugins/family/bin/family"\n',
    });
    place.put("plugins/family/bin/family", "#!/bin/sh\n(sleep 1001; true) &\nsleep 1002\ntrue\n", 0o755);
    const done: Acknowledged = { names: new Map(), users: [], keys: [] };
    let checkedUsers = 0;
    let checkedKeys = 0;
    for (let round = 1; round <= ROUNDS; round++) {
      const hub = await place.start();
      await checkNames(hub, done);
      await checkAccess(hub, { users: done.users.slice(checkedUsers), keys: done.keys.slice(checkedKeys).slice(-20) });
      [checkedUsers, checkedKeys] = [done.users.length, done.keys.length];
      if (round === 1) {
        const client = await hub.mqtt();
        for (const id of DEVICES) await client.publishAsync(`hub/devices/${id}/state`, "{}", { qos: 1 });
      }
      await until("the devices are there", async () => (await hub.get<unknown[]>("/devices")).length >= DEVICES.length);
      const working = work(hub, round, done);
      const killed = Bun.sleep(20 + Math.random() * 380).then(() => hub.kill("SIGKILL"));
      await Promise.all([working, killed]);
      await hub.exited;
      // As of a hub that had run for long: three that die as they start are followed by a safe start.
      rmSync(place.at("data", "starts.json"), { force: true });
      await until("nobody is left", () => processesOf(place.home).length === 0, { timeoutMs: 3000 });
    }
    await using last = await place.start();
    await checkNames(last, done);
    await checkAccess(last, done);
    expect(last.output).not.toMatch(/damaged|\[ERR\]/);
    // The load was one: something of each kind was acknowledged.
    expect(done.users.length).toBeGreaterThan(ROUNDS / 3);
    expect(done.keys.length).toBeGreaterThan(ROUNDS);
  },
  10_000 + ROUNDS * 3000,
);
