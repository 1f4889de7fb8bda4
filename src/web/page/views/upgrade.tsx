// A newer version of the hub.
import { HubUpgrade } from "../components/upload-hub.tsx";
import { t } from "../texts/index.ts";

export function Upgrade() {
  return (
    <>
      <h1>{t("upload.hub_title")}</h1>
      <HubUpgrade />
    </>
  );
}
