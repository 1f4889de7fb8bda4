// GET /metrics, beside the API: figures of the hub in the text format of Prometheus, or as OpenMetrics for who accepts that.
import { Elysia, t } from "elysia";
import { metricsTypeFor } from "../../../server/system/prometheus.ts";
import { doc } from "../doc.ts";

export interface MetricsRouteDeps {
  metrics: (query: { devices: boolean; contentType: string }) => string;
}

const Query = t.Object({ devices: t.Optional(t.BooleanString({ default: false })) }, { additionalProperties: false });

export function metricsRoutes({ metrics }: MetricsRouteDeps) {
  return new Elysia().get(
    "/metrics",
    ({ query: { devices = false }, request }) => {
      const contentType = metricsTypeFor(request.headers.get("accept"));
      return new Response(metrics({ devices, contentType }), {
        headers: { "content-type": contentType, vary: "accept" },
      });
    },
    { query: Query, ...doc({ access: "viewer", summary: "Figures of the hub for Prometheus", tag: "system" }) },
  );
}
