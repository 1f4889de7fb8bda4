// The text format of Prometheus, version 0.0.4.

/** A metric with its samples. Counters end in `_total` and only grow until the process ends. */
export interface Metric {
  name: string;
  type: "counter" | "gauge";
  help: string;
  samples: Iterable<Sample>;
}

export interface Sample {
  labels?: Readonly<Record<string, string>>;
  value: number;
}

export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** A metric without samples is left out: a scraper would take it for one that exists and is zero. */
export function prometheusText(metrics: Iterable<Metric>): string {
  const lines: string[] = [];
  for (const { name, type, help, samples } of metrics) {
    const rows = [...samples].map(({ labels, value }) => `${name}${labelsOf(labels)} ${numberOf(value)}`);
    if (rows.length > 0) lines.push(`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...rows);
  }
  return `${lines.join("\n")}\n`;
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
