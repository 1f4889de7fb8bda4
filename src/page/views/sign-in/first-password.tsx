// After signing in with the printed password: asks for another. It can be put off; the steps of setting up ask again.
import { useLocation } from "preact-iso";
import { PasswordForm } from "../../parts/acting/password-form.tsx";
import { printedPassword } from "../../state/hub/first-minutes.ts";
import { allows } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";

export function FirstPassword() {
  const { path, route } = useLocation();
  function goOn(): void {
    printedPassword.value = undefined;
    if (path === "/") route("/welcome", true);
  }
  return (
    <main class="sign-in">
      <h1>{t("password.title")}</h1>
      <p>{t("password.why")}</p>
      <PasswordForm known={printedPassword.value} onDone={goOn} onLater={goOn} />
      {allows("admin") && (
        <p>
          <a href="/welcome?step=restore" onClick={() => (printedPassword.value = undefined)}>
            {t("welcome.restore")}
          </a>
        </p>
      )}
    </main>
  );
}
