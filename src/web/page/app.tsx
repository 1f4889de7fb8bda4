// The views by their addresses, inside the frame that all of them share.
import { ErrorBoundary, LocationProvider, lazy, Route, Router } from "preact-iso";
import { Frame } from "./components/frame.tsx";
import { Toasts } from "./components/toast.tsx";
import { printedPassword, restoring } from "./state/first-minutes.ts";
import { session } from "./state/session.ts";
import { Home } from "./views/home.tsx";
import { NotFound } from "./views/not-found.tsx";
import { SignIn } from "./views/sign-in.tsx";

const Device = lazy(() => import("./views/device.tsx").then(({ DeviceView }) => DeviceView));
const Connect = lazy(() => import("./views/connect.tsx").then(({ Connect }) => Connect));
const FirstPassword = lazy(() => import("./views/first-password.tsx").then(({ FirstPassword }) => FirstPassword));
const FirstRestore = lazy(() => import("./views/first-restore.tsx").then(({ FirstRestore }) => FirstRestore));
const Welcome = lazy(() => import("./views/welcome.tsx").then(({ Welcome }) => Welcome));
const More = lazy(() => import("./views/more.tsx").then(({ More }) => More));

export function App() {
  return (
    <LocationProvider>
      <ErrorBoundary>
        <Whole />
      </ErrorBoundary>
      <Toasts />
    </LocationProvider>
  );
}

/** While a password is changed and a house is restored, sessions end: these two stay in their place all the same. */
function Whole() {
  if (restoring.value !== undefined) return <FirstRestore />;
  if (printedPassword.value !== undefined) return <FirstPassword />;
  return session.value ? <Views /> : <SignIn />;
}

function Views() {
  return (
    <Frame>
      <Router>
        <Route path="/" component={Home} />
        <Route path="/devices/:id" component={Device} />
        <Route path="/welcome" component={Welcome} />
        <Route path="/connect" component={Connect} />
        <Route path="/more" component={More} />
        <Route default component={NotFound} />
      </Router>
    </Frame>
  );
}
