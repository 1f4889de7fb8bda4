// Restarts the hub in place, and says when it is back.
import { useState } from "preact/hooks";
import { API, ApiError, post } from "../../state/hub/api.ts";
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

// Waits until a hub that restarts is up again, and no longer than it can take.
const STEP_MS = 500;
const ANSWER_MS = 3000;
const MAX_MS = 120_000;

export interface Health {
  /** `degraded`: more than is ready will not start. */
  status: string;
  uptime_secs: number;
  ready: boolean;
}

/** `askedAt`: when the restart was asked for, epoch ms. Rejects with an ApiError where the hub does not come back. */
async function hubReturned(askedAt: number): Promise<void> {
  let wasAway = false;
  while (Date.now() - askedAt < MAX_MS) {
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    const health = await readHealth();
    if (!health) wasAway = true;
    else if (isUp(health) && (wasAway || isYounger(health, askedAt))) return;
  }
  throw new ApiError(0, { code: "not_back" });
}

export function isUp({ ready, status }: Health): boolean {
  return ready || status === "degraded";
}

/** A restart may be over before it is seen that the hub was away. */
function isYounger({ uptime_secs }: Health, askedAt: number): boolean {
  return uptime_secs < (Date.now() - askedAt) / 1000;
}

async function readHealth(): Promise<Health | undefined> {
  try {
    const answer = await fetch(`${API}/health`, { cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS) });
    return answer.ok ? ((await answer.json()) as Health) : undefined;
  } catch {
    return undefined;
  }
}
