// Another name for an attribute, in all that names it: first what would be changed, then the change.

import { useState } from "preact/hooks";
import { labelOf } from "../../../model/device/attribute-words.ts";
import { type Device, propertiesOf } from "../../../model/device/device.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { useAct } from "../../../parts/acting/use-act.tsx";
import { patch } from "../../../state/hub/api.ts";
import { useHubData } from "../../../state/hub/watched.ts";
import { t } from "../../../texts/index.ts";
import { toast } from "../../../ui/toast.ts";

interface Place {
  kind: "rule" | "scene" | "group" | "history" | "config";
  name: string;
  changes: readonly { line: number; before: string; after: string }[];
  why_not: string | null;
}

interface Renaming {
  from: string;
  to: string;
}

interface Planned extends Renaming {
  places: readonly Place[];
}

const NAME = "[A-Za-z][A-Za-z0-9_]{0,63}";

export function RenameAttribute({ device }: { device: Device }) {
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const [planned, setPlanned] = useState<Planned>();
  const act = useAct();
  const names = [...new Set([...propertiesOf(device).keys(), ...Object.keys(device.attributes)])].sort();
  const [isOpen, setOpen] = useState(false);
  const isPlanned = planned?.from === from && planned.to === to;

  async function ask(one: Renaming, isDry: boolean): Promise<void> {
    const { places } = await patch<{ places: Place[] }>(
      `/devices/${encodeURIComponent(device.id)}/attributes/${encodeURIComponent(one.from)}?dry_run=${isDry}`,
      { name: one.to },
    );
    setPlanned(isDry ? { ...one, places } : undefined);
    if (isDry) return;
    toast(t("rename.done", { ...one }));
    setFrom("");
    setTo("");
  }

  function look(one: Renaming): void {
    setFrom(one.from);
    setTo(one.to);
    void act.run(() => ask(one, true));
  }

  return (
    <details class="danger rename" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t("rename.title")}</summary>
      <p class="hint">{t("rename.what")}</p>
      {isOpen && <BetterNames id={device.id} isLocked={act.locked} look={look} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void act.run(() => ask({ from, to }, !isPlanned));
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

/** What a new house would call otherwise: a touch shows what would change. */
function BetterNames({ id, isLocked, look }: { id: string; isLocked: boolean; look: (one: Renaming) => void }) {
  const path = `/devices/${encodeURIComponent(id)}/attribute-names`;
  const { value = [] } = useHubData<AttributeName[]>(path, { after: ["device_attribute_renamed"] });
  const better = value.flatMap(({ name: from, suggested: to }) => (to === null ? [] : { from, to }));
  if (better.length === 0) return null;
  return (
    <section aria-labelledby="better-names">
      <h3 id="better-names">{t("rename.better")}</h3>
      <p class="hint">{t("rename.better_hint")}</p>
      <ul class="plain">
        {better.map((one) => (
          <li key={one.from}>
            <button type="button" disabled={isLocked} onClick={() => look(one)}>
              <bdi>{one.from}</bdi> → <bdi>{one.to}</bdi>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface AttributeName {
  name: string;
  suggested: string | null;
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
