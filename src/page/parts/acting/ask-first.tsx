// A button that asks once before it does what it says.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { allows, type Role } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";
import { Problem } from "./problem.tsx";
import { mayAct, useAct } from "./use-act.tsx";

interface AskFirstProps {
  /** What the button says, and of what it is; the latter for screen readers. */
  label: string;
  of: string;
  question: string;
  /** Others do not see it. */
  needs?: Role;
  disabled?: boolean;
  onYes: () => void;
}

export function AskFirst({ label, of, question, needs = "user", disabled = false, onYes }: AskFirstProps) {
  const [isAsking, setAsking] = useState(false);
  const no = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isAsking) no.current?.focus();
  }, [isAsking]);
  if (!allows(needs)) return null;
  if (!isAsking) {
    return (
      <button type="button" disabled={disabled} aria-label={`${label}: ${of}`} onClick={() => setAsking(true)}>
        {label}
      </button>
    );
  }
  return (
    <span class="ask" role="alertdialog" aria-label={question}>
      <span dir="auto">{question}</span>
      <button
        type="button"
        class="danger"
        disabled={disabled}
        onClick={() => {
          setAsking(false);
          onYes();
        }}
      >
        {label}
      </button>
      <button type="button" ref={no} onClick={() => setAsking(false)}>
        {t("house.keep")}
      </button>
    </span>
  );
}

// Removing something that cannot be brought back: asks for its name, or, where little is lost, once.
interface RemovalProps {
  name: string;
  /** What is lost. */
  loses: string;
  act: () => Promise<unknown>;
  text?: string;
  asksName?: boolean;
  may?: Role;
}

export function Removal({ name, loses, act, text = t("remove.remove"), asksName = true, may = "admin" }: RemovalProps) {
  const [asked, setAsked] = useState(false);
  const [typed, setTyped] = useState("");
  const { busy, problem, run } = useAct();
  const id = useId();
  if (!asked)
    return (
      <button type="button" aria-label={`${text}: ${name}`} disabled={!mayAct(may)} onClick={() => setAsked(true)}>
        {text}
      </button>
    );
  return (
    <form
      class="removal"
      onSubmit={(event) => {
        event.preventDefault();
        void run(act).then((done) => done && setAsked(false));
      }}
    >
      <p id={id}>{loses}</p>
      {asksName && (
        <label class="field">
          <span>{t("remove.type_name", { name })}</span>
          <input
            value={typed}
            aria-describedby={id}
            autocomplete="off"
            autocapitalize="none"
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
      )}
      <Problem of={problem} />
      <div class="buttons">
        <button type="submit" class="danger" disabled={busy || !mayAct(may) || (asksName && typed.trim() !== name)}>
          {text}
        </button>
        <button type="button" onClick={() => setAsked(false)}>
          {t("remove.keep")}
        </button>
      </div>
    </form>
  );
}
