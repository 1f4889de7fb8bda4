// The views by their addresses, inside the frame that all of them share.
import { ErrorBoundary, LocationProvider, lazy, Route, Router } from "preact-iso";
import { Frame } from "./components/frame.tsx";
import { SignInOver } from "./components/sign-in-over.tsx";
import { Toasts } from "./components/toast.tsx";
import { session, viewsOf } from "./state/session.ts";
import { loadLater } from "./texts/index.ts";
import { Home } from "./views/home.tsx";
import { NotFound } from "./views/not-found.tsx";
import { SignIn } from "./views/sign-in.tsx";

const Device = lazy(() => import("./views/device.tsx").then(({ DeviceView }) => DeviceView));
const Devices = lazy(() => import("./views/devices.tsx").then(({ DevicesView }) => DevicesView));
const Inbox = lazy(() => import("./views/inbox.tsx").then(({ InboxView }) => InboxView));
const More = lazy(() => import("./views/more.tsx").then(({ More }) => More));
const Search = lazy(() => import("./views/search.tsx").then(({ Search }) => Search));
const Rules = lazy(() => worded(import("./views/rules.tsx")).then(({ Rules }) => Rules));
const RuleNew = lazy(() => worded(import("./views/rule-new.tsx")).then(({ RuleNew }) => RuleNew));
const Rule = lazy(() => worded(import("./views/rule.tsx")).then(({ RuleView }) => RuleView));

/** A view with its texts. */
async function worded<View>(view: Promise<View>): Promise<View> {
  await loadLater();
  return view;
}

export function App() {
  const owner = viewsOf.value;
  return (
    <LocationProvider>
      {owner !== undefined && (
        <div key={owner} hidden={!session.value}>
          <ErrorBoundary>
            <Views />
          </ErrorBoundary>
        </div>
      )}
      {!session.value && (owner === undefined ? <SignIn /> : <SignInOver />)}
      <Toasts />
    </LocationProvider>
  );
}

function Views() {
  return (
    <Frame>
      <Router>
        <Route path="/" component={Home} />
        <Route path="/devices" component={Devices} />
        <Route path="/devices/:id" component={Device} />
        <Route path="/search" component={Search} />
        <Route path="/inbox" component={Inbox} />
        <Route path="/rules" component={Rules} />
        <Route path="/rules/new" component={RuleNew} />
        <Route path="/rules/:id" component={Rule} />
        <Route path="/more" component={More} />
        <Route default component={NotFound} />
      </Router>
    </Frame>
  );
}
