// The ways to everything that is administered.
import { t } from "../../texts/index.ts";

const LINKS = [
  ["/system/backups", "backups"],
  ["/system/config", "config"],
  ["/system/users", "users"],
  ["/system/keys", "keys"],
  ["/system/sessions", "sessions"],
  ["/system/audit", "audit"],
  ["/plugins", "plugins"],
  ["/accounts", "accounts"],
] as const;

export function SystemLinks() {
  return (
    <ul class="links">
      {LINKS.map(([href, name]) => (
        <li key={href}>
          <a href={href}>
            {t(`system.link_${name}`)}
            <span>{t(`system.link_${name}_about`)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
