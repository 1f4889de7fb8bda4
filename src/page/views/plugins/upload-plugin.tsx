// Installs a plugin from a file of this device, or exchanges the program of one that came so.
import { useRef, useState } from "preact/hooks";
import { Problem } from "../../parts/acting/problem.tsx";
import { idFromFile, install, MAX_BYTES } from "../../state/admin/uploads.ts";
import { connection } from "../../state/hub/live.ts";
import { allows } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";

interface Props {
  /** The plugin whose program is exchanged; a new one is installed when absent. */
  replaces?: string | undefined;
  onDone: (id: string) => void;
}

export function PluginUpload({ replaces, onDone }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File>();
  const [typed, setTyped] = useState("");
  const [enabled, setEnabled] = useState(true);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const id = replaces ?? typed;
  const refusal = file && refusalOf(file);
  const isOff = connection.value.state !== "live" || !allows("admin");

  function choose(chosen: File | undefined): void {
    setFile(chosen);
    setProblem(undefined);
    if (chosen && typed === "" && refusalOf(chosen) === undefined) setTyped(idFromFile(chosen.name));
  }

  /** The input shows what was dropped. */
  function drop(files: FileList | undefined): void {
    if (!files?.length || !input.current) return;
    input.current.files = files;
    choose(files[0]);
  }

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (!file) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await install({ id, file, enabled, replace: replaces !== undefined });
      setFile(undefined);
      setTyped("");
      (event.target as HTMLFormElement).reset();
      onDone(id);
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <form class="upload" onSubmit={submit} aria-busy={busy}>
      <label
        class="upload-drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          drop(event.dataTransfer?.files);
        }}
      >
        <span>{t("upload.file")}</span>
        <input
          ref={input}
          type="file"
          accept=".js,.ts,text/javascript"
          onChange={(event) => choose(event.currentTarget.files?.[0])}
        />
        <span class="hint">{t("upload.file_hint")}</span>
      </label>
      {refusal && (
        <p class="problem" role="alert">
          {refusal}
        </p>
      )}
      {replaces === undefined && (
        <>
          <label class="upload-field">
            {t("upload.id")}
            <input
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
              required
              maxLength={64}
              pattern="[A-Za-z0-9_\-][A-Za-z0-9._\-]*"
              title={t("upload.id_hint")}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
            />
            <span class="hint">{t("upload.id_hint")}</span>
          </label>
          <label class="upload-check">
            <input type="checkbox" checked={enabled} onChange={(event) => setEnabled(event.currentTarget.checked)} />
            {t("upload.enabled")}
          </label>
        </>
      )}
      <Problem of={problem} />
      <button type="submit" class="main" disabled={busy || isOff || !file || refusal !== undefined || id === ""}>
        {busy ? t("upload.busy") : replaces === undefined ? t("upload.install") : t("upload.replace_now")}
      </button>
    </form>
  );
}

/** What the hub would refuse anyway, before megabytes are sent. */
function refusalOf({ name, size }: File): string | undefined {
  if (!/\.[jt]s$/i.test(name)) return t("upload.not_a_script");
  return size > MAX_BYTES ? t("upload.too_large") : undefined;
}
