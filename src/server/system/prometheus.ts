// The text format of Prometheus, version 0.0.4, and OpenMetrics 1.0, which most scrapers ask for.
import type { Histogram } from "../../kit/lifecycle/histogram.ts";

/** A metric with its samples. Counters end in `_total` and only grow until the process ends. */
export interface Metric {
  name: string;
  type: "counter" | "gauge" | "histogram";
  help: string;
  samples: Iterable<Sample>;
}

export interface Sample {
  labels?: Readonly<Record<string, string>>;
  value: number;
  /** Behind the name: `_bucket`, `_sum`, `_count`. */
  suffix?: string;
}

export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
export const OPENMETRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** What to answer to this Accept header: OpenMetrics where it is wanted at least as much as plain text. */
export function metricsTypeFor(accept: string | null): typeof PROMETHEUS_TYPE | typeof OPENMETRICS_TYPE {
  const wanted = new Map<string, number>();
  for (const part of (accept ?? "").toLowerCase().split(",")) {
    const [range = "", ...parameters] = part.split(";").map((text) => text.trim());
    const quality = parameters.find((text) => text.startsWith("q="))?.slice(2);
    wanted.set(range, Math.max(wanted.get(range) ?? 0, quality === undefined ? 1 : Number(quality) || 0));
  }
  const open = wanted.get("application/openmetrics-text") ?? 0;
  const plain = wanted.get("text/plain") ?? wanted.get("text/*") ?? 0;
  return open > 0 && open >= plain ? OPENMETRICS_TYPE : PROMETHEUS_TYPE;
}

/** A metric without samples is left out: a scraper would take it for one that exists and is zero. */
export function prometheusText(metrics: Iterable<Metric>, contentType: string = PROMETHEUS_TYPE): string {
  const isOpen = contentType === OPENMETRICS_TYPE;
  const lines: string[] = [];
  for (const { name, type, help, samples } of metrics) {
    const rows = [...samples].map(
      ({ labels, value, suffix = "" }) => `${name}${suffix}${labelsOf(labels)} ${numberOf(value)}`,
    );
    if (rows.length === 0) continue;
    // OpenMetrics names a counter without the ending of its samples, and escapes quotes also here.
    const family = isOpen && type === "counter" ? name.replace(/_total$/, "") : name;
    const helpText = isOpen ? escaped(help).replaceAll('"', '\\"') : escaped(help);
    lines.push(`# HELP ${family} ${helpText}`, `# TYPE ${family} ${type}`, ...rows);
  }
  if (isOpen) lines.push("# EOF");
  return `${lines.join("\n")}\n`;
}

/** The samples of a histogram: how many took at most so long. */
export function histogramSamples({ bounds, series }: Histogram): Sample[] {
  return [...series()].flatMap(({ labels, counts, sum }) => {
    let upTo = 0;
    const buckets = counts.map((count, index): Sample => {
      upTo += count;
      return { suffix: "_bucket", labels: { ...labels, le: boundText(bounds[index]) }, value: upTo };
    });
    return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: upTo }];
  });
}

/** As OpenMetrics writes it, so that both formats make the same series: `1.0`. */
function boundText(bound: number | undefined): string {
  if (bound === undefined) return "+Inf";
  return Number.isInteger(bound) ? `${bound}.0` : String(bound);
}

function labelsOf(labels: Sample["labels"]): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}="${escaped(value).replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function numberOf(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : "-Inf";
}
