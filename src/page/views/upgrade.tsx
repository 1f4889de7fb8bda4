// A newer version of the hub.
import { HubUpgrade } from "../components/upload-hub.tsx";
import { allows } from "../state/session.ts";
import { t } from "../texts/index.ts";

export function Upgrade() {
  return (
    <>
      <h1>{t("upload.hub_title")}</h1>
      {allows("admin") ? <HubUpgrade /> : <p>{t("system.admins_only")}</p>}
    </>
  );
}
