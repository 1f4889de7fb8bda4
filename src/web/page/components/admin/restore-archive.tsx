// Restoring an archive: chosen, asked for once more, sent, verified by the hub, and waited for until the hub is back.
import { useState } from "preact/hooks";
import { canAct } from "../../state/acting.ts";
import { ApiError, get } from "../../state/api.ts";
import { type AcceptedRestore, sendArchive } from "../../state/archive.ts";
import { hubReturned } from "../../state/hub-return.ts";
import { formatNumber, formatTime, t } from "../../texts/index.ts";
import { Problem } from "../problem.tsx";
import { useAct } from "../use-act.ts";
import { formatBytes } from "./format-bytes.ts";

type Step =
  | { name: "sending"; sent: number }
  | { name: "restarting"; accepted: AcceptedRestore }
  | { name: "done"; accepted: AcceptedRestore };

interface LastRestore {
  ok: boolean | null;
  error: string | null;
}

export function RestoreArchive() {
  const [file, setFile] = useState<File>();
  const [step, setStep] = useState<Step>();
  const { busy, problem, run } = useAct();

  async function restore(passphrase: string): Promise<void> {
    if (!file) return;
    setStep({ name: "sending", sent: 0 });
    try {
      const onProgress = (sent: number): void => setStep({ name: "sending", sent });
      const accepted = await sendArchive({ file, passphrase, onProgress });
      setStep({ name: "restarting", accepted });
      await hubReturned(Date.now());
      const result = await lastRestore();
      if (result?.ok === false) throw new ApiError(0, { detail: result.error ?? t("archive.failed") });
      setStep({ name: "done", accepted });
    } catch (error) {
      setStep(undefined);
      throw error;
    }
  }

  return (
    <section>
      <h2>{t("archive.title")}</h2>
      <p>{t("archive.about")}</p>
      <form
        class="stacked-form"
        onSubmit={(event) => {
          event.preventDefault();
          const fields = new FormData(event.currentTarget);
          void run(() => restore(String(fields.get("passphrase") ?? "")));
        }}
      >
        <label class="field">
          {t("archive.file")}
          <input
            type="file"
            accept=".zip,.age,application/zip"
            disabled={busy}
            onChange={(event) => setFile(event.currentTarget.files?.[0])}
          />
        </label>
        {file && (
          <>
            <label class="field">
              {t("archive.passphrase")}
              <input name="passphrase" type="password" autocomplete="off" />
            </label>
            <label class="choice">
              <input type="checkbox" required />
              {t("archive.sure", { name: file.name, size: formatBytes(file.size) })}
            </label>
          </>
        )}
        <Problem of={problem} />
        <div class="buttons">
          <button type="submit" class="danger" disabled={!file || busy || !canAct("admin")}>
            {t("archive.restore")}
          </button>
        </div>
        {step && <Progress of={step} />}
      </form>
      <p class="hint">{t("archive.undo")}</p>
    </section>
  );
}

/** Undefined where the archive's users are others: whoever signs in next sees it in the status. */
async function lastRestore(): Promise<LastRestore | undefined> {
  try {
    return (await get<{ last_restore: LastRestore | null }>("/system/status")).last_restore ?? undefined;
  } catch {
    return undefined;
  }
}

function Progress({ of: step }: { of: Step }) {
  if (step.name === "sending")
    return (
      <div role="status">
        <progress aria-label={t("archive.restore")} value={step.sent < 1 ? step.sent : undefined} />
        <p>
          {step.sent < 1 ? t("archive.sending", { percent: formatNumber(step.sent * 100, 0) }) : t("archive.checking")}
        </p>
      </div>
    );
  const { counts, created_at: at, warnings } = step.accepted;
  const numbers = Object.entries(counts).map(([name, count]) => `${formatNumber(count)} ${name}`);
  return (
    <div role="status">
      {step.name === "restarting" && <progress aria-label={t("archive.restore")} />}
      <p>{t(step.name === "done" ? "archive.done" : "archive.restarting")}</p>
      <p class="hint">{[at === null ? "" : formatTime(at), ...numbers].filter(Boolean).join(" · ")}</p>
      {warnings.map((warning) => (
        <p key={warning} class="hint" dir="auto">
          {warning}
        </p>
      ))}
    </div>
  );
}
