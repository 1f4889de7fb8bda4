// The views by their addresses, inside the frame that all of them share.
import { ErrorBoundary, LocationProvider, lazy, Route, Router } from "preact-iso";
import { Frame } from "./components/frame.tsx";
import { Toasts } from "./components/toast.tsx";
import { session } from "./state/session.ts";
import { Home } from "./views/home.tsx";
import { NotFound } from "./views/not-found.tsx";
import { SignIn } from "./views/sign-in.tsx";

const Device = lazy(() => import("./views/device.tsx").then(({ DeviceView }) => DeviceView));
const Activity = lazy(() => import("./views/activity.tsx").then(({ Activity }) => Activity));
const Areas = lazy(() => import("./views/areas.tsx").then(({ AreasView }) => AreasView));
const Messages = lazy(() => import("./views/messages.tsx").then(({ MessagesView }) => MessagesView));
const Modes = lazy(() => import("./views/modes.tsx").then(({ ModesView }) => ModesView));
const Scene = lazy(() => import("./views/scene.tsx").then(({ SceneView }) => SceneView));
const Scenes = lazy(() => import("./views/scenes.tsx").then(({ ScenesView }) => ScenesView));
const Timers = lazy(() => import("./views/timers.tsx").then(({ TimersView }) => TimersView));
const Variables = lazy(() => import("./views/variables.tsx").then(({ VariablesView }) => VariablesView));
const More = lazy(() => import("./views/more.tsx").then(({ More }) => More));

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
        <Route path="/activity" component={Activity} />
        <Route path="/areas" component={Areas} />
        <Route path="/messages" component={Messages} />
        <Route path="/modes" component={Modes} />
        <Route path="/scenes" component={Scenes} />
        <Route path="/scenes/:id" component={Scene} />
        <Route path="/timers" component={Timers} />
        <Route path="/variables" component={Variables} />
        <Route path="/more" component={More} />
        <Route default component={NotFound} />
      </Router>
    </Frame>
  );
}
