// The figures of GET /metrics, collected from all parts when they are asked for.
import type { Clock } from "../../kit/time/clock.ts";
import type { Exports } from "../../reach/export/running.ts";
import type { Alerts } from "../../server/alerts/alerts.ts";
import { type LoopLag, watchLoopLag } from "../../server/system/loop-lag.ts";
import { histogramSamples, type Metric, prometheusText, type Sample } from "../../server/system/prometheus.ts";
import type { SystemStatus } from "../../server/system/status.ts";
import type { Latencies } from "./latencies.ts";
import type { Ports } from "./start/ports.ts";
import type { StartTimes } from "./start/start-times.ts";
import type { House } from "./wire-house.ts";
import type { Stores } from "./wire-stores.ts";

export interface MetricsQuery {
  /** Also the numbers and switches of devices. */
  devices: boolean;
  /** PROMETHEUS_TYPE or OPENMETRICS_TYPE. */
  contentType: string;
}

export interface MetricsSources
  extends Pick<Stores, "feed">,
    Pick<House, "registry">,
    Pick<Ports, "mqtt" | "notify" | "rules" | "plugins"> {
  clock: Clock;
  alerts: Pick<Alerts, "list">;
  exports: Pick<Exports, "list">;
  times: Pick<StartTimes, "ms">;
  latencies: Latencies;
  status(): SystemStatus;
  stream(): { clients: number; dropped: number };
}

/** A label per rule or device makes a series in the database of whoever collects them. */
const MAX_RULES = 1000;
const MAX_DEVICE_VALUES = 10_000;

export interface Metrics extends Disposable {
  text(query: MetricsQuery): string;
}

export function startMetrics(sources: MetricsSources): Metrics {
  const { feed, clock } = sources;
  const events = new Map<string, number>();
  const givenUp = new Map<string, number>();
  const stack = new DisposableStack();
  stack.use(feed.on("*", "metrics", ({ type }) => void events.set(type, (events.get(type) ?? 0) + 1)));
  stack.use(
    feed.on("notification_given_up", "metrics", ({ event: { channel } }) => {
      givenUp.set(channel, (givenUp.get(channel) ?? 0) + 1);
    }),
  );
  const lag = stack.use(watchLoopLag(clock));
  return {
    text({ devices, contentType }) {
      const metrics = [
        ...ofProcess(sources, lag),
        counter("hub_events_total", "Events since the start, by type", labelled("type", events)),
        ...ofConnections(sources),
        ...ofRules(sources, events.get("action_failed") ?? 0),
        ...ofLatencies(sources),
        ...ofMessages(sources, givenUp),
        ...ofPlugins(sources),
        ...ofExports(sources),
        ...ofTwoMachines(sources.status()),
        ...(devices ? ofDevices(sources) : []),
      ];
      return prometheusText(metrics, contentType);
    },
    [Symbol.dispose]: () => stack.dispose(),
  };
}

function ofProcess({ status, clock, alerts, times }: MetricsSources, lag: LoopLag): Metric[] {
  const now = status();
  const last = now.last_backup;
  const lasting = alerts.list().filter(({ until }) => until === undefined);
  return [
    gauge("hub_info", "Always 1, with the version", [{ labels: { version: now.version }, value: 1 }]),
    gauge("hub_uptime_seconds", "Time since the start", one(now.uptime_secs)),
    gauge(
      "hub_start_seconds",
      "What each step of the start took",
      [...times.ms].map(([step, ms]) => ({ labels: { step }, value: ms / 1000 })),
    ),
    counter("process_cpu_seconds_total", "Time that processors worked for this process", one(cpuSeconds())),
    gauge(
      "process_start_time_seconds",
      "When the process was started, in seconds of Unix",
      one((clock.now() - process.uptime() * 1000) / 1000),
    ),
    gauge("process_resident_memory_bytes", "Resident memory of the hub's own process", one(now.memory_bytes)),
    gauge("hub_loop_lag_seconds", "Longest delay of the event loop in the last one to two minutes", one(lag.longest())),
    counter("hub_disk_written_bytes_total", "Written to disk by this process", one(now.disk.written_bytes)),
    gauge("hub_db_bytes", "Size of a database with its log", [
      { labels: { db: "state" }, value: now.state_db_bytes },
      { labels: { db: "history" }, value: now.history_db_bytes },
    ]),
    counter("hub_history_samples_total", "Samples recorded", one(now.history.samples_recorded)),
    counter("hub_history_dropped_total", "Samples that could not be kept", one(now.history.samples_dropped)),
    gauge(
      "hub_backup_age_seconds",
      "Time since the last backup; absent where there is none",
      one(last === null ? null : Math.max(0, (clock.now() - Date.parse(last)) / 1000)),
    ),
    gauge(
      "hub_alert",
      "1 for each problem of the hub that lasts",
      [...Map.groupBy(lasting, ({ kind }) => kind)].map(([kind, all]) => ({ labels: { kind }, value: all.length })),
    ),
  ];
}

function ofConnections({ stream, mqtt, registry }: MetricsSources): Metric[] {
  const { clients, dropped } = stream();
  const { received, sent, denied } = mqtt.now?.counts ?? {};
  const available = [...registry.list()].filter((device) => device.available).length;
  return [
    gauge("hub_devices", "Devices by availability", [
      { labels: { available: "true" }, value: available },
      { labels: { available: "false" }, value: registry.count() - available },
    ]),
    gauge("hub_stream_clients", "Clients of the event stream", one(clients)),
    counter("hub_stream_dropped_total", "Clients of the event stream that were too slow and were closed", one(dropped)),
    gauge("hub_mqtt_clients", "MQTT clients", one(mqtt.now?.connections())),
    counter("hub_mqtt_messages_total", "MQTT messages from clients and to clients", [
      ...one(received, { direction: "in" }),
      ...one(sent, { direction: "out" }),
    ]),
    counter("hub_mqtt_denied_total", "MQTT publishes and subscriptions without the right to them", one(denied)),
  ];
}

function ofRules({ rules }: MetricsSources, failures: number): Metric[] {
  const all = rules.now?.list() ?? [];
  const fired = all.map(({ id, activity }): Sample => ({ labels: { rule: id }, value: activity.fire_count }));
  const most = fired.sort((a, b) => b.value - a.value).slice(0, MAX_RULES);
  return [
    gauge(
      "hub_rules",
      "Rules by state",
      [...Map.groupBy(all, ({ state }) => state)].map(([state, same]) => ({ labels: { state }, value: same.length })),
    ),
    gauge(
      "hub_rule_runs",
      "Runs of rules that are active or wait",
      one(sumOf(all, ({ activity }) => activity.running)),
    ),
    counter("hub_rule_fired_total", `Firings by rule, of the ${MAX_RULES} that fired most, over restarts`, most),
    counter("hub_rule_errors_total", "Actions of rules that failed", one(failures)),
  ];
}

function ofLatencies({ latencies }: MetricsSources): Metric[] {
  const histogram = (name: string, help: string, of: keyof Latencies): Metric => {
    return { name, type: "histogram", help, samples: histogramSamples(latencies[of]) };
  };
  return [
    histogram("hub_http_request_seconds", "From a request to the beginning of its answer", "requests"),
    histogram("hub_command_seconds", "From a command to the answer of its device, where there is one", "commands"),
    histogram("hub_rule_decision_seconds", "From a trigger to the decision whether its rule runs", "decisions"),
    histogram("hub_rule_run_seconds", "Runs of rules, with their delays and waits", "runs"),
  ];
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function ofMessages({ notify, clock }: MetricsSources, givenUp: ReadonlyMap<string, number>): Metric[] {
  const { notifier, outbox } = notify.now ?? {};
  const channels = (notifier?.list() ?? []).map(({ name }) => ({
    name,
    waiting: outbox?.waiting(name) ?? 0,
    oldest: outbox?.list({ channel: name, limit: 1 })[0],
  }));
  return [
    gauge(
      "hub_outbox_pending",
      "Notifications that wait, by channel",
      channels.map(({ name, waiting }) => ({ labels: { channel: name }, value: waiting })),
    ),
    gauge(
      "hub_outbox_oldest_seconds",
      "Age of the oldest notification that waits",
      channels.flatMap(({ name, oldest }) =>
        oldest ? one(Math.max(0, (clock.now() - oldest.at) / 1000), { channel: name }) : [],
      ),
    ),
    counter("hub_outbox_failed_total", "Notifications that were given up", labelled("channel", givenUp)),
  ];
}

function ofPlugins({ plugins }: MetricsSources): Metric[] {
  const all = plugins.now?.list() ?? [];
  return [
    gauge(
      "hub_plugin_up",
      "1 while the plugin is active",
      all.flatMap(({ id, status }) => one(status === "active" ? 1 : 0, { plugin: id })),
    ),
    counter(
      "hub_plugin_restarts_total",
      "Automatic restarts of a plugin",
      all.flatMap(({ id, restarts }) => one(restarts, { plugin: id })),
    ),
    gauge(
      "hub_plugin_memory_bytes",
      "Private memory of a plugin's processes",
      all.flatMap(({ id, memory_bytes }) => one(memory_bytes, { plugin: id })),
    ),
  ];
}

function ofExports({ exports }: MetricsSources): Metric[] {
  const all = exports.list().filter(({ state }) => state !== "off");
  if (all.length === 0) return [];
  const by = (value: (one: (typeof all)[number]) => number): Sample[] =>
    all.map((each) => ({ labels: { export: each.name }, value: value(each) }));
  return [
    gauge(
      "hub_export_up",
      "1 while the last try of a history export worked",
      by(({ problem }) => (problem ? 0 : 1)),
    ),
    gauge(
      "hub_export_lag_seconds",
      "How far a history export is behind",
      by(({ lagMs }) => lagMs / 1000),
    ),
    counter(
      "hub_export_samples_total",
      "Samples sent, over restarts",
      by(({ sent }) => sent),
    ),
    counter(
      "hub_export_dropped_total",
      "Samples that the other service refused",
      by(({ dropped }) => dropped),
    ),
    counter(
      "hub_export_lost_total",
      "Samples removed before they could be sent",
      by(({ lost }) => lost),
    ),
  ];
}

function ofTwoMachines({ standby }: SystemStatus): Metric[] {
  if (!standby) return [];
  const { epoch, held, lease, machine } = standby;
  return [
    gauge("hub_standby_behind_seconds", "Of how long ago the second machine's copy is", one(machine?.behind_secs)),
    ...(machine === null || machine.confirms === null
      ? []
      : [
          counter(
            "hub_standby_unconfirmed_total",
            "Changes that the second machine did not confirm in time",
            one(machine.unconfirmed),
          ),
        ]),
    gauge("hub_lease_epoch", "Grows each time that another machine becomes the hub", one(epoch)),
    gauge("hub_lease_held", "1 while this machine has the lease", lease === null ? [] : one(held ? 1 : 0)),
  ];
}

function ofDevices({ registry }: MetricsSources): Metric[] {
  const values: Sample[] = [];
  let omitted = 0;
  for (const { id, attributes } of registry.list()) {
    for (const [attribute, value] of Object.entries(attributes)) {
      if (typeof value !== "number" && typeof value !== "boolean") continue;
      if (values.length < MAX_DEVICE_VALUES) values.push({ labels: { device: id, attribute }, value: Number(value) });
      else omitted++;
    }
  }
  return [
    gauge("hub_device_value", "Numbers of devices, and their switches as 0 and 1", values),
    gauge("hub_device_values_omitted", `Values beyond the first ${MAX_DEVICE_VALUES}`, one(omitted)),
  ];
}

const gauge = (name: string, help: string, samples: Sample[]): Metric => ({ name, type: "gauge", help, samples });
const counter = (name: string, help: string, samples: Sample[]): Metric => ({ name, type: "counter", help, samples });

/** No sample where there is no value. */
function one(value: number | null | undefined, labels?: Sample["labels"]): Sample[] {
  return value === null || value === undefined ? [] : [{ value, ...(labels && { labels }) }];
}

function labelled(label: string, counts: ReadonlyMap<string, number>): Sample[] {
  return [...counts].map(([name, value]) => ({ labels: { [label]: name }, value }));
}

function sumOf<T>(all: readonly T[], value: (one: T) => number): number {
  return all.reduce((sum, one) => sum + value(one), 0);
}
