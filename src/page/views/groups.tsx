// Groups of devices: which there are, who is in them, and making one.

import type { Signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { useAddress } from "../browser/address.ts";
import { controlsOf } from "../model/device/controls.ts";
import type { Device } from "../model/device/device.ts";
import { stateInWords } from "../model/device/kinds.ts";
import { NameEditor } from "../parts/acting/name-editor.tsx";
import { Problem } from "../parts/acting/problem.tsx";
import { AskFirst, mayAct, useAct } from "../parts/acting/use-act.tsx";
import { DeviceChoice } from "../parts/devices/device-choice.tsx";
import { FoldedMembers } from "../parts/devices/group-members.tsx";
import { changeGroup, createGroup, GROUP_EVENTS, type Group, removeGroup } from "../parts/devices/groups.ts";
import { offlineText } from "../parts/devices/tile.tsx";
import { useCommand } from "../parts/devices/use-command.ts";
import { useAreas } from "../state/house/areas.ts";
import { devices } from "../state/house/devices.ts";
import { allows } from "../state/hub/session.ts";
import { useHubData } from "../state/hub/watched.ts";
import { t } from "../texts/index.ts";
import { Toggle } from "../ui/fields.tsx";

export function GroupsView() {
  const { value: groups, problem, read } = useHubData<Group[]>("/groups", { after: GROUP_EVENTS });
  const query = useAddress();
  const isNew = query.of("new") !== "";
  const close = (): void => query.change({ new: undefined, edit: undefined });
  return (
    <>
      <h1>{t("groups.title")}</h1>
      <Problem of={problem} />
      {isNew ? (
        <GroupForm
          onSave={async (name, members) => {
            await createGroup(name, members);
            await read();
          }}
          onEnd={close}
        />
      ) : (
        <p hidden={!allows("user")}>
          <button type="button" disabled={!mayAct("user")} onClick={() => query.change({ new: "1" }, true)}>
            {t("groups.new")}
          </button>
        </p>
      )}
      {groups?.length === 0 && !isNew && <p>{t("groups.empty")}</p>}
      <ul class="things">
        {groups?.map((group) => (
          <GroupRow
            key={group.id}
            group={group}
            read={read}
            isOpen={query.of("edit") === group.id}
            onOpen={() => query.change({ edit: group.id, new: undefined }, true)}
            onClose={close}
          />
        ))}
      </ul>
    </>
  );
}

interface GroupRowProps {
  group: Group;
  read: () => Promise<void>;
  isOpen: boolean;
  onOpen: () => void;
  onClose: () => void;
}

function GroupRow({ group, read, isOpen, onOpen, onClose }: GroupRowProps) {
  const { id, name, members } = group;
  const act = useAct();
  const device = devices.value.get(id);
  return (
    <li class="thing">
      <div class="about">
        <NameEditor
          name={name}
          href={`/devices/${encodeURIComponent(id)}`}
          disabled={!mayAct("user")}
          onSave={async (next) => {
            await changeGroup(id, { name: next });
            await read();
          }}
        />
        {device && <GroupState of={device} />}
      </div>
      {device && <GroupSwitch of={device} />}
      {!isOpen && allows("user") && (
        <button
          type="button"
          disabled={!mayAct("user")}
          aria-label={`${t("groups.members")}: ${name}`}
          onClick={onOpen}
        >
          {t("groups.members")}
        </button>
      )}
      <AskFirst
        label={t("house.remove")}
        of={name}
        question={t("house.remove_of", { name })}
        disabled={!mayAct("user")}
        onYes={() => void act.run(() => removeGroup(group, read))}
      />
      <Problem of={act.problem} />
      <div class="wide">
        {isOpen ? (
          <GroupForm
            group={group}
            onSave={async (_, next) => {
              await changeGroup(id, { members: next });
              await read();
            }}
            onEnd={onClose}
          />
        ) : (
          <FoldedMembers members={members} />
        )}
      </div>
    </li>
  );
}

interface GroupFormProps {
  /** A new one when absent. */
  group?: Group;
  onSave: (name: string, members: string[]) => Promise<void>;
  onEnd: () => void;
}

function GroupForm({ group, onSave, onEnd }: GroupFormProps) {
  const [name, setName] = useState(group?.name ?? "");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(group?.members));
  const act = useAct();
  const { areaName } = useAreas();

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (await act.run(() => onSave(name.trim(), [...chosen]))) onEnd();
  }

  return (
    <form class="stacked-form" onSubmit={submit}>
      {!group && (
        <>
          <h2>{t("groups.new")}</h2>
          <p>{t("groups.how")}</p>
          <label class="field">
            {t("house.name")}
            <input
              dir="auto"
              value={name}
              maxLength={200}
              required
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          </label>
        </>
      )}
      <DeviceChoice
        legend={t("groups.which")}
        chosen={chosen}
        onChange={setChosen}
        fits={(device) => device.id !== group?.id && device.device_type !== "calendar"}
        areaName={areaName}
      />
      <Problem of={act.problem} />
      <div class="buttons">
        <button
          type="submit"
          class="main"
          disabled={act.locked || !mayAct("user") || chosen.size === 0 || name.trim() === ""}
        >
          {t(group ? "house.save" : "house.create")}
        </button>
        <button type="button" onClick={onEnd}>
          {t("house.cancel")}
        </button>
      </div>
    </form>
  );
}

/** How a group is as a whole, and its switch. */
function GroupState({ of }: { of: Signal<Device> }) {
  const { attributes, problem } = useCommand(of);
  const device = of.value;
  return (
    <>
      <p>{device.available ? stateInWords(device, attributes) : offlineText(device)}</p>
      <Problem of={problem} />
    </>
  );
}

/** Only where its devices can be switched. */
function GroupSwitch({ of }: { of: Signal<Device> }) {
  const { attributes, isLocked, send } = useCommand(of);
  const control = controlsOf(of.value, attributes).find((one) => one.kind === "switch" && one.attribute === "on");
  if (control?.kind !== "switch") return null;
  return <Toggle label={of.value.name} on={control.on} disabled={isLocked} onChange={(on) => send({ on })} />;
}
