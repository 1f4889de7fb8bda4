// Everything else.
import { allows, session, setSession } from "../state/session.ts";
import { t } from "../texts/index.ts";

export function More() {
  return (
    <>
      <h1>{t("nav.more")}</h1>
      {allows("admin") && (
        <ul>
          <li>
            <a href="/welcome">{t("welcome.title")}</a>
          </li>
          <li>
            <a href="/connect">{t("connect.title")}</a>
          </li>
        </ul>
      )}
      <p>{session.value?.user.username}</p>
      <button type="button" onClick={() => setSession(undefined)}>
        {t("sign_out")}
      </button>
    </>
  );
}
