// Setting up: the devices of the house. The connecting itself has its own view.
import { houseDevices } from "../state/setup.ts";
import { t } from "../texts/index.ts";

export function ConnectStep() {
  const count = houseDevices.value.length;
  return (
    <>
      <p>{t(count === 0 ? "connect.none" : "connect.found", { count })}</p>
      <p>
        <a class="button main" href="/connect">
          {t("connect.to")}
        </a>
      </p>
    </>
  );
}
