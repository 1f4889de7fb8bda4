// Whether devices in the network can reach the broker, and a touch that lets them.
import { useState } from "preact/hooks";
import { Problem } from "../../parts/acting/problem.tsx";
import { useAct } from "../../parts/acting/use-act.ts";
import { changeSetup, setup } from "../../state/house/setup.ts";
import { t } from "../../texts/index.ts";

export function BrokerReach() {
  const { locked, problem, run } = useAct();
  const [isOpened, setOpened] = useState(false);
  if (!setup.value) return null;
  if (setup.value.mqtt_everywhere) return isOpened ? <p role="status">{t("connect.opened")}</p> : null;
  return (
    <div class="setup-notice">
      <p>{t("connect.local")}</p>
      <Problem of={problem} />
      <p class="buttons">
        <button
          type="button"
          class="main"
          disabled={locked}
          onClick={() => void run(() => changeSetup({ mqtt_everywhere: true })).then(setOpened)}
        >
          {t("connect.open")}
        </button>
      </p>
      <p class="hint">{t("welcome.restart")}</p>
    </div>
  );
}
