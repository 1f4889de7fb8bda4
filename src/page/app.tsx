// The views by their addresses, inside the frame that all of them share.
import type { ComponentType } from "preact";
import { ErrorBoundary, LocationProvider, lazy, Route, Router } from "preact-iso";
import { loadViewStyles } from "./browser/view-styles.ts";
import { askingForPassword } from "./state/hub/asking-for-password.ts";
import { printedPassword, restoring } from "./state/hub/first-minutes.ts";
import { session, viewsOf } from "./state/hub/session.ts";
import { loadLater, t } from "./texts/index.ts";
import { NotFound } from "./ui/not-found.tsx";
import { dismiss, notes } from "./ui/toast.ts";
import { Frame } from "./views/frame.tsx";
import { Home } from "./views/home/home.tsx";
import { SignIn } from "./views/sign-in/sign-in.tsx";
import { SignInOver } from "./views/sign-in/sign-in-over.tsx";

/** A view that is loaded when it is opened, with the texts and styles of all of these. */
function later(load: () => Promise<ComponentType>): ComponentType {
  return lazy(async () => {
    const [view] = await Promise.all([load(), loadLater(), loadViewStyles()]);
    return view;
  });
}

const VIEWS: readonly [path: string, view: ComponentType][] = [
  ["/account", later(async () => (await import("./views/account/account.tsx")).Account)],
  ["/accounts", later(async () => (await import("./views/accounts.tsx")).MqttAccounts)],
  ["/activity", later(async () => (await import("./views/activity/activity.tsx")).Activity)],
  ["/areas", later(async () => (await import("./views/areas.tsx")).AreasView)],
  ["/blueprints", later(async () => (await import("./views/rules/blueprints/blueprints.tsx")).Blueprints)],
  ["/blueprints/:id", later(async () => (await import("./views/rules/blueprints/blueprint.tsx")).BlueprintView)],
  ["/calendars", later(async () => (await import("./views/calendars.tsx")).CalendarsView)],
  ["/connect", later(async () => (await import("./views/connect/connect.tsx")).Connect)],
  ["/devices", later(async () => (await import("./views/devices/devices.tsx")).DevicesView)],
  ["/devices/:id", later(async () => (await import("./views/devices/device/device.tsx")).DeviceView)],
  ["/groups", later(async () => (await import("./views/groups.tsx")).GroupsView)],
  ["/inbox", later(async () => (await import("./views/inbox/inbox.tsx")).InboxView)],
  ["/messages", later(async () => (await import("./views/messages/messages.tsx")).MessagesView)],
  ["/modes", later(async () => (await import("./views/modes.tsx")).ModesView)],
  ["/more", later(async () => (await import("./views/more.tsx")).More)],
  ["/plugins", later(async () => (await import("./views/plugins/plugins.tsx")).Plugins)],
  ["/plugins/install", later(async () => (await import("./views/plugins/plugin-install.tsx")).PluginInstall)],
  ["/plugins/:id", later(async () => (await import("./views/plugins/plugin.tsx")).PluginView)],
  ["/rules", later(async () => (await import("./views/rules/rules.tsx")).Rules)],
  ["/rules/new", later(async () => (await import("./views/rules/rule-new.tsx")).RuleNew)],
  ["/rules/:id", later(async () => (await import("./views/rules/rule.tsx")).RuleView)],
  ["/scenes", later(async () => (await import("./views/scenes/scenes.tsx")).ScenesView)],
  ["/scenes/:id", later(async () => (await import("./views/scenes/scene.tsx")).SceneView)],
  ["/schedules", later(async () => (await import("./views/schedules/schedules.tsx")).SchedulesView)],
  ["/schedules/:id", later(async () => (await import("./views/schedules/schedule.tsx")).ScheduleView)],
  ["/search", later(async () => (await import("./views/search/search.tsx")).Search)],
  ["/system", later(async () => (await import("./views/system/system.tsx")).System)],
  ["/system/audit", later(async () => (await import("./views/system/audit.tsx")).AuditLog)],
  ["/system/backups", later(async () => (await import("./views/system/backups.tsx")).Backups)],
  ["/system/config", later(async () => (await import("./views/system/config.tsx")).Config)],
  ["/system/keys", later(async () => (await import("./views/system/keys.tsx")).Keys)],
  ["/system/sessions", later(async () => (await import("./views/system/sessions.tsx")).Sessions)],
  ["/system/users", later(async () => (await import("./views/system/users.tsx")).Users)],
  ["/timers", later(async () => (await import("./views/timers/timers.tsx")).TimersView)],
  ["/upgrade", later(async () => (await import("./views/upgrade/upgrade.tsx")).Upgrade)],
  ["/variables", later(async () => (await import("./views/variables/variables.tsx")).VariablesView)],
  ["/welcome", later(async () => (await import("./views/welcome/welcome.tsx")).Welcome)],
];

const FirstPassword = later(async () => (await import("./views/sign-in/first-minutes.tsx")).FirstPassword);
const ConfirmPassword = later(async () => (await import("./views/sign-in/confirm-password.tsx")).ConfirmPassword);
const FirstRestore = later(async () => (await import("./views/sign-in/first-minutes.tsx")).FirstRestore);

export function App() {
  return (
    <LocationProvider>
      <Whole />
      <Toasts />
      <Confirming />
    </LocationProvider>
  );
}

const Confirming = () => askingForPassword.value && <Alone view={ConfirmPassword} />;

/** While a password is changed and a house is restored, sessions end: these two stay in their place all the same. */
function Whole() {
  const owner = viewsOf.value;
  const first =
    restoring.value !== undefined ? FirstRestore : printedPassword.value !== undefined ? FirstPassword : undefined;
  if (first) return <Alone view={first} />;
  return (
    <>
      {owner !== undefined && (
        <div key={owner} hidden={!session.value}>
          <ErrorBoundary>
            <Views />
          </ErrorBoundary>
        </div>
      )}
      {!session.value && (owner === undefined ? <SignIn /> : <SignInOver />)}
    </>
  );
}

function Alone({ view: View }: { view: ComponentType }) {
  return (
    <ErrorBoundary>
      <View />
    </ErrorBoundary>
  );
}

function Views() {
  return (
    <Frame>
      <Router>
        <Route path="/" component={Home} />
        {VIEWS.map(([path, view]) => (
          <Route key={path} path={path} component={view} />
        ))}
        <Route default component={NotFound} />
      </Router>
    </Frame>
  );
}

function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {notes.value.map((note) => (
        <p key={note.id} class="toast">
          {note.text}
          {note.undo && (
            <button
              type="button"
              onClick={() => {
                note.undo?.();
                dismiss(note);
              }}
            >
              {t("undo")}
            </button>
          )}
        </p>
      ))}
    </div>
  );
}
