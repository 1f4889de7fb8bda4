// What a camera shows: the newest picture, and the last ones to choose from.

import { useEffect, useState } from "preact/hooks";
import type { Device } from "../../model/device/device.ts";
import { get } from "../../state/hub/api.ts";
import { t } from "../../texts/index.ts";
import { Age } from "../../ui/moment.tsx";
import { pictureAddress, usePicture } from "./use-picture.ts";

interface Kept {
  at: string;
  of: string | null;
}

const MAX_LISTED = 30;

export function Pictures({ device: { id, name, attributes } }: { device: Device }) {
  const newest = String(attributes.picture_at ?? "");
  const [kept, setKept] = useState<readonly Kept[]>([]);
  const [chosen, setChosen] = useState<string>();
  useEffect(() => {
    get<Kept[]>(`${pictureAddress(id)}s`).then(setKept, () => {});
  }, [id, newest]);
  const shown = kept.find(({ at }) => at === chosen) ?? kept[0];
  const at = shown?.at ?? newest;
  const { address: picture } = usePicture({ id, at, of: shown?.of ?? undefined });
  return (
    <section class="card" aria-labelledby="pictures">
      <h2 id="pictures">{t("device.pictures")}</h2>
      {picture !== undefined && <img class="picture" src={picture} alt={t("device.picture_alt", { name })} />}
      <p class="hint">
        {shown?.of} <Age at={at} />
      </p>
      {kept.length > 1 && (
        <label>
          {t("device.picture_choose")}{" "}
          <select value={shown?.at} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            {kept.slice(0, MAX_LISTED).map((one) => (
              <option key={`${one.at} ${one.of}`} value={one.at}>
                {[new Date(one.at).toLocaleString(), one.of].filter(Boolean).join(" · ")}
              </option>
            ))}
          </select>
        </label>
      )}
    </section>
  );
}
