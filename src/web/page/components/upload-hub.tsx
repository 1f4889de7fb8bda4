// How this hub gets a newer version, and back. By commands: what the page could exchange, a stranger with a password could, too.
import { Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../state/api.ts";
import { connection } from "../state/live.ts";
import { t } from "../texts/index.ts";
import { Problem } from "./problem.tsx";

const UPGRADE = "sudo /opt/hub/bin/hub upgrade ./hub-linux-arm64";
const BACK = "sudo /opt/hub/bin/hub upgrade --rollback";

export function HubUpgrade() {
  const [version, setVersion] = useState<string>();
  const [problem, setProblem] = useState<unknown>();
  const isLive = connection.value.state === "live";
  // Asked again when the hub is back: it may be another version then.
  useEffect(() => {
    if (!isLive) return;
    get<{ version: string }>("/health").then((health) => {
      setVersion(health.version);
      setProblem(undefined);
    }, setProblem);
  }, [isLive]);

  return (
    <section class="upload">
      <Problem of={problem} />
      {version !== undefined && <p>{t("upload.hub_now", { version })}</p>}
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
    </section>
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
