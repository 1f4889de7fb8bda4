// Asks for the password again, over whatever is open, for what puts programs on the hub or replaces the house.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Problem } from "../../parts/acting/problem.tsx";
import { useAct } from "../../parts/acting/use-act.tsx";
import { askingForPassword } from "../../state/hub/asking-for-password.ts";
import { session } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";

export function ConfirmPassword() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [password, setPassword] = useState("");
  const { locked, problem, run } = useAct();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const cancel = (): void => askingForPassword.peek()?.cancel();

  return (
    <dialog
      ref={dialog}
      class="sheet"
      aria-label={t("confirm.title")}
      onCancel={(event) => {
        event.preventDefault();
        cancel();
      }}
    >
      <form
        class="sheet-inside"
        onSubmit={(event) => {
          event.preventDefault();
          void run(async () => askingForPassword.peek()?.give(password));
        }}
      >
        <header>
          <h2>{t("confirm.title")}</h2>
        </header>
        <p>{t("confirm.why")}</p>
        <input type="text" autocomplete="username" value={session.value?.user.username ?? ""} readOnly hidden />
        <label>
          {t("confirm.password")}
          <input
            {...{
              type: "password",
              autocomplete: "current-password",
              value: password,
              required: true,
              disabled: locked,
            }}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
        </label>
        <Problem of={problem} />
        <button type="submit" class="main" disabled={locked}>
          {t("confirm.submit")}
        </button>
        <button type="button" onClick={cancel}>
          {t("confirm.cancel")}
        </button>
      </form>
    </dialog>
  );
}
