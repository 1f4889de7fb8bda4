// Doing something at the hub from a view: one at a time, and what it refused stays until the next try.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { connection } from "../../state/hub/live.ts";
import { allows, type Role } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";
import { Problem } from "./problem.tsx";

export interface Act {
  busy: boolean;
  /** Under way, or the hub cannot be reached: what starts it is disabled. */
  locked: boolean;
  problem: unknown;
  /** Resolves to whether it was done. Never rejects. */
  run: (what: () => Promise<unknown>) => Promise<boolean>;
  forget: () => void;
}

export function useAct(): Act {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  return {
    busy,
    locked: busy || connection.value.state !== "live",
    problem,
    forget: () => setProblem(undefined),
    async run(what) {
      const pressed = document.activeElement;
      setBusy(true);
      setProblem(undefined);
      try {
        await what();
        return true;
      } catch (error) {
        setProblem(error);
        return false;
      } finally {
        setBusy(false);
        requestAnimationFrame(() => keepFocus(pressed));
      }
    },
  };
}

/** A button that cannot be pressed for a while loses the focus: it gets it back, unless somebody went elsewhere. */
export function keepFocus(pressed: Element | null): void {
  if (document.activeElement === document.body && pressed instanceof HTMLElement && pressed.isConnected)
    pressed.focus({ preventScroll: true });
}

/** Whether something may be done now: the hub is reached, and the role suffices. */
export function mayAct(role: Role): boolean {
  return connection.value.state === "live" && allows(role);
}

/** What is read for administrators alone: others are refused, without asking the hub. */
export function forAdmins(path: string): string | undefined {
  return allows("admin") ? path : undefined;
}

/** Off while it is under way or the hub is not reached, and with what went wrong beside it. */
interface ActButtonProps {
  act: () => Promise<unknown>;
  may?: Role;
  look?: "main" | "danger";
  disabled?: boolean;
  /** For screen readers, where the text alone does not say of what. */
  label?: string;
  children: ComponentChildren;
}

export function ActButton({ act, may = "admin", look, disabled = false, label, children }: ActButtonProps) {
  const [problem, setProblem] = useState<unknown>();
  const [busy, setBusy] = useState(false);

  async function run(): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    try {
      await act();
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  }

  return (
    <>
      <button
        type="button"
        class={look}
        aria-label={label}
        disabled={busy || disabled || !mayAct(may)}
        onClick={() => void run()}
      >
        {children}
      </button>
      <Problem of={problem} />
    </>
  );
}

// A button that asks once before it does what it says.
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
