// The views by their addresses, inside the frame that all of them share.
import { ErrorBoundary, LocationProvider, lazy, Route, Router } from "preact-iso";
import { Frame } from "./components/frame.tsx";
import { Toasts } from "./components/toast.tsx";
import { session } from "./state/session.ts";
import { Home } from "./views/home.tsx";
import { NotFound } from "./views/not-found.tsx";
import { SignIn } from "./views/sign-in.tsx";

const Device = lazy(() => import("./views/device.tsx").then(({ DeviceView }) => DeviceView));
const More = lazy(() => import("./views/more.tsx").then(({ More }) => More));
const Account = lazy(() => import("./views/account.tsx").then(({ Account }) => Account));
const AuditLog = lazy(() => import("./views/audit.tsx").then(({ AuditLog }) => AuditLog));
const Backups = lazy(() => import("./views/backups.tsx").then(({ Backups }) => Backups));
const Config = lazy(() => import("./views/config.tsx").then(({ Config }) => Config));
const Keys = lazy(() => import("./views/keys.tsx").then(({ Keys }) => Keys));
const MqttAccounts = lazy(() => import("./views/accounts.tsx").then(({ MqttAccounts }) => MqttAccounts));
const PluginView = lazy(() => import("./views/plugin.tsx").then(({ PluginView }) => PluginView));
const Plugins = lazy(() => import("./views/plugins.tsx").then(({ Plugins }) => Plugins));
const Sessions = lazy(() => import("./views/sessions.tsx").then(({ Sessions }) => Sessions));
const System = lazy(() => import("./views/system.tsx").then(({ System }) => System));
const Users = lazy(() => import("./views/users.tsx").then(({ Users }) => Users));

export function App() {
  return (
    <LocationProvider>
      <ErrorBoundary>{session.value ? <Views /> : <SignIn />}</ErrorBoundary>
      <Toasts />
    </LocationProvider>
  );
}

function Views() {
  return (
    <Frame>
      <Router>
        <Route path="/" component={Home} />
        <Route path="/devices/:id" component={Device} />
        <Route path="/more" component={More} />
        <Route path="/account" component={Account} />
        <Route path="/accounts" component={MqttAccounts} />
        <Route path="/plugins" component={Plugins} />
        <Route path="/plugins/:id" component={PluginView} />
        <Route path="/system" component={System} />
        <Route path="/system/audit" component={AuditLog} />
        <Route path="/system/backups" component={Backups} />
        <Route path="/system/config" component={Config} />
        <Route path="/system/keys" component={Keys} />
        <Route path="/system/sessions" component={Sessions} />
        <Route path="/system/users" component={Users} />
        <Route default component={NotFound} />
      </Router>
    </Frame>
  );
}
