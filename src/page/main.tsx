// Starts the page.
import { render } from "preact";
import { App } from "./app.tsx";
import { forgetCommands } from "./state/house/command.ts";
import { forgetHouse, forgetKept, keepHouse, paintLast, readHouse, takeEvent } from "./state/house/house.ts";
import { watchPlace } from "./state/house/place.ts";
import { startLive } from "./state/hub/live.ts";
import { watchParts } from "./state/hub/parts.ts";
import { keepSignedIn } from "./state/hub/renewal.ts";
import { followOtherWindows, session, viewsOf } from "./state/hub/session.ts";
import { startLanguage } from "./texts/index.ts";

async function start(): Promise<void> {
  await startLanguage();
  if (session.value) paintLast();
  startLive({ onEvent: takeEvent, refresh: readHouse });
  session.subscribe((who) => {
    if (!who) forgetKept();
  });
  let owner = viewsOf.peek();
  viewsOf.subscribe((next) => {
    if (next !== owner) forget();
    owner = next;
  });
  keepHouse();
  followOtherWindows();
  keepSignedIn();
  watchParts();
  watchPlace();
  const root = document.getElementById("app");
  if (root) render(<App />, root);
  void import("./state/hub/version-watch.ts").then(({ watchVersion }) => watchVersion());
  // Only where the connection is secure; without it the page works, and cannot be installed.
  await navigator.serviceWorker?.register("/worker.js").catch(() => {});
}

/** Nothing of the house stays for whoever has the browser next. */
function forget(): void {
  forgetHouse();
  forgetCommands();
}

void start();
