// Restoring an archive, from here or from another machine: drop it, see what is in it, restore it.
import { useState } from "preact/hooks";
import { ApiError } from "../../state/hub/api.ts";
import { confirmation } from "../../state/hub/confirmation.ts";
import { upload } from "../../state/hub/upload.ts";
import { t } from "../../texts/index.ts";
import { DropZone, Sending } from "../../ui/drop-zone.tsx";
import { type Contents, RestoreForm, useRestore } from "./restore-form.tsx";

export function RestoreArchive() {
  const [file, setFile] = useState<File>();
  const [passphrase, setPassphrase] = useState("");
  const [sent, setSent] = useState(0);
  const restore = useRestore(async (isTrial) => {
    // Headers hold nothing else.
    if (!/^[\x20-\x7e]*$/.test(passphrase)) throw new ApiError(0, { code: "passphrase_letters" });
    setSent(0);
    const headers = {
      "content-type": "application/zip",
      ...(passphrase !== "" && { "x-backup-passphrase": passphrase }),
      ...(!isTrial && (await confirmation())),
    };
    const query = isTrial ? "?dry_run=true" : "";
    return upload<Contents>(`/system/restore${query}`, file ?? new Blob(), { headers, onProgress: setSent });
  });

  return (
    <RestoreForm
      of={restore}
      why={t("restore.why")}
      ready={file !== undefined}
      underWay={<Sending part={sent} text={t(sent < 1 ? "restore.sending" : "restore.checking")} />}
    >
      <DropZone
        file={file}
        accept=".zip,.age,application/zip"
        disabled={restore.locked}
        onFile={(next) => {
          setFile(next);
          restore.chooseAnew();
        }}
      >
        {t(file ? "restore.other" : "restore.choose")}
      </DropZone>
      <label>
        {t("restore.passphrase")}
        <input
          {...{ type: "password", autocomplete: "off", value: passphrase, disabled: restore.locked }}
          onInput={(event) => setPassphrase(event.currentTarget.value)}
        />
      </label>
    </RestoreForm>
  );
}
