// The rules and scenes that name a device.
import { useEffect, useState } from "preact/hooks";
import { valueInWords } from "../../components/attribute-words.ts";
import { Problem } from "../../components/problem.tsx";
import { get } from "../../state/api.ts";
import { type Attributes, type Device, propertyOf } from "../../state/house.ts";
import { connection } from "../../state/live.ts";
import { t } from "../../texts/index.ts";

interface Rule {
  id: string;
  name: string;
  state: "enabled" | "disabled" | "broken" | "paused" | "loading";
}

interface Scene {
  id: string;
  name: string;
  states: Record<string, Attributes>;
}

export function Uses({ device }: { device: Device }) {
  const [uses, setUses] = useState<{ rules: Rule[]; scenes: Scene[] }>();
  const [problem, setProblem] = useState<unknown>();
  const isLive = connection.value.state === "live";
  useEffect(() => {
    if (!isLive) return;
    const query = new URLSearchParams({ device_id: device.id });
    Promise.all([get<Rule[]>(`/rules?${query}`), get<Scene[]>("/scenes")]).then(
      ([rules, scenes]) => {
        setUses({ rules, scenes: scenes.filter(({ states }) => Object.hasOwn(states, device.id)) });
        setProblem(undefined);
      },
      (error: unknown) => setProblem(error),
    );
  }, [device.id, isLive]);
  const { rules = [], scenes = [] } = uses ?? {};
  return (
    <section class="card" aria-labelledby="uses">
      <h2 id="uses">{t("device.uses")}</h2>
      <Problem of={problem} />
      {uses && rules.length + scenes.length === 0 && <p class="hint">{t("device.uses_none")}</p>}
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
