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
const Rules = lazy(() => import("./views/rules.tsx").then(({ Rules }) => Rules));
const RuleNew = lazy(() => import("./views/rule-new.tsx").then(({ RuleNew }) => RuleNew));
const Rule = lazy(() => import("./views/rule.tsx").then(({ RuleView }) => RuleView));

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
        <Route path="/rules" component={Rules} />
        <Route path="/rules/new" component={RuleNew} />
        <Route path="/rules/:id" component={Rule} />
        <Route path="/more" component={More} />
        <Route default component={NotFound} />
      </Router>
    </Frame>
  );
}
