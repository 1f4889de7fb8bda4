// What is saved in hub.toml and waits for a restart, with the restart.
import { useState } from "preact/hooks";
import { readConfig } from "../../state/admin/hub-config.ts";
import { ApiError } from "../../state/hub/api.ts";
import { t } from "../../texts/index.ts";
import { toast } from "../../ui/toast.ts";
import { Problem } from "../acting/problem.tsx";
import { RestartHub } from "./restart-hub.tsx";
import type { ConfigDraft } from "./use-config-draft.ts";

interface ConfigWaitingProps {
  of: ConfigDraft;
  onBack?: () => Promise<unknown>;
}

export function ConfigWaiting({ of: { file, isChanged, checked, read }, onBack }: ConfigWaitingProps) {
  const [problem, setProblem] = useState<unknown>();
  const changes = isChanged ? [] : (checked?.changes ?? []);

  async function restarted(): Promise<void> {
    const now = await readConfig();
    await read();
    // The hub did not start with it, and took back the text it ran with.
    if (now.etag === file.etag) toast(t("restart.back"));
    else setProblem(new ApiError(0, { code: "went_back" }));
    await onBack?.();
  }

  return (
    <>
      <Problem of={problem} />
      {changes.length > 0 && (
        <div class="banner">
          <p>
            {t("config.waiting")} <code>{changes.join(", ")}</code>
          </p>
          <div class="buttons">
            <RestartHub look="main" onBack={restarted} />
          </div>
          {changes.some((change) => /^server\.(host|port|tls)/.test(change)) && <p>{t("config.other_address")}</p>}
        </div>
      )}
    </>
  );
}
