// GET /metrics, beside the API: figures of the hub in the text format of Prometheus.
import { Elysia, t } from "elysia";
import { PROMETHEUS_TYPE } from "../../system/prometheus.ts";
import { doc } from "../doc.ts";

export interface MetricsRouteDeps {
  metrics: (query: { devices: boolean }) => string;
}

const Query = t.Object({ devices: t.Optional(t.BooleanString({ default: false })) }, { additionalProperties: false });

export function metricsRoutes({ metrics }: MetricsRouteDeps) {
  return new Elysia().get(
    "/metrics",
    ({ query: { devices = false } }) =>
      new Response(metrics({ devices }), { headers: { "content-type": PROMETHEUS_TYPE } }),
    { query: Query, ...doc({ access: "viewer", summary: "Figures of the hub for Prometheus", tag: "system" }) },
  );
}
