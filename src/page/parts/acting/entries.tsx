// A list of things that are administered: each with its name, what is known of it, and what can be done.

import type { ComponentChildren } from "preact";
import { allows, type Role } from "../../state/hub/session.ts";
import type { HubData } from "../../state/hub/watched.ts";
import { t } from "../../texts/index.ts";
import { Problem } from "./problem.tsx";

interface EntriesProps<T> {
  of: HubData<T[]>;
  empty: string;
  label: string;
  children: (one: T) => ComponentChildren;
}

export function Entries<T>({ of: { value, problem }, empty, label, children }: EntriesProps<T>) {
  return (
    <>
      <Problem of={problem} />
      {value?.length === 0 && <p class="hint">{empty}</p>}
      {value !== undefined && value.length > 0 && (
        <ul class="entries" aria-label={label}>
          {value.map(children)}
        </ul>
      )}
    </>
  );
}

interface EntryProps {
  name: ComponentChildren;
  /** What is known of it, in one or two lines. */
  about?: ComponentChildren;
  /** Something is wrong with it. */
  bad?: boolean;
  children?: ComponentChildren;
}

export function Entry({ name, about, bad = false, children }: EntryProps) {
  return (
    <li class={bad ? "entry bad" : "entry"}>
      <div class="what">
        <p class="name" dir="auto">
          {name}
        </p>
        {about !== undefined && <div class="about">{about}</div>}
      </div>
      {children !== undefined && <div class="buttons">{children}</div>}
    </li>
  );
}

// Facts with their names, in two columns.
export function Facts({ of: facts }: { of: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts values">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

// What views for administrators share: the way back, a title, and a word to those who may not.
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
