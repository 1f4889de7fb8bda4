// The people of the house: who they are, and what each may do.

import { useState } from "preact/hooks";
import { AdminPage, Entries, Entry, toSystem } from "../../parts/acting/entries.tsx";
import { Problem } from "../../parts/acting/problem.tsx";
import { ActButton, forAdmins, mayAct, Removal, useAct } from "../../parts/acting/use-act.tsx";
import { ask, post, remove } from "../../state/hub/api.ts";
import { confirmation } from "../../state/hub/confirmation.ts";
import { person, type Role } from "../../state/hub/session.ts";
import { useHubData } from "../../state/hub/watched.ts";
import { formatTime, t } from "../../texts/index.ts";
import { toast } from "../../ui/toast.ts";
import { RoleField } from "./role-field.tsx";

interface User {
  id: string;
  username: string;
  role: Role;
  created_at: string;
}

const NONE: string[] = [];
// With the password of who does it, so that they can later confirm with theirs.
const change = async (user: User, body: object): Promise<unknown> =>
  ask("PATCH", pathOf(user), { body, headers: await confirmation() });
const pathOf = ({ username }: User): string => `/auth/users/${encodeURIComponent(username)}`;

export function Users() {
  const users = useHubData<User[]>(forAdmins("/auth/users"), { after: NONE });
  return (
    <AdminPage title={t("users.title")} back={toSystem()}>
      <Entries of={users} label={t("users.title")} empty="">
        {(user) => <UserEntry key={user.id} of={user} onChanged={users.read} />}
      </Entries>
      <NewUser onMade={users.read} />
      <p class="hint">{t("users.roles")}</p>
    </AdminPage>
  );
}

function UserEntry({ of: user, onChanged }: { of: User; onChanged: () => Promise<void> }) {
  const [gives, setGives] = useState(false);
  const [role, setRole] = useState(user.role);
  const isMe = person.value?.id === user.id;
  return (
    <Entry
      name={user.username}
      about={
        <p>
          {t(`role.${user.role}`)} · {t("users.since", { time: formatTime(user.created_at) })}
          {isMe && ` · ${t("users.you")}`}
        </p>
      }
    >
      {isMe ? (
        <a href="/account">{t("users.to_account")}</a>
      ) : (
        <>
          <RoleField
            value={role}
            label={t("users.role_of", { name: user.username })}
            hidesLabel
            disabled={!mayAct("admin")}
            onChange={setRole}
          />
          {role !== user.role && (
            <ActButton look="main" act={() => change(user, { role }).then(onChanged)}>
              {t("users.give_role")}
            </ActButton>
          )}
          <button type="button" aria-expanded={gives} onClick={() => setGives(!gives)}>
            {t("users.password")}
          </button>
          <Removal
            name={user.username}
            loses={t("users.loses", { name: user.username })}
            act={() => remove(pathOf(user)).then(onChanged)}
          />
          {gives && <GivePassword to={user} onDone={() => setGives(false)} />}
        </>
      )}
    </Entry>
  );
}

function GivePassword({ to: user, onDone }: { to: User; onDone: () => void }) {
  const { busy, problem, run } = useAct();
  return (
    <form
      class="removal"
      onSubmit={(event) => {
        event.preventDefault();
        const password = new FormData(event.currentTarget).get("password");
        void run(() => change(user, { password })).then((done) => {
          if (!done) return;
          toast(t("users.password_given", { name: user.username }));
          onDone();
        });
      }}
    >
      <label class="field">
        {t("users.new_password", { name: user.username })}
        <input name="password" type="password" autocomplete="new-password" minLength={8} required />
      </label>
      <p class="hint">{t("users.ends_sessions")}</p>
      <Problem of={problem} />
      <div class="buttons">
        <button type="submit" class="main" disabled={busy || !mayAct("admin")}>
          {t("users.give_password")}
        </button>
        <button type="button" onClick={onDone}>
          {t("remove.keep")}
        </button>
      </div>
    </form>
  );
}

function NewUser({ onMade }: { onMade: () => Promise<void> }) {
  const { busy, problem, run } = useAct();
  const [count, setCount] = useState(0);
  return (
    <section>
      <h2>{t("users.new")}</h2>
      <form
        key={count}
        class="stacked-form"
        onSubmit={(event) => {
          event.preventDefault();
          const body = Object.fromEntries(new FormData(event.currentTarget));
          void run(async () => post("/auth/users", body, { headers: await confirmation() })).then((done) => {
            if (!done) return;
            setCount(count + 1);
            void onMade();
          });
        }}
      >
        <label class="field">
          {t("sign_in.user")}
          <input name="username" autocomplete="off" autocapitalize="none" required />
        </label>
        <label class="field">
          {t("sign_in.password")}
          <input name="password" type="password" autocomplete="new-password" minLength={8} required />
          <span class="hint">{t("users.password_rule")}</span>
        </label>
        <RoleField value="user" />
        <Problem of={problem} />
        <div class="buttons">
          <button type="submit" class="main" disabled={busy || !mayAct("admin")}>
            {t("users.make")}
          </button>
        </div>
      </form>
    </section>
  );
}
