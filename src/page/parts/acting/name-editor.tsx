// A name that can be changed where it stands.
import { useState } from "preact/hooks";
import { type Device, isGroup } from "../../model/device/device.ts";
import type { Attributes } from "../../model/device/json.ts";
import { command } from "../../state/house/command.ts";
import { devices, dropDevice } from "../../state/house/devices.ts";
import { readDevice } from "../../state/house/house.ts";
import { patch, post, remove } from "../../state/hub/api.ts";
import { allows } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";
import { Icon } from "../../ui/icon.tsx";
import { toast } from "../../ui/toast.ts";
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
function idFor(name: string, isTaken: (id: string) => boolean): string {
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

// The hub's own devices: timers, switches and modes. They are commanded as devices are.
export type OwnKind = "timers" | "switches";

export function ownDevices(type: "timer" | "switch"): Device[] {
  return [...devices.value.values()]
    .filter((one) => one.peek().plugin_id === "core" && one.peek().device_type === type && !isGroup(one.peek()))
    .map((one) => one.value)
    .sort((a, b) => a.name.localeCompare(b.name));
}

export async function createOwn(kind: OwnKind, name: string): Promise<void> {
  const id = idFor(name, (one) => devices.peek().has(one));
  await post(`/${kind}`, { id, name });
  await readDevice(id);
}

export async function renameOwn(kind: OwnKind, id: string, name: string): Promise<void> {
  await patch(`/${kind}/${encodeURIComponent(id)}`, { name });
  await readDevice(id);
}

/** Undone, it has its name, area and, as a switch, its position again; a timer does not run then. */
export async function removeOwn(
  kind: OwnKind,
  { id, name, area, attributes }: Device,
  after?: () => Promise<void>,
): Promise<void> {
  await remove(`/${kind}/${encodeURIComponent(id)}`);
  dropDevice(id);
  await after?.();
  const undo = async (): Promise<void> => {
    await post(`/${kind}`, { id, name });
    if (area !== null) await patch(`/devices/${encodeURIComponent(id)}`, { area });
    if (kind === "switches" && attributes.on === true) await command(id, { on: true });
    await readDevice(id);
    await after?.();
  };
  toast(t("house.removed", { name }), () => void undo().catch(() => toast(t("house.undo_failed"))));
}

export function commandOwn(id: string, wanted: Attributes): void {
  void command(id, wanted);
}
