// Turning on the virtual house.

import { Problem } from "../../parts/acting/problem.tsx";
import { useAct } from "../../parts/acting/use-act.tsx";
import { changeSetup, setup } from "../../state/house/setup.ts";
import { t } from "../../texts/index.ts";
import { FirstDevices } from "./connect-wait.tsx";

export function ConnectVirtual() {
  const { locked, problem, run } = useAct();
  const isOn = setup.value?.virtual_house;
  return (
    <ol class="setup-three">
      <li>
        <h2>{t("connect.virtual_1")}</h2>
        <p>{t("connect.virtual_why")}</p>
      </li>
      <li>
        <h2>{t("connect.virtual_2")}</h2>
        {isOn === true && <p role="status">{t("connect.virtual_is_on")}</p>}
        {isOn === null && <p>{t("connect.virtual_missing")}</p>}
        {isOn === false && (
          <>
            <p class="buttons">
              <button
                type="button"
                class="main"
                disabled={locked}
                onClick={() => void run(() => changeSetup({ virtual_house: true }))}
              >
                {t("connect.virtual_on")}
              </button>
            </p>
            <p class="hint">{t("welcome.restart")}</p>
          </>
        )}
        <Problem of={problem} />
      </li>
      <li>
        <h2>{t("connect.step_wait")}</h2>
        {isOn && <FirstDevices pluginId="virtual" />}
      </li>
    </ol>
  );
}
