// Everything else.
import { session, setSession } from "../state/session.ts";
import { t } from "../texts/index.ts";

export function More() {
  return (
    <>
      <h1>{t("nav.more")}</h1>
      <p>{session.value?.user.username}</p>
      <ul class="plain">
        <li>
          <a href="/devices">{t("devices.title")}</a> <span class="hint">{t("devices.hint")}</span>
        </li>
        <li>
          <a href="/inbox">{t("inbox.title")}</a> <span class="hint">{t("inbox.hint")}</span>
        </li>
      </ul>
      <button type="button" onClick={() => setSession(undefined)}>
        {t("sign_out")}
      </button>
    </>
  );
}
