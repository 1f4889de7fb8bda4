// Messages of the hub that come while the page is closed: shown, confirmed, and opened.
const worker = self as unknown as ServiceWorkerGlobalScope;

/** As the hub sends it: src/reach/notify/web-push/push-sender.ts. */
interface PushMessage {
  title: string;
  body: string;
  tag: string;
  at: number;
  silent: boolean;
  stays: boolean;
  confirm?: string;
  actions?: { label: string; url: string }[];
  notice?: string;
}

/** What is kept with a notification that is shown. */
interface Kept {
  /** The links of its buttons, by their names here. */
  links: Record<string, string>;
  notice: string | undefined;
}

/** Not in TypeScript's library yet. */
interface ShownOptions extends NotificationOptions {
  timestamp?: number;
  renotify?: boolean;
  actions?: { action: string; title: string }[];
}

const CONFIRM = "confirm";
const LINKS = "/api/v1/notify/links/";

worker.addEventListener("push", (event) => event.waitUntil(show(messageIn(event.data))));

worker.addEventListener("notificationclick", (event) => {
  const { notification, action } = event;
  notification.close();
  const { links = {}, notice } = (notification.data ?? {}) as Partial<Kept>;
  const link = links[action];
  const page = notice === undefined ? "/messages" : `/messages?notice=${encodeURIComponent(notice)}`;
  event.waitUntil(link === undefined ? open(page) : answer(link));
});

/** Browsers take the permission away from pages that show nothing, so what cannot be read is shown, too. */
function messageIn(data: PushMessageData | null): PushMessage {
  try {
    return data?.json() as PushMessage;
  } catch {
    return { title: "Hub", body: "", tag: "unreadable", at: Date.now(), silent: true, stays: false };
  }
}

async function show(message: PushMessage): Promise<void> {
  const { title, body, tag, at, silent, stays, confirm, actions: others = [], notice } = message;
  const confirmTitle = worker.navigator.language.startsWith("de") ? "Bestätigen" : "Confirm";
  const buttons = [
    ...(confirm === undefined ? [] : [{ action: CONFIRM, title: confirmTitle, url: confirm }]),
    ...others.map(({ label, url }, index) => ({ action: `action-${index}`, title: label, url })),
  ];
  const data: Kept = { links: Object.fromEntries(buttons.map(({ action, url }) => [action, url])), notice };
  const options: ShownOptions = {
    ...{ body, tag, silent, requireInteraction: stays, renotify: !silent, timestamp: at },
    ...{ icon: "/icon-192.png", badge: "/icon-192.png", data },
    ...(buttons.length > 0 && { actions: buttons.map(({ action, title }) => ({ action, title })) }),
  };
  await worker.registration.showNotification(title, options);
}

/**
 * At the address that the page is from, which browsers let this worker reach; the link may have another one. Where that fails, the
 * person sees the link's page, or why there is none.
 */
async function answer(link: string): Promise<void> {
  const path = link.slice(Math.max(0, link.indexOf(LINKS)));
  const sent = await fetch(path, { method: "POST" }).catch(() => undefined);
  if (!sent?.ok) await worker.clients.openWindow(link);
}

async function open(page: string): Promise<void> {
  const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const [first] = windows;
  if (!first) return void (await worker.clients.openWindow(page));
  const shown = await first.focus();
  await shown.navigate(page).catch(() => worker.clients.openWindow(page));
}
