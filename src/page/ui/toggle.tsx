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
