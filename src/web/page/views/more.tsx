// Everything else.
import { allows, session, setSession } from "../state/session.ts";
import { t } from "../texts/index.ts";

export function More() {
  return (
    <>
      <h1>{t("nav.more")}</h1>
      <p>{session.value?.user.username}</p>
      {allows("admin") && (
        <ul class="uploads">
          <li>
            <a href="/plugins/install">{t("upload.title")}</a> <span class="hint">{t("upload.hint")}</span>
          </li>
          <li>
            <a href="/upgrade">{t("upload.hub_title")}</a> <span class="hint">{t("upload.hub_hint")}</span>
          </li>
        </ul>
      )}
      <button type="button" onClick={() => setSession(undefined)}>
        {t("sign_out")}
      </button>
    </>
  );
}
