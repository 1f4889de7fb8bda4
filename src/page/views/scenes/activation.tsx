// A scene's button, and what came of it at each device.
import { useState } from "preact/hooks";
import { Problem } from "../../parts/acting/problem.tsx";
import { mayAct, useAct } from "../../parts/acting/use-act.tsx";
import { deviceName } from "../../parts/devices/values.ts";
import { devices } from "../../state/house/house.ts";
import { allows } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";
import { type Activation, activate } from "./scenes.ts";

export function ActivateScene({ id, name }: { id: string; name: string }) {
  const act = useAct();
  const [outcome, setOutcome] = useState<Activation>();
  const start = (force = false): Promise<boolean> =>
    act.run(async () => {
      setOutcome(await activate(id, force));
    });
  return (
    <>
      <button
        type="button"
        class="main"
        hidden={!allows("user")}
        disabled={act.busy || !mayAct("user")}
        aria-label={`${t("scene.activate")}: ${name}`}
        onClick={() => void start()}
      >
        {t("scene.activate")}
      </button>
      <div class="wide" role="status">
        <Problem of={act.problem} />
        {outcome && !act.busy && <Outcome of={outcome} onForce={() => void start(true)} />}
      </div>
    </>
  );
}

function Outcome({ of: { sent, failed }, onForce }: { of: Activation; onForce: () => void }) {
  const isAway = (id: string): boolean => devices.value.get(id)?.value.available === false;
  return (
    <>
      <p class={failed.length === 0 ? "good" : "look"}>
        {t(failed.length === 0 ? "scene.all_sent" : "scene.some_sent", { sent: sent.length, failed: failed.length })}
      </p>
      <details open={failed.length > 0}>
        <summary>{t("scene.result")}</summary>
        <ul class="results">
          {failed.map(({ device_id: id, error }) => (
            <li key={id}>
              <span class="act">✗</span> <bdi>{deviceName(id)}</bdi>:{" "}
              <span dir="auto">{isAway(id) ? t("device.offline") : error}</span>
            </li>
          ))}
          {sent.map(({ device_id: id }) => (
            <li key={id}>
              <span class="good">✓</span> <bdi>{deviceName(id)}</bdi>: {t("scene.sent")}
            </li>
          ))}
        </ul>
        {failed.some(({ device_id }) => isAway(device_id)) && (
          <button type="button" disabled={!mayAct("user")} onClick={onForce}>
            {t("scene.force")}
          </button>
        )}
      </details>
    </>
  );
}
