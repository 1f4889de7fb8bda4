// A name that can be changed where it stands.
import { useState } from "preact/hooks";
import { allows } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";
import { Icon } from "../../ui/icon.tsx";
import { Problem } from "./problem.tsx";
import { useAct } from "./use-act.tsx";

interface NameEditorProps {
  name: string;
  /** Where the name leads. */
  href?: string;
  disabled: boolean;
  onSave: (name: string) => Promise<unknown>;
}

export function NameEditor({ name, href, disabled, onSave }: NameEditorProps) {
  const [draft, setDraft] = useState<string>();
  const act = useAct();
  if (draft === undefined) {
    return (
      <span class="named">
        {href === undefined ? <bdi>{name}</bdi> : <a href={href}>{<bdi>{name}</bdi>}</a>}
        {allows("user") && (
          <button
            type="button"
            class="bare"
            disabled={disabled}
            aria-label={t("house.rename_of", { name })}
            onClick={() => {
              act.forget();
              setDraft(name);
            }}
          >
            <Icon name="pencil" size={16} />
          </button>
        )}
      </span>
    );
  }
  return (
    <form
      class="inline-form"
      onSubmit={async (event) => {
        event.preventDefault();
        if (draft.trim() === name || (await act.run(() => onSave(draft.trim())))) setDraft(undefined);
      }}
    >
      <label class="field">
        {t("house.name")}
        <input
          ref={(input) => input?.focus()}
          dir="auto"
          value={draft}
          maxLength={200}
          required
          onInput={({ currentTarget }) => setDraft(currentTarget.value)}
          onKeyDown={({ key }) => key === "Escape" && setDraft(undefined)}
        />
      </label>
      <button type="submit" class="main" disabled={act.busy || disabled}>
        {t("house.save")}
      </button>
      <button type="button" onClick={() => setDraft(undefined)}>
        {t("house.cancel")}
      </button>
      <Problem of={act.problem} />
    </form>
  );
}

// Makes something out of a name.
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
