// What somebody should look at, each with what to do and where.
import { computed, effect, signal } from "@preact/signals";
import {
  type Alert,
  alertInWords,
  type HubProblem,
  problemInWords,
  ruleProblemInShort,
} from "../../model/text/problem-words.ts";
import { formatTime, t, textFor } from "../../texts/index.ts";
import { nameOfDevice } from "../house/devices.ts";
import { get } from "../hub/api.ts";
import { connection, gap, listen } from "../hub/live.ts";
import { allows } from "../hub/session.ts";
import { type Matter, noteDevice, ofAlarms, ofDevices } from "./device-matters.ts";

interface Rule {
  id: string;
  name: string;
  error?: { message: string; line: number };
}

interface Waiting {
  state: string;
  tries: number;
  last_error: string | null;
}

interface Notice {
  id: string;
  title: string;
  message: string;
  state: string;
  answerable: boolean;
}

interface Found {
  alerts: Alert[];
  problems: HubProblem[];
  rules: Rule[];
  waiting: Waiting[];
  notices: Notice[];
}

const NOTHING: Found = { alerts: [], problems: [], rules: [], waiting: [], notices: [] };
const POLL_MS = 5 * 60_000;
const TOGETHER_MS = 1500;
/** Parts whose problems have a line of their own. */
const ELSEWHERE = new Set(["rules"]);

export function createAttention() {
  const found = signal<Found>(NOTHING);
  let isStarted = false;
  let _soon: ReturnType<typeof setTimeout> | undefined;

  function readSoon(ms: number): void {
    _soon ??= setTimeout(() => {
      _soon = undefined;
      void read();
    }, ms);
  }

  async function read(): Promise<void> {
    if (connection.peek().state === "live") found.value = await readAll(found.peek());
  }

  return {
    matters: computed((): Matter[] =>
      [...ofAlarms.value, ...ofHub(found.value), ...ofDevices.value, ...ofGap()].sort(
        (a, b) => Number(b.severity === "act") - Number(a.severity === "act"),
      ),
    ),
    startAttention(): void {
      if (isStarted) return;
      isStarted = true;
      effect(() => {
        if (connection.value.state === "live") readSoon(0);
      });
      listen((event) => {
        noteDevice(event);
        if (/^(alert$|plugin_|notification_|backup_|system_|action_failed)/.test(event.type)) readSoon(TOGETHER_MS);
      });
      setInterval(() => document.visibilityState === "visible" && readSoon(0), POLL_MS);
    },
  };
}

export const { matters, startAttention } = createAttention();

/** `before`: stands in for what cannot be read. */
async function readAll(before: Found): Promise<Found> {
  const or = <T>(asked: Promise<T>, held: T): Promise<T> => asked.catch(() => held);
  const [alerts, status, rules, waiting, notices] = await Promise.all([
    or(get<Alert[]>("/system/alerts"), before.alerts),
    or(get<{ problems: Found["problems"] }>("/system/status"), before),
    or(get<Rule[]>("/rules?state=broken"), before.rules),
    allows("user") ? or(get<Waiting[]>("/notify/outbox"), before.waiting) : [],
    allows("user") ? or(get<Notice[]>("/notify/notices"), before.notices) : [],
  ]);
  const lasting = alerts.filter(({ until }) => until === null);
  return { alerts: lasting, problems: status.problems, rules, waiting, notices };
}

function ofHub({ alerts, problems, rules, waiting, notices }: Found): Matter[] {
  const off = new Set(alerts.flatMap(({ kind, variant }) => (kind === "part_off" && variant ? [variant] : [])));
  return [
    ...notices.filter(({ state, answerable }) => state === "open" && answerable).map(ofNotice),
    ...alerts.filter(({ severity }) => severity !== "info").map(ofAlert),
    ...problems.filter(({ part }) => !ELSEWHERE.has(part) && !off.has(part)).map(ofProblem),
    ...rules.map(ofRule),
    ...ofOutbox(waiting),
  ];
}

const PLACES: Readonly<Record<string, string>> = {
  backup_overdue: "/system/backups",
  plugin_down: "/plugins",
  plugin_crash_loop: "/plugins",
  plugins: "/plugins",
  notify: "/messages",
  modes: "/modes",
  calendar: "/calendars",
  calendars: "/calendars",
  discovery: "/discovery",
  mqtt: "/mqtt",
  rules_renamed_attributes: "/rules",
};

function ofAlert(alert: Alert): Matter {
  const { id, kind, severity } = alert;
  const { message, mend } = alertInWords(alert);
  return {
    id,
    severity: severity === "critical" ? "act" : "look",
    title: textFor(`attention.${kind}`) ?? message,
    text: `${message}. ${mend}`,
    href: placeOf({ id, kind }),
  };
}

/** `plugin_down:zigbee` is about that plugin. */
function placeOf({ id, kind }: Pick<Alert, "id" | "kind">): string {
  const place = PLACES[kind] ?? "/system";
  const about = id.slice(kind.length + 1);
  return place === "/plugins" && about !== "" ? `${place}/${encodeURIComponent(about)}` : place;
}

function ofProblem({ part, message }: HubProblem): Matter {
  const words = problemInWords({ part });
  return {
    id: `problem:${part}:${message}`,
    severity: "look",
    title: t("attention.problem", { part: words.part }),
    text: words.mend === undefined ? message : `${words.mend} (${message})`,
    href: PLACES[part] ?? "/system",
  };
}

function ofRule({ id, name, error }: Rule): Matter {
  return {
    id: `rule:${id}`,
    severity: "look",
    title: t("attention.rule", { name }),
    text: error
      ? t("attention.rule_line", { line: error.line, message: ruleProblemInShort(error.message, nameOfDevice) })
      : "",
    href: `/rules/${encodeURIComponent(id)}`,
  };
}

function ofNotice({ id, title, message }: Notice): Matter {
  return {
    id: `notice:${id}`,
    severity: "act",
    title: t("attention.notice", { title }),
    text: message,
    href: "/messages",
  };
}

function ofOutbox(waiting: readonly Waiting[]): Matter[] {
  const late = waiting.filter(({ tries, state }) => tries > 0 || state === "blocked");
  if (late.length === 0) return [];
  const why = late.find(({ last_error }) => last_error !== null)?.last_error ?? t("attention.outbox_blocked");
  return [
    {
      id: "outbox",
      severity: "look",
      title: t("attention.outbox", { count: late.length }),
      text: why,
      href: "/messages",
    },
  ];
}

function ofGap(): Matter[] {
  if (!gap.value) return [];
  const dismiss = (): void => {
    gap.value = undefined;
  };
  return [
    {
      ...{ id: "gap", severity: "look", href: "/activity", dismiss },
      title: t("attention.gap", { time: formatTime(gap.value.at) }),
      text: t("attention.gap_mend"),
    },
  ];
}
