// Choosing a role, each with what it may.
import type { Role } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";

const ROLES: readonly Role[] = ["viewer", "user", "admin"];

interface RoleFieldProps {
  value?: Role;
  label?: string;
  hidesLabel?: boolean;
  disabled?: boolean;
  onChange?: (role: Role) => void;
}

export function RoleField({ value, label = t("users.role"), hidesLabel = false, disabled, onChange }: RoleFieldProps) {
  return (
    <label class="field">
      <span class={hidesLabel ? "visually-hidden" : ""}>{label}</span>
      <select
        name="role"
        value={value}
        disabled={disabled}
        onChange={(event) => onChange?.(event.currentTarget.value as Role)}
      >
        {ROLES.map((role) => (
          <option key={role} value={role}>
            {t(`role.${role}`)}
          </option>
        ))}
      </select>
    </label>
  );
}
