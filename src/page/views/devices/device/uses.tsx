// The rules, scenes and groups that name a device.

import { useEffect, useState } from "preact/hooks";
import { valueInWords } from "../../../model/device/attribute-words.ts";
import { type Device, propertyOf } from "../../../model/device/device.ts";
import type { Attributes } from "../../../model/device/json.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { get } from "../../../state/hub/api.ts";
import { connection } from "../../../state/hub/live.ts";
import { t } from "../../../texts/index.ts";

interface Rule {
  id: string;
  name: string;
  state: "enabled" | "disabled" | "broken" | "paused" | "loading";
}

interface Group {
  id: string;
  name: string;
  members: string[];
}

interface Scene {
  id: string;
  name: string;
  states: Record<string, Attributes>;
}

interface Found {
  rules: Rule[];
  scenes: Scene[];
  groups: Group[];
}

const NONE: Found = { rules: [], scenes: [], groups: [] };

export function Uses({ device }: { device: Device }) {
  const [uses, setUses] = useState<Found>();
  const [problem, setProblem] = useState<unknown>();
  const isLive = connection.value.state === "live";
  useEffect(() => {
    if (!isLive) return;
    const query = new URLSearchParams({ device_id: device.id });
    Promise.all([get<Rule[]>(`/rules?${query}`), get<Scene[]>("/scenes"), get<Group[]>("/groups")]).then(
      ([rules, scenes, groups]) => {
        setUses({
          rules,
          scenes: scenes.filter(({ states }) => Object.hasOwn(states, device.id)),
          groups: groups.filter(({ members }) => members.includes(device.id)),
        });
        setProblem(undefined);
      },
      (error: unknown) => setProblem(error),
    );
  }, [device.id, isLive]);
  const { rules, scenes, groups } = uses ?? NONE;
  return (
    <section class="card" aria-labelledby="uses">
      <h2 id="uses">{t("device.uses")}</h2>
      <Problem of={problem} />
      {uses && rules.length + scenes.length + groups.length === 0 && <p class="hint">{t("device.uses_none")}</p>}
      <ul class="plain">
        {rules.map(({ id, name, state }) => (
          <li key={id}>
            <a href={`/rules/${encodeURIComponent(id)}`} dir="auto">
              {name}
            </a>{" "}
            <span class="hint">
              {t("device.uses_rule")}
              {state !== "enabled" && ` · ${t(`device.rule_${state}`)}`}
            </span>
          </li>
        ))}
        {scenes.map(({ id, name, states }) => (
          <li key={id}>
            <a href={`/scenes/${encodeURIComponent(id)}`} dir="auto">
              {name}
            </a>{" "}
            <span class="hint" dir="auto">
              {t("device.uses_scene")} · {wanted(device, states[device.id] ?? {})}
            </span>
          </li>
        ))}
        {groups.map(({ id, name }) => (
          <li key={id}>
            <a href={`/devices/${encodeURIComponent(id)}`} dir="auto">
              {name}
            </a>{" "}
            <span class="hint">{t("device.uses_group")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function wanted(device: Device, state: Attributes): string {
  return Object.entries(state)
    .slice(0, 4)
    .map(([name, value]) => valueInWords(name, value, propertyOf(device, name)))
    .join(", ");
}
