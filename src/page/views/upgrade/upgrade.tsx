// A newer version of the hub.

import { allows } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";
import { HubUpgrade } from "./upload-hub.tsx";

export function Upgrade() {
  return (
    <>
      <h1>{t("upload.hub_title")}</h1>
      {allows("admin") ? <HubUpgrade /> : <p>{t("system.admins_only")}</p>}
    </>
  );
}
