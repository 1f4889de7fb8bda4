// Asks for the name before an uploaded plugin is removed.
import { useState } from "preact/hooks";
import { Problem } from "../../parts/acting/problem.tsx";
import { removePlugin } from "../../state/admin/uploads.ts";
import { connection } from "../../state/hub/live.ts";
import { t } from "../../texts/index.ts";

export function UploadRemoval({ id, onDone }: { id: string; onDone: () => void }) {
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      await removePlugin(id);
      onDone();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  }

  return (
    <form class="upload" onSubmit={submit}>
      <p>{t("upload.remove_what")}</p>
      <label class="upload-field">
        <span>{t("upload.remove_type", { id })}</span>
        <input
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
      </label>
      <Problem of={problem} />
      <button type="submit" class="main" disabled={busy || typed.trim() !== id || connection.value.state !== "live"}>
        {t("upload.remove")}
      </button>
    </form>
  );
}
