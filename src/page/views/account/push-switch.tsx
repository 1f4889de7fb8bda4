// The switch for messages on this device, or why there is none.
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../../parts/acting/problem.tsx";
import { useAct } from "../../parts/acting/use-act.tsx";
import { type PushState, readPush, switchPushOff, switchPushOn } from "../../state/admin/push.ts";
import { ApiError } from "../../state/hub/api.ts";
import { t } from "../../texts/index.ts";

export function PushSwitch() {
  const [state, setState] = useState<PushState>();
  const [failure, setFailure] = useState<string>();
  const { locked, problem, run } = useAct();
  useEffect(() => void run(async () => setState(await readPush())), []);

  async function change(work: () => Promise<void>): Promise<void> {
    setFailure(undefined);
    try {
      await work();
    } catch (error) {
      if (error instanceof ApiError) throw error;
      setFailure(error instanceof Error ? error.message : String(error));
    }
    setState(await readPush());
  }

  return (
    <section>
      <h2>{t("push.title")}</h2>
      {state?.kind === "never" && <p class="hint">{t(`push.${state.why}`)}</p>}
      {state && state.kind !== "never" && (
        <>
          <p>{t(`push.${state.kind}`)}</p>
          {state.channels.length === 0 && <p class="hint">{t("push.no_channel")}</p>}
          <div class="buttons">
            <button
              type="button"
              aria-pressed={state.kind === "on"}
              disabled={locked}
              onClick={() => void run(() => change(state.kind === "on" ? switchPushOff : switchPushOn))}
            >
              {t(state.kind === "on" ? "push.switch_off" : "push.switch_on")}
            </button>
          </div>
        </>
      )}
      {failure !== undefined && (
        <p class="problem" role="alert">
          {t("push.failed", { error: failure })}
        </p>
      )}
      <Problem of={problem} />
    </section>
  );
}
