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
const PluginInstall = lazy(() => import("./views/plugin-install.tsx").then(({ PluginInstall }) => PluginInstall));
const Search = lazy(() => import("./views/search.tsx").then(({ Search }) => Search));
const Upgrade = lazy(() => import("./views/upgrade.tsx").then(({ Upgrade }) => Upgrade));

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
        <Route path="/plugins/install" component={PluginInstall} />
        <Route path="/search" component={Search} />
        <Route path="/more" component={More} />
        <Route path="/upgrade" component={Upgrade} />
        <Route default component={NotFound} />
      </Router>
    </Frame>
  );
}
