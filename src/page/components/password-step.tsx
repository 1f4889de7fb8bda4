// Setting up: a password in the place of the printed one.
import { person } from "../state/session.ts";
import { progress } from "../state/setup.ts";
import { t } from "../texts/index.ts";
import { PasswordForm } from "./password-form.tsx";
import type { StepProps } from "./setup-step.ts";

export function PasswordStep({ onDone }: StepProps) {
  if (progress.value?.password) return <p>{t("password.is_own", { user: person.value?.username ?? "" })}</p>;
  return (
    <>
      <p>{t("password.why")}</p>
      <PasswordForm onDone={onDone} />
    </>
  );
}
