// A button that asks once before it does what it says.
import { useEffect, useRef, useState } from "preact/hooks";
import { allows, type Role } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";

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
