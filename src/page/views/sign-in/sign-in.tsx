// Signing in. The address stays what it was: afterwards the view that was asked for is there.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Problem } from "../../parts/acting/problem.tsx";
import { restored, signIn } from "../../state/hub/first-minutes.ts";
import { signedOutBecause } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";

export function SignIn() {
  const [problem, setProblem] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const password = useRef<HTMLInputElement>(null);
  // Most often it is the password that is to be typed again.
  useLayoutEffect(() => {
    if (problem !== undefined) password.current?.select();
  }, [problem]);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn(String(fields.get("username")), String(fields.get("password")));
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  }

  return (
    <main class="sign-in">
      <h1>{t("sign_in.title")}</h1>
      {restored.value ? (
        <p role="status">{t("sign_in.restored")}</p>
      ) : (
        signedOutBecause.value === "expired" && <p role="status">{t("sign_in.expired")}</p>
      )}
      <form onSubmit={submit}>
        <label>
          {t("sign_in.user")}
          <input name="username" autocomplete="username" autocapitalize="none" required />
        </label>
        <label>
          {t("sign_in.password")}
          <input ref={password} name="password" type="password" autocomplete="current-password" required />
        </label>
        <Problem of={problem} />
        <button type="submit" class="main" disabled={busy}>
          {t("sign_in.submit")}
        </button>
      </form>
      {!restored.value && <p class="hint">{t("sign_in.first")}</p>}
    </main>
  );
}
