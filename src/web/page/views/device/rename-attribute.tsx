// Another name for an attribute, in all that names it: first what would be changed, then the change.
import { useState } from "preact/hooks";
import { labelOf } from "../../components/attribute-words.ts";
import { Problem } from "../../components/problem.tsx";
import { toast } from "../../components/toast.tsx";
import { useAct } from "../../components/use-act.ts";
import { patch } from "../../state/api.ts";
import { type Device, propertiesOf } from "../../state/house.ts";
import { t } from "../../texts/index.ts";

interface Place {
  kind: "rule" | "scene" | "group" | "history" | "config";
  name: string;
  changes: readonly { line: number; before: string; after: string }[];
  why_not: string | null;
}

interface Planned {
  from: string;
  to: string;
  places: readonly Place[];
}

const NAME = "[A-Za-z][A-Za-z0-9_]{0,63}";

export function RenameAttribute({ device }: { device: Device }) {
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const [planned, setPlanned] = useState<Planned>();
  const act = useAct();
  const names = [...new Set([...propertiesOf(device).keys(), ...Object.keys(device.attributes)])].sort();
  const isPlanned = planned?.from === from && planned.to === to;

  async function ask(isDry: boolean): Promise<void> {
    const path = `/devices/${encodeURIComponent(device.id)}/attributes/${encodeURIComponent(from)}?dry_run=${isDry}`;
    const { places } = await patch<{ places: Place[] }>(path, { name: to });
    setPlanned(isDry ? { from, to, places } : undefined);
    if (isDry) return;
    toast(t("rename.done", { from, to }));
    setFrom("");
    setTo("");
  }

  return (
    <details class="danger rename">
      <summary>{t("rename.title")}</summary>
      <p class="hint">{t("rename.what")}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void act.run(() => ask(!isPlanned));
        }}
      >
        <label>
          {t("rename.from")}
          <select value={from} required onChange={({ currentTarget }) => setFrom(currentTarget.value)}>
            <option value="" />
            {names.map((name) => (
              <option key={name} value={name}>
                {name} · {labelOf(device, name)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t("rename.to")}
          <input
            value={to}
            required
            pattern={NAME}
            title={t("rename.pattern")}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setTo(currentTarget.value)}
          />
        </label>
        {isPlanned && <Places places={planned.places} />}
        <button type="submit" class={isPlanned ? "act" : ""} disabled={act.locked || from === "" || to === ""}>
          {isPlanned ? t("rename.do") : t("rename.look")}
        </button>
        <Problem of={act.problem} />
      </form>
    </details>
  );
}

function Places({ places }: { places: readonly Place[] }) {
  return (
    <section role="status">
      <h3>{t("rename.places")}</h3>
      <ul class="rename-places">
        {places.map(({ kind, name, changes, why_not: whyNot }) => (
          <li key={`${kind} ${name}`}>
            {t(`rename.kind_${kind}`)} <bdi>{name}</bdi>
            {whyNot !== null && (
              <p class="hint">
                {t("rename.by_hand")} {whyNot}
              </p>
            )}
            {changes.map(({ line, before, after }) => (
              <p key={line} class="hint" dir="ltr">
                {line}: <del>{before.trim()}</del> <ins>{after.trim()}</ins>
              </p>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
