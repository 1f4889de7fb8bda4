// Fields whose text is taken when somebody is done with it. What is typed stays, whatever is drawn or refused in between.
import { useEffect, useState } from "preact/hooks";

interface Taken {
  value: string | number;
  /** Gets the text when it is complete: on Enter, or when the field is left. */
  onTaken: (text: string) => void;
}
type Field = HTMLInputElement | HTMLTextAreaElement;

function useTyped({ value, onTaken }: Taken) {
  const [typed, setTyped] = useState<string>();
  useEffect(() => setTyped(undefined), [value]);
  return {
    value: typed ?? value,
    onInput: ({ currentTarget }: { currentTarget: Field }) => setTyped(currentTarget.value),
    onChange: ({ currentTarget }: { currentTarget: Field }) => onTaken(currentTarget.value),
  };
}

interface Named extends Taken {
  id?: string | undefined;
  "aria-label"?: string | undefined;
  spellcheck?: boolean;
}

interface TypedInputProps extends Named {
  type?: "text" | "number" | "time" | "password";
  step?: number | "any";
  min?: number | undefined;
  max?: number | undefined;
  list?: string;
  autocomplete?: "off";
  placeholder?: string;
  dir?: "auto";
  maxLength?: number;
}

export function TypedInput({ value, onTaken, type = "text", ...more }: TypedInputProps) {
  return <input type={type as "text"} {...more} {...useTyped({ value, onTaken })} />;
}

export function TypedArea({ value, onTaken, ...more }: Named & { rows?: number }) {
  return <textarea {...more} {...useTyped({ value, onTaken })} />;
}

// A switch with two positions.
interface ToggleProps {
  label: string;
  on: boolean;
  disabled?: boolean;
  onChange: (on: boolean) => void;
}

export function Toggle({ label, on, disabled = false, onChange }: ToggleProps) {
  return (
    <button
      type="button"
      role="switch"
      class="toggle"
      aria-checked={on}
      aria-label={label}
      disabled={disabled}
      onClick={() => onChange(!on)}
    />
  );
}
