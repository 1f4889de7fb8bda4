// Restoring an archive, from here or from another machine: drop it, see what is in it, restore it.
import { useState } from "preact/hooks";
import { ApiError } from "../state/api.ts";
import { restoring } from "../state/first-minutes.ts";
import { upload } from "../state/upload.ts";
import { formatTime, t } from "../texts/index.ts";
import { Problem } from "./problem.tsx";
import { useAct } from "./use-act.ts";

interface Contents {
  counts: { devices: number; rules: number; users: number; plugins: number };
  created_at: string | null;
  hub_version: string | null;
  warnings: string[];
}

export function RestoreArchive() {
  const { busy, locked, problem, run } = useAct();
  const [file, setFile] = useState<File>();
  const [passphrase, setPassphrase] = useState("");
  const [sent, setSent] = useState(0);
  const [contents, setContents] = useState<Contents>();

  function take(next: File | undefined): void {
    setFile(next);
    setContents(undefined);
  }
  const send = async (query: string): Promise<Contents> => {
    // Headers hold nothing else.
    if (!/^[\x20-\x7e]*$/.test(passphrase)) throw new ApiError(0, { code: "passphrase_letters" });
    setSent(0);
    const headers = {
      "content-type": "application/zip",
      ...(passphrase !== "" && { "x-backup-passphrase": passphrase }),
    };
    return upload<Contents>(`/system/restore${query}`, file ?? new Blob(), { headers, onProgress: setSent });
  };
  const check = (): Promise<boolean> => run(async () => setContents(await send("?dry_run=true")));
  const restore = (): Promise<boolean> =>
    run(async () => {
      await send("");
      restoring.value = Date.now();
    });

  return (
    <form
      class="setup-form wide"
      onSubmit={(event) => {
        event.preventDefault();
        void check();
      }}
    >
      <p>{t("restore.why")}</p>
      <DropZone file={file} disabled={locked} onFile={take} />
      <label>
        {t("restore.passphrase")}
        <input
          {...{ type: "password", autocomplete: "off", value: passphrase, disabled: locked }}
          onInput={(event) => setPassphrase(event.currentTarget.value)}
        />
      </label>
      {busy && <Sending part={sent} />}
      <Problem of={problem} />
      {contents && <Found contents={contents} />}
      <p class="buttons">
        {contents ? (
          <button type="button" class="danger" disabled={locked} onClick={() => void restore()}>
            {t("restore.submit")}
          </button>
        ) : (
          <button type="submit" class="main" disabled={locked || !file}>
            {t("restore.check")}
          </button>
        )}
      </p>
    </form>
  );
}

interface DropProps {
  file: File | undefined;
  disabled: boolean;
  onFile: (file: File | undefined) => void;
}

function DropZone({ file, disabled, onFile }: DropProps) {
  return (
    <label
      class="drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (!disabled) onFile(event.dataTransfer?.files[0]);
      }}
    >
      <span>{t(file ? "restore.other" : "restore.choose")}</span>
      <input
        class="visually-hidden"
        {...{ type: "file", accept: ".zip,.age,application/zip", disabled }}
        onChange={(event) => onFile(event.currentTarget.files?.[0])}
      />
      {file && <strong dir="auto">{file.name}</strong>}
    </label>
  );
}

function Sending({ part }: { part: number }) {
  const text = t(part < 1 ? "restore.sending" : "restore.checking");
  return (
    <div>
      <p role="status">{text}</p>
      {/* Without a value while the hub checks: nobody knows how long that takes. */}
      <progress aria-label={text} {...(part < 1 && { value: part })} />
    </div>
  );
}

function Found({ contents: { counts, created_at: at, hub_version: version, warnings } }: { contents: Contents }) {
  return (
    <div class="setup-notice" role="status">
      <p>
        <strong>{t("restore.is_good")}</strong>
      </p>
      {at !== null && <p>{t("restore.made_at", { time: formatTime(at), version: version ?? "?" })}</p>}
      <p>{t("restore.counts", counts)}</p>
      {warnings.map((warning) => (
        <p key={warning} dir="auto">
          {warning}
        </p>
      ))}
      <p>{t("restore.warning")}</p>
    </div>
  );
}
