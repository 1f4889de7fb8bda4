// Makes something out of a name.
import { useState } from "preact/hooks";
import { allows } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";
import { Problem } from "./problem.tsx";
import { useAct } from "./use-act.ts";

interface NewThingProps {
  label: string;
  disabled: boolean;
  onCreate: (name: string) => Promise<unknown>;
}

export function NewThing({ label, disabled, onCreate }: NewThingProps) {
  const [name, setName] = useState("");
  const act = useAct();
  if (!allows("user")) return null;
  return (
    <form
      class="new-thing"
      onSubmit={async (event) => {
        event.preventDefault();
        if (await act.run(() => onCreate(name.trim()))) setName("");
      }}
    >
      <div class="inline-form">
        <label class="field">
          {label}
          <input
            dir="auto"
            value={name}
            maxLength={200}
            required
            disabled={disabled}
            placeholder={t("house.name")}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={disabled || act.busy || name.trim() === ""}>
          {t("house.create")}
        </button>
      </div>
      <Problem of={act.problem} />
    </form>
  );
}

/** `living_room_2` of `Living room`, where that is taken. */
export function idFor(name: string, isTaken: (id: string) => boolean): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const base =
    plain
      .replace(/[^\p{L}\p{N}]+/gu, "_")
      .replace(/^_+|_+$/g, "")
      .slice(0, 100) || "new";
  for (let count = 1; ; count++) {
    const id = count === 1 ? base : `${base}_${count}`;
    if (!isTaken(id)) return id;
  }
}
