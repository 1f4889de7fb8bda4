// What stands in the place of each part that is off in a safe start: complete to the last method, which the compiler checks. What
// other parts need to go on is answered as by a part that has nothing; the rest refuses.
import type { Backups } from "../backup/backups.ts";
import { readLastBackup } from "../backup/last-backup.ts";
import type { RemoteBackups } from "../backup/remote/remote-backups.ts";
import type { PublicOf } from "../core/public-of.ts";
import type { Home } from "../home/paths.ts";
import type { Plugins } from "../plugins/supervisor.ts";
import type { Rules } from "../rules/rules.ts";
import type { Refuse } from "./part-starter.ts";
import type { WiredNotices } from "./wire-notices.ts";
import type { Notifications } from "./wire-notify.ts";

const nothing = (): void => {};
const nothingLater = async (): Promise<void> => {};

export function disabledRules(refuse: Refuse): PublicOf<Rules> {
  return {
    start: nothingLater,
    count: () => 0,
    problems: () => [],
    list: refuse,
    get: refuse,
    create: refuse,
    replace: refuse,
    patch: refuse,
    remove: refuse,
    text: refuse,
    putText: refuse,
    rename: refuse,
    check: refuse,
    compose: refuse,
    run: refuse,
    traces: refuse,
    runs: refuse,
    cancelRun: refuse,
    pause: refuse,
    resume: refuse,
    call: refuse,
    trials: { test: refuse, replay: refuse, running: refuse, cancel: refuse },
    blueprints: {
      start: nothing,
      problems: () => [],
      find: refuse,
      list: refuse,
      get: refuse,
      text: refuse,
      putText: refuse,
      remove: refuse,
      [Symbol.dispose]: nothing,
    },
    putAll: refuse,
    putBack: refuse,
    renamed: {
      plan: refuse,
      start: nothing,
      changed: nothing,
      waiting: () => [],
      list: refuse,
      turn: refuse,
      dismiss: refuse,
      heldBack: refuse,
      [Symbol.dispose]: nothing,
    },
    [Symbol.asyncDispose]: nothingLater,
  };
}

/** Ignores what plugins report over MQTT. */
export function disabledPlugins(refuse: Refuse): Plugins {
  return {
    startAll: nothing,
    brokerConnected: nothing,
    problems: () => [],
    haveRun: () => false,
    unconfined: () => 0,
    heartbeat: nothing,
    status: nothing,
    registered: nothing,
    markSeen: nothing,
    markDeviceSeen: nothing,
    capabilities: () => undefined,
    response: () => undefined,
    report: () => undefined,
    list: refuse,
    get: refuse,
    start: refuse,
    stop: refuse,
    restart: refuse,
    add: refuse,
    remove: refuse,
    log: refuse,
    declared: refuse,
    readConfig: refuse,
    replaceConfig: refuse,
    act: refuse,
    respond: refuse,
    cancel: refuse,
    [Symbol.asyncDispose]: nothingLater,
  };
}

export function disabledNotify(refuse: Refuse): Notifications {
  return {
    notifier: {
      has: refuse,
      list: refuse,
      channel: refuse,
      render: refuse,
      renderPlain: refuse,
      deliver: refuse,
      send: refuse,
      // Rules ask when they are listed.
      texts: { problems: () => [], refused: { of: () => [], forget: nothing } },
    },
    outbox: {
      enqueue: refuse,
      list: refuse,
      has: refuse,
      waiting: refuse,
      retry: refuse,
      drop: refuse,
      cancelNotice: refuse,
      waitingFor: refuse,
      takeOver: refuse,
      [Symbol.asyncDispose]: nothingLater,
    },
    // The channels are not known, so none counts as missing.
    messenger: { has: () => true, enqueue: refuse, expand: refuse, channelsOf: refuse },
    hooks: { sent: nothing, lost: nothing, withLinks: (message) => message },
    receiveMqtt: nothing,
    people: { list: refuse },
    held: { count: refuse },
    webPush: {
      subscriptions: { key: refuse, add: refuse, remove: refuse },
      assertReachable: refuse,
      channelsOf: refuse,
    },
  };
}

export function disabledNotices(refuse: Refuse): WiredNotices {
  return {
    notices: {
      raise: refuse,
      clear: refuse,
      acknowledge: refuse,
      answered: refuse,
      get: refuse,
      list: refuse,
      sent: nothing,
      lost: nothing,
      listeningProblem: () => undefined,
      start: nothing,
      [Symbol.asyncDispose]: nothingLater,
    },
    links: { sign: refuse, read: refuse },
    listen: nothing,
  };
}

export function disabledRemoteBackups(refuse: Refuse): RemoteBackups {
  return { sync: nothing, list: refuse, test: refuse, [Symbol.asyncDispose]: nothingLater };
}

export function disabledBackups(home: Home, refuse: Refuse): Backups {
  return {
    last: () => readLastBackup(home),
    problem: () => undefined,
    make: refuse,
    download: refuse,
    list: refuse,
    [Symbol.asyncDispose]: nothingLater,
  };
}
