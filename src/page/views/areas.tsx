// The areas of the house, and which devices are in each.

import { useState } from "preact/hooks";
import { useAddress } from "../browser/address.ts";
import type { Device } from "../model/device/device.ts";
import { NameEditor, NewThing } from "../parts/acting/name-editor.tsx";
import { Problem } from "../parts/acting/problem.tsx";
import { AskFirst, mayAct, useAct } from "../parts/acting/use-act.tsx";
import { DeviceChoice, useDevices } from "../parts/devices/device-choice.tsx";
import type { Area } from "../state/house/areas.ts";
import { useAreas } from "../state/house/areas.ts";
import { putDevice } from "../state/house/devices.ts";
import { readDevice } from "../state/house/house.ts";
import { patch, post, remove } from "../state/hub/api.ts";
import { allows } from "../state/hub/session.ts";
import { t } from "../texts/index.ts";
import { toast } from "../ui/toast.ts";

const at = (id: string): string => `/areas/${encodeURIComponent(id)}`;

export function AreasView() {
  const { areas, areaName, problem, read } = useAreas();
  const query = useAddress();
  const open = query.of("area");
  const devices = useDevices();
  return (
    <>
      <h1>{t("areas.title")}</h1>
      <Problem of={problem} />
      {areas?.length === 0 && <p>{t("areas.empty")}</p>}
      <ul class="things">
        {areas?.map((area) => (
          <AreaRow
            key={area.id}
            area={area}
            inside={devices.filter((device) => device.area === area.id)}
            areaName={areaName}
            isOpen={open === area.id}
            onOpen={(isOpen) => query.change({ area: isOpen ? area.id : undefined }, isOpen)}
            read={read}
          />
        ))}
      </ul>
      <NewThing
        label={t("areas.new")}
        disabled={!mayAct("user")}
        onCreate={async (name) => {
          const { id } = await post<Area>("/areas", { name });
          await read();
          query.change({ area: id }, true);
        }}
      />
    </>
  );
}

interface AreaRowProps {
  area: Area;
  inside: readonly Device[];
  areaName: (id: string) => string;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  read: () => Promise<void>;
}

function AreaRow({ area, inside, areaName, isOpen, onOpen, read }: AreaRowProps) {
  const { id, name } = area;
  const act = useAct();
  return (
    <li class="thing">
      <div class="about">
        <NameEditor
          name={name}
          disabled={!mayAct("user")}
          onSave={async (next) => {
            await patch(at(id), { name: next });
            await read();
          }}
        />
        <p class="hint">{t("areas.devices", { count: inside.length })}</p>
      </div>
      <div class="buttons">
        {!isOpen && allows("user") && (
          <button
            type="button"
            disabled={!mayAct("user")}
            aria-label={`${t("areas.choose")}: ${name}`}
            onClick={() => onOpen(true)}
          >
            {t("areas.choose")}
          </button>
        )}
        <AskFirst
          label={t("house.remove")}
          of={name}
          question={t("areas.remove_of", { name, count: inside.length })}
          disabled={!mayAct("user") || act.busy}
          onYes={() => void act.run(() => removeArea(area, inside, read))}
        />
      </div>
      {isOpen && allows("user") && (
        <Inside area={area} inside={inside} areaName={areaName} read={read} onEnd={() => onOpen(false)} />
      )}
      <Problem of={act.problem} />
    </li>
  );
}

async function moveTo(area: string | null, ids: Iterable<string>): Promise<void> {
  for (const id of ids) putDevice(await patch<Device>(`/devices/${encodeURIComponent(id)}`, { area }));
}

/** Undone, its devices are in it again. */
async function removeArea({ id, name }: Area, inside: readonly Device[], read: () => Promise<void>): Promise<void> {
  await remove(at(id));
  await Promise.all(inside.map((device) => readDevice(device.id)));
  await read();
  const undo = async (): Promise<void> => {
    await post("/areas", { id, name });
    await moveTo(
      id,
      inside.map((device) => device.id),
    );
    await read();
  };
  toast(t("house.removed", { name }), () => void undo().catch(() => toast(t("house.undo_failed"))));
}

interface InsideProps {
  area: Area;
  inside: readonly Device[];
  areaName: (id: string) => string;
  read: () => Promise<void>;
  onEnd: () => void;
}

/** Which devices are in the area: chosen here, moved together. */
function Inside({ area: { id, name }, inside, areaName, read, onEnd }: InsideProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(inside.map((device) => device.id)));
  const act = useAct();
  const before = new Set(inside.map((device) => device.id));
  const coming = [...chosen].filter((one) => !before.has(one));
  const going = [...before].filter((one) => !chosen.has(one));
  async function save(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const isDone = await act.run(async () => {
      await moveTo(id, coming);
      await moveTo(null, going);
      await read();
    });
    if (isDone) onEnd();
  }
  return (
    <form class="wide stacked-form" onSubmit={save}>
      <DeviceChoice
        legend={t("areas.inside", { name })}
        chosen={chosen}
        onChange={setChosen}
        note={({ area }) => (area !== null && area !== id ? t("areas.now_in", { area: areaName(area) }) : "")}
        areaName={areaName}
      />
      <Problem of={act.problem} />
      <div class="buttons">
        <button type="submit" class="main" disabled={act.busy || !mayAct("user") || coming.length + going.length === 0}>
          {coming.length + going.length === 0
            ? t("house.save")
            : t("areas.move", { coming: coming.length, going: going.length })}
        </button>
        <button type="button" onClick={onEnd}>
          {t("house.cancel")}
        </button>
      </div>
    </form>
  );
}
