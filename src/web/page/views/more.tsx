// Everything else.
import { session, setSession } from "../state/session.ts";
import { t } from "../texts/index.ts";

export function More() {
  return (
    <>
      <h1>{t("nav.more")}</h1>
      <p>{session.value?.user.username}</p>
      <ul class="links">
        <li>
          <a href="/account">{t("account.title")}</a>
        </li>
        <li>
          <a href="/system">{t("system.title")}</a>
        </li>
        <li>
          <a href="/plugins">{t("plugins.title")}</a>
        </li>
      </ul>
      <button type="button" onClick={() => setSession(undefined)}>
        {t("sign_out")}
      </button>
    </>
  );
}
