// Restoring a copy that is kept elsewhere: where it is, which one, a look into it, and the restore. On a new hub the recovery sheet says
// where the copies are.

import { useState } from "preact/hooks";
import { formatBytes } from "../../model/text/formats.ts";
import { type Looked, lookAtCopies, restoreCopy, type WantedCopy } from "../../state/admin/archive.ts";
import { formatTime, t } from "../../texts/index.ts";
import { DropZone } from "../../ui/drop-zone.tsx";
import { type Contents, type Restore, RestoreForm, useRestore } from "./restore-form.tsx";

export function RestoreCopy({ isNew = false }: { isNew?: boolean }) {
  const [sheet, setSheet] = useState("");
  const [file, setFile] = useState<File>();
  const [looked, setLooked] = useState<Looked>();
  const [chosen, setChosen] = useState("");
  const bySheet = sheet.trim() === "" ? {} : { sheet };
  const restore = useRestore((isTrial) => restoreCopy<Contents>({ ...wanted(), ...(isTrial && { dry_run: true }) }));

  function wanted(): WantedCopy {
    const [house = "", name = ""] = chosen.split("/");
    return { ...bySheet, target: looked?.target ?? "", house, name };
  }
  function take(text: string, from?: File): void {
    setSheet(text);
    setFile(from);
    setLooked(undefined);
    restore.chooseAnew();
  }
  function look(target?: string): void {
    void restore.run(async () => {
      restore.chooseAnew();
      const found = await lookAtCopies({ ...bySheet, ...(target !== undefined && { target }) });
      setLooked(found);
      setChosen(idsOf(found)[0] ?? "");
    });
  }

  return (
    <RestoreForm
      of={restore}
      why={t(isNew ? "copies.why_new" : "copies.why")}
      first={looked ? undefined : { label: t("copies.look"), act: () => look() }}
      ready={looked ? chosen !== "" : !isNew || sheet.trim() !== ""}
      underWay={<progress aria-label={t("copies.fetching")} />}
    >
      <DropZone
        file={file}
        accept=".toml,.txt,text/plain"
        disabled={restore.locked}
        onFile={(next) => void next?.text().then((text) => take(text, next))}
      >
        {t("copies.sheet_file")}
      </DropZone>
      <label>
        {t(isNew ? "copies.sheet_new" : "copies.sheet")}
        <textarea
          {...{ rows: 4, value: sheet, disabled: restore.locked, spellcheck: false }}
          onInput={(event) => take(event.currentTarget.value)}
        />
      </label>
      {looked && (
        <Choice
          of={looked}
          {...{ restore, chosen, onPlace: look }}
          onCopy={(id) => {
            setChosen(id);
            restore.chooseAnew();
          }}
        />
      )}
    </RestoreForm>
  );
}

interface ChoiceProps {
  of: Looked;
  restore: Restore;
  chosen: string;
  onPlace: (target: string) => void;
  onCopy: (id: string) => void;
}

function Choice({ of: looked, restore: { locked }, chosen, onPlace, onCopy }: ChoiceProps) {
  return (
    <>
      {looked.targets.length > 1 && (
        <label>
          {t("copies.place")}
          <select value={looked.target} disabled={locked} onChange={(event) => onPlace(event.currentTarget.value)}>
            {looked.targets.map(({ name, address }) => (
              <option key={name} value={name}>
                {name} ({address})
              </option>
            ))}
          </select>
        </label>
      )}
      {idsOf(looked).length === 0 ? (
        <p class="hint">{t("copies.none")}</p>
      ) : (
        <label>
          {t("copies.which")}
          <select value={chosen} disabled={locked} onChange={(event) => onCopy(event.currentTarget.value)}>
            {looked.houses.map(({ house, copies }) => (
              <optgroup key={house} label={house}>
                {copies.map(({ name, at, bytes }) => (
                  <option key={name} value={`${house}/${name}`}>
                    {formatTime(at)} · {formatBytes(bytes)}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        </label>
      )}
    </>
  );
}

function idsOf({ houses }: Looked): string[] {
  return houses.flatMap(({ house, copies }) => copies.map(({ name }) => `${house}/${name}`));
}
