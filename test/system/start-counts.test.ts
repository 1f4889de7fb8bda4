// What the compiled hub lists while it is still starting: everything, from the first answer of /health on.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createHubPlace } from "../support/hub-place.ts";
import { type HubProcess, spawnHub } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

const RULES = 500;
const STARTS = 3;
const rule = (index: number): string =>
  `(id: "rule-${index}", name: "Rule ${index}", trigger: CustomEvent(event_type: "e${index}"),
    conditions: [Expression(expression: "device_state('lamp').level > ${index} && now() > timestamp('2026-01-01T00:00:00Z')")],
    actions: [LogMessage(message: "heard")])\n`;
const mode = (id: string): string => `[[modes]]\nid = "${id}"\nname = "${id}"\nkind = "manual"\n`;
const PLUGINS = ["one", "two"].map(
  (id) => `[[plugins]]\nid = "${id}"\nenabled = false\nbinary = "plugins/${id}/main.ts"\n`,
);

interface Seen {
  ready: boolean;
  loading: number;
  counts: Record<string, number>;
}

test("every count is full in every answer", async () => {
  await using place = createHubPlace({ toml: PLUGINS.join("") });
  mkdirSync(place.at("rules"), { recursive: true });
  for (let index = 0; index < RULES; index++) writeFileSync(place.at("rules", `r${index}.ron`), rule(index));
  place.put("config/modes.toml", mode("away"));
  const first = await place.start();
  const token = await first.adminToken();
  for (const name of ["movie", "dinner"]) {
    await first.request("POST", "/switches", { body: { id: name } });
    await first.request("POST", "/scenes", { body: { id: name, name, states: { [name]: { on: true } } } });
    await first.request("PUT", `/variables/${name}`, { body: { value: 1 } });
    await first.request("POST", "/areas", { body: { name } });
  }
  await until("all is loaded", async () => (await look(first, token)).loading === 0);
  await first.end();
  // What changed while the hub was off counts as well.
  place.put("config/modes.toml", mode("away") + mode("guests"));
  writeFileSync(place.at("rules", "another.ron"), rule(RULES));
  for (let number = 1; number <= 5; number++) {
    place.put(
      `data/before-restore-000${number}-2026-01-0${number}T00-00-00Z/kept.json`,
      JSON.stringify({ at: `2026-01-0${number}T00:00:00Z`, units: [] }),
    );
  }

  const lists: Seen[] = [];
  for (let start = 0; start < STARTS; start++) {
    await using hub = spawnHub(place);
    await until("the API answers", () => hub.port > 0, { everyMs: 1 });
    await until(
      "it is ready",
      async () => {
        const seen = await look(hub, token);
        lists.push(seen);
        return seen.ready;
      },
      { everyMs: 0 },
    );
    lists.push(await look(hub, token));
    if (start === 0) {
      const keptFolders = () => readdirSync(place.at("data")).filter((name) => name.startsWith("before-restore-"));
      await until("old states are gone", () => keptFolders().length === 3);
      expect(existsSync(place.at("data/before-restore-0005-2026-01-05T00-00-00Z/kept.json"))).toBe(true);
    }
  }
  const rules = RULES + 1;
  const full = { rules, statusRules: rules, modes: 2, devices: 4, statusDevices: 4, plugins: 2, statusPlugins: 2 };
  for (const { counts } of lists)
    expect(counts).toEqual({ ...full, scenes: 2, variables: 2, areas: 2, switches: 2, channels: 1 });
  // It was really asked while files were still unread.
  expect(lists.filter(({ ready, loading }) => !ready && loading > 0).length).toBeGreaterThanOrEqual(STARTS);
});

async function look(hub: HubProcess, token: string): Promise<Seen> {
  const ask = async <T>(path: string): Promise<T> => {
    const answer = await hub.request("GET", path, { token });
    if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}: ${answer.text}`);
    return answer.json() as T;
  };
  const { ready } = await ask<{ ready: boolean }>("/health");
  const rules = await ask<{ state: string }[]>("/rules");
  const status = await ask<{ rules: number; devices: number; plugins: number }>("/system/status");
  const count = async (path: string): Promise<number> => (await ask<unknown[]>(path)).length;
  return {
    ready,
    loading: rules.filter(({ state }) => state === "loading").length,
    counts: {
      rules: rules.length,
      statusRules: status.rules,
      statusDevices: status.devices,
      statusPlugins: status.plugins,
      modes: await count("/modes"),
      devices: await count("/devices"),
      plugins: await count("/plugins"),
      scenes: await count("/scenes"),
      variables: await count("/variables"),
      areas: await count("/areas"),
      switches: await count("/switches"),
      channels: await count("/notify/channels"),
    },
  };
}
