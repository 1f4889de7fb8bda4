// The first minutes: steps that can be done in any order, skipped, and come back to.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { PasswordForm } from "../../parts/acting/password-form.tsx";
import { Problem } from "../../parts/acting/problem.tsx";
import { useAct } from "../../parts/acting/use-act.tsx";
import { RestoreArchive } from "../../parts/restore/restore-archive.tsx";
import { RestoreCopy } from "../../parts/restore/restore-copy.tsx";
import { houseDevices, progress, readProgress, STEPS, type Step, setup } from "../../state/house/setup.ts";
import { connection } from "../../state/hub/live.ts";
import { allows, person } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";
import { AreasStep } from "./areas-step.tsx";
import { BackupStep } from "./backup-step.tsx";
import { PlaceStep } from "./place-step.tsx";
import { RuleStep } from "./rule-step.tsx";
import { SceneStep } from "./scene-step.tsx";
import type { StepProps } from "./setup-step.ts";

const CONTENT: Readonly<Record<Step, ComponentType<StepProps>>> = {
  password: PasswordStep,
  place: PlaceStep,
  areas: AreasStep,
  connect: ConnectStep,
  scene: SceneStep,
  rule: RuleStep,
  backup: BackupStep,
};

export function Welcome() {
  const { query, route } = useLocation();
  const { problem, run } = useAct();
  const isLive = connection.value.state === "live";
  const isAdmin = allows("admin");
  const read = (): void => void run(readProgress);
  async function goOn(): Promise<void> {
    await run(readProgress);
    const next = STEPS.find((step) => !progress.value?.[step]);
    if (next) route(`/welcome?step=${next}`);
  }
  // Again after a restart of the hub, and where two people set it up.
  useEffect(() => {
    if (isAdmin && isLive) read();
  }, [isAdmin, isLive]);

  if (!isAdmin)
    return (
      <>
        <h1>{t("welcome.title")}</h1>
        <p>{t("welcome.admin_only")}</p>
      </>
    );
  if (query.step === "restore")
    return (
      <div class="setup">
        <h1>{t("welcome.restore")}</h1>
        <p>
          <a href="/welcome">{t("welcome.back")}</a>
        </p>
        <h2>{t("copies.title")}</h2>
        <RestoreCopy isNew />
        <h2>{t("restore.title")}</h2>
        <RestoreArchive />
      </div>
    );
  return (
    <div class="setup">
      <h1>{t("welcome.title")}</h1>
      <Problem of={problem} />
      {isNew() && <RestoreOffer />}
      {progress.value && <Steps asked={query.step} onDone={() => void goOn()} onChanged={read} />}
      {progress.value && !isNew() && <RestoreOffer />}
    </div>
  );
}

/** Nothing but the password was set up: a house that is restored now replaces nothing that somebody made. */
function isNew(): boolean {
  const done = progress.value;
  return done !== undefined && STEPS.every((step) => step === "password" || !done[step]);
}

function RestoreOffer() {
  return (
    <section class="setup-other">
      <h2>{t("welcome.restore")}</h2>
      <p>{t("welcome.restore_hint")}</p>
      <p>
        <a class="button" href="/welcome?step=restore">
          {t("welcome.restore_open")}
        </a>
      </p>
    </section>
  );
}

function Steps({ asked, ...does }: StepProps & { asked: string | undefined }) {
  const done = progress.value;
  // Stays open when it is done: there may be more to do in it.
  const [first] = useState(() => STEPS.find((step) => !done?.[step]));
  const open = STEPS.find((step) => step === asked) ?? first;
  const count = STEPS.filter((step) => done?.[step]).length;
  return (
    <>
      {count === STEPS.length ? (
        <p>
          <strong>{t("welcome.all_done")}</strong> <a href="/">{t("welcome.home")}</a>
        </p>
      ) : (
        <p>
          {t("welcome.intro")}
          <br />
          <strong>{t("welcome.progress", { done: count, all: STEPS.length })}</strong>
        </p>
      )}
      {setup.value?.restart_needed && (
        <p role="status">{t(`welcome.${setup.value.restarting ? "restart" : "restart_needed"}`)}</p>
      )}
      <ol class="setup-steps">
        {STEPS.map((step, at) => (
          <StepItem
            key={step}
            step={step}
            number={at + 1}
            isDone={done?.[step] ?? false}
            isOpen={step === open}
            {...does}
          />
        ))}
      </ol>
    </>
  );
}

interface ItemProps extends StepProps {
  step: Step;
  number: number;
  isDone: boolean;
  isOpen: boolean;
}

function StepItem({ step, number, isDone, isOpen, ...does }: ItemProps) {
  const Content = CONTENT[step];
  const next = STEPS[number];
  return (
    <li class={`setup-step${isDone ? " done" : ""}`}>
      <h2>
        <a class="setup-head" href={`/welcome?step=${step}`} aria-current={isOpen ? "step" : undefined}>
          <span class="mark" aria-hidden="true">
            {isDone ? "✓" : number}
          </span>
          {t(`welcome.${step}`)}
          {isDone && <small>{t("welcome.done")}</small>}
        </a>
      </h2>
      {isOpen && (
        <div class="setup-body">
          <Content {...does} />
          <p>
            <a class="button" href={next ? `/welcome?step=${next}` : "/"}>
              {t(next ? (isDone ? "welcome.next" : "welcome.skip") : "welcome.home")}
            </a>
          </p>
        </div>
      )}
    </li>
  );
}

/** Setting up: the devices of the house. The connecting itself has its own view. */
function ConnectStep() {
  const count = houseDevices.value.length;
  return (
    <>
      <p>{t(count === 0 ? "connect.none" : "connect.found", { count })}</p>
      <p>
        <a class="button main" href="/connect">
          {t("connect.to")}
        </a>
      </p>
    </>
  );
}

/** Setting up: a password in the place of the printed one. */
function PasswordStep({ onDone }: StepProps) {
  if (progress.value?.password) return <p>{t("password.is_own", { user: person.value?.username ?? "" })}</p>;
  return (
    <>
      <p>{t("password.why")}</p>
      <PasswordForm onDone={onDone} />
    </>
  );
}
