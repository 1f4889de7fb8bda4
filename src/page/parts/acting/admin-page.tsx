// What views for administrators share: the way back, a title, and a word to those who may not.
import type { ComponentChildren } from "preact";
import { allows, type Role } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";

interface AdminPageProps {
  title: string;
  back?: { href: string; text: string };
  may?: Role;
  children: ComponentChildren;
}

export function AdminPage({ title, back, may = "admin", children }: AdminPageProps) {
  return (
    <div class="admin-page">
      {back && (
        <p class="back">
          <a href={back.href}>← {back.text}</a>
        </p>
      )}
      <h1 dir="auto">{title}</h1>
      {allows(may) ? children : <p>{t("system.admins_only")}</p>}
    </div>
  );
}

export const toSystem = (): { href: string; text: string } => ({ href: "/system", text: t("system.title") });
