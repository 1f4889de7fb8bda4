// The plugins that were uploaded, each with what can be done: exchange its program, go back, remove it.
import { useState } from "preact/hooks";
import { Problem } from "../../parts/acting/problem.tsx";
import { goBack, type Uploaded } from "../../state/admin/uploads.ts";
import { connection } from "../../state/hub/live.ts";
import { allows } from "../../state/hub/session.ts";
import { formatNumber, formatTime, t } from "../../texts/index.ts";

interface Props {
  uploads: readonly Uploaded[];
  /** What happened, for a note; the list is read anew. */
  onDone: (text: string) => void;
}

export function UploadList({ uploads, onDone }: Props) {
  return (
    <ul class="uploads">
      {uploads.map((uploaded) => (
        <Row key={uploaded.id} uploaded={uploaded} onDone={onDone} />
      ))}
    </ul>
  );
}

function Row({ uploaded, onDone }: { uploaded: Uploaded; onDone: Props["onDone"] }) {
  const { id, file, bytes, at, previous } = uploaded;
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const isOff = busy || connection.value.state !== "live" || !allows("admin");

  async function back(): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    try {
      await goBack(id);
      onDone(t("upload.went_back", { id }));
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  }

  const query = (key: string): string => `/plugins/install?${new URLSearchParams({ [key]: id })}`;
  return (
    <li>
      <div>
        <a href={`/plugins/${encodeURIComponent(id)}`} dir="auto">
          {id}
        </a>
        <p class="hint">
          {t("upload.version", { file, kb: formatNumber(bytes / 1024, 1), time: formatTime(at) })}
          {previous && <> · {t("upload.previous", { time: formatTime(previous.at) })}</>}
        </p>
      </div>
      <div class="upload-acts">
        <a class="button" href={query("replace")} aria-label={t("upload.replace_of", { id })}>
          {t("upload.replace")}
        </a>
        {previous && (
          <button type="button" disabled={isOff} onClick={back} aria-label={t("upload.back_of", { id })}>
            {t("upload.back")}
          </button>
        )}
        <a class="button" href={query("remove")} aria-label={t("upload.remove_of", { id })}>
          {t("upload.remove")}
        </a>
      </div>
      <Problem of={problem} />
    </li>
  );
}
