// Restarts the hub in place, and says when it is back.

import { useState } from "preact/hooks";
import { post } from "../../state/hub/api.ts";
import { hubReturned } from "../../state/hub/hub-return.ts";
import { t } from "../../texts/index.ts";
import { ActButton } from "../acting/use-act.tsx";

interface RestartHubProps {
  look?: "main";
  /** When it is up again. */
  onBack?: () => Promise<unknown> | undefined;
}

export function RestartHub({ look, onBack }: RestartHubProps) {
  const [state, setState] = useState<"waiting" | "back">();

  async function restart(): Promise<void> {
    setState(undefined);
    const askedAt = Date.now();
    await post("/system/restart");
    setState("waiting");
    try {
      await hubReturned(askedAt);
      setState("back");
      await onBack?.();
    } catch (error) {
      setState(undefined);
      throw error;
    }
  }

  return (
    <>
      <ActButton act={restart} look={look}>
        {t("restart.restart")}
      </ActButton>
      <span role="status" class="hint">
        {state === "waiting" && t("restart.waiting")}
        {state === "back" && t("restart.back")}
      </span>
    </>
  );
}
