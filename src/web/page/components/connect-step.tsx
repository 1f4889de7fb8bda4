// Setting up: the devices of the house. The connecting itself has its own view.
import { houseDevices } from "../state/setup.ts";
import { t } from "../texts/index.ts";

export function ConnectStep() {
  const count = houseDevices.value.length;
  return (
    <>
      <p>{count > 0 ? t("connect.found", { count }) : t("connect.none")}</p>
      <p>
        <a class="button main" href="/connect">
          {t("connect.to")}
        </a>
      </p>
    </>
  );
}
