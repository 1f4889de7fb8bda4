// How this hub gets a newer version, and back: by a file that is sent from here, or, where only root may change the program, by
// commands.

import { Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../../parts/acting/problem.tsx";
import { AskFirst, useAct } from "../../parts/acting/use-act.tsx";
import {
  goBackToPrevious,
  type HubVersions,
  hubVersions,
  sendHub,
  versionChanged,
} from "../../state/admin/hub-version.ts";
import { connection } from "../../state/hub/live.ts";
import { formatTime, t } from "../../texts/index.ts";
import { DropZone, Sending } from "../../ui/drop-zone.tsx";

const UPGRADE = "sudo /opt/hub/bin/hub upgrade ./hub-linux-arm64";
const BACK = "sudo /opt/hub/bin/hub upgrade --rollback";

export function HubUpgrade() {
  const [versions, setVersions] = useState<HubVersions>();
  const [problem, setProblem] = useState<unknown>();
  const isLive = connection.value.state === "live";
  // Asked again when the hub is back: it may be another version then.
  useEffect(() => {
    if (!isLive) return;
    hubVersions().then((read) => {
      setVersions(read);
      setProblem(undefined);
    }, setProblem);
  }, [isLive]);

  return (
    <section class="upload">
      <Problem of={problem} />
      {versions && (
        <>
          <p>{t("upload.hub_now", { version: versions.version })}</p>
          <LastUpgrade last={versions.last} />
          {versions.refused === null ? (
            <Exchange versions={versions} onChanged={setVersions} />
          ) : (
            <Commands why={versions.refused} />
          )}
        </>
      )}
    </section>
  );
}

function LastUpgrade({ last }: Pick<HubVersions, "last">) {
  if (!last || last.ok === null) return null;
  const words = { from: last.from, to: last.to, time: formatTime(last.at) };
  if (last.ok) return <p class="hint">{t("upload.hub_went_well", words)}</p>;
  return (
    <div class="problem">
      <p>{t("upload.hub_failed", words)}</p>
      <p dir="auto">{last.error}</p>
    </div>
  );
}

interface ExchangeProps {
  versions: HubVersions;
  onChanged: (versions: HubVersions) => void;
}

function Exchange({ versions, onChanged }: ExchangeProps) {
  const { locked, busy, problem, run } = useAct();
  const [file, setFile] = useState<File>();
  const [sent, setSent] = useState<number>();
  const [outcome, setOutcome] = useState<string>();

  const exchange = (send: () => Promise<void>): Promise<boolean> =>
    run(async () => {
      setOutcome(undefined);
      try {
        await send();
        setSent(1);
        const now = await versionChanged(versions);
        if (now.last?.ok) setOutcome(t("upload.hub_done", { version: now.version }));
        onChanged(now);
        setFile(undefined);
      } finally {
        setSent(undefined);
      }
    });

  return (
    <form
      class="upload"
      aria-busy={busy}
      onSubmit={(event) => {
        event.preventDefault();
        if (file) void exchange(() => sendHub(file, setSent));
      }}
    >
      <p>{t("upload.hub_choose_what")}</p>
      <DropZone file={file} disabled={locked} onFile={setFile}>
        {t(file ? "restore.other" : "upload.hub_choose")}
      </DropZone>
      <p class="hint">
        {t("upload.hub_backup")} <a href="/system/backups">{t("upload.hub_to_backups")}</a>
      </p>
      {sent !== undefined && <Sending part={sent} text={t(sent < 1 ? "upload.hub_sending" : "upload.hub_trying")} />}
      <Problem of={problem} />
      <p role="status">{outcome}</p>
      <button type="submit" class="main" disabled={locked || !file}>
        {t("upload.hub_submit")}
      </button>
      <p class="hint">{t("upload.hub_try")}</p>
      {versions.previous !== null && (
        <AskFirst
          label={t("upload.hub_go_back", { version: versions.previous })}
          of={t("upload.hub_title")}
          question={t("upload.hub_go_back_question", { version: versions.previous })}
          needs="admin"
          disabled={locked}
          onYes={() => void exchange(() => goBackToPrevious(false))}
        />
      )}
      {versions.snapshot !== null && versions.snapshot.version === versions.previous && (
        <AskFirst
          label={t("upload.hub_back_whole", { time: formatTime(versions.snapshot.at) })}
          of={t("upload.hub_title")}
          question={t("upload.hub_back_whole_question", {
            version: versions.previous,
            time: formatTime(versions.snapshot.at),
          })}
          needs="admin"
          disabled={locked}
          onYes={() => void exchange(() => goBackToPrevious(true))}
        />
      )}
    </form>
  );
}

function Commands({ why }: { why: string }) {
  return (
    <>
      <ol class="upload-steps">
        <li>{t("upload.hub_backup")}</li>
        <li>{t("upload.hub_file")}</li>
        <li>
          {t("upload.hub_run")}
          <Command text={UPGRADE} />
          <span class="hint">{t("upload.hub_try")}</span>
        </li>
      </ol>
      <p>{t("upload.hub_back")}</p>
      <Command text={BACK} />
      <p class="hint">{t("upload.hub_why")}</p>
      <p class="hint" dir="auto">
        {why}
      </p>
    </>
  );
}

function Command({ text }: { text: string }) {
  return (
    <pre class="upload-command">
      <code>
        {text.split(" ").map((word, at) => (
          <Fragment key={word}>
            {at > 0 && " "}
            <span>{word}</span>
          </Fragment>
        ))}
      </code>
    </pre>
  );
}
