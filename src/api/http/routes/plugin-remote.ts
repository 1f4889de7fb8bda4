// /plugins/:id/capabilities, config, actions, requests: what a plugin offers, and its answers.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { JsonObject } from "../../../kit/schema/json.ts";
import type { Answer } from "../../../reach/plugins/requests/questions.ts";
import type { Plugins } from "../../../reach/plugins/supervisor.ts";
import { allows, type Role } from "../../../server/auth/roles.ts";
import { jsonBody, optionalJsonBody } from "../body.ts";
import type { Callers } from "../callers.ts";
import { doc } from "../doc.ts";

const AnyObject = Type.Record(Type.String(), Type.Unknown());
const Capabilities = Type.Object(
  {
    plugin_id: Type.String(),
    spec: Type.Optional(Type.Unknown()),
    actions: Type.Array(AnyObject, {
      description: "id, label, description, params (JSON Schema), stream, cancelable, requires_role, timeout_ms, …",
    }),
    config_schema: Type.Optional(Type.Unknown({ description: "JSON Schema of its configuration" })),
  },
  { $id: "PluginCapabilities", additionalProperties: true },
);
const ActionAnswer = Type.Object(
  {
    request_id: Type.String(),
    status: Type.Union(["ok", "error", "accepted", "busy"].map((status) => Type.Literal(status))),
    data: Type.Unknown({ description: "What the action returned; null if nothing" }),
    error: Type.Optional(Type.String()),
    active_request_id: Type.Optional(Type.String({ description: "The request that has to end first, if it is busy" })),
  },
  { $id: "PluginAnswer" },
);

export interface PluginRemoteRoutesDeps {
  plugins: Pick<Plugins, "act" | "cancel" | "declared" | "readConfig" | "replaceConfig" | "respond">;
  callers: Pick<Callers, "of">;
}

export function pluginRemoteRoutes({ plugins, callers }: PluginRemoteRoutesDeps) {
  const tag = "plugins";
  const mayOf = (request: Request) => (role: Role) => allows(callers.of(request).role, role);
  const answered = { description: "The plugin's answer", schema: ActionAnswer };
  const config = { 200: { description: "Its configuration, with secrets masked", schema: AnyObject } };
  const refusals = {
    conflict: "It is not active",
    upstream_failed: "It did not answer in time, or refused",
    rate_limited: "Too many of its requests are under way",
    unavailable: "The hub is starting",
  };
  const needsRole = { forbidden: "The action needs a higher role" };
  return new Elysia({ prefix: "/plugins" })
    .get(
      "/:id/capabilities",
      ({ params }) => plugins.declared(params.id),
      doc({
        access: "viewer",
        summary: "What it offers: actions, and the schema of its configuration",
        tag,
        answers: { 200: { description: "As it declared them; no actions if it has not", schema: Capabilities } },
      }),
    )
    .get(
      "/:id/config",
      ({ params }) => plugins.readConfig(params.id),
      doc({ access: "admin", summary: "Its configuration", tag, answers: config, refusals }),
    )
    .put("/:id/config", ({ params, body }) => plugins.replaceConfig(params.id, body as JsonObject), {
      ...jsonBody(AnyObject),
      ...doc({
        access: "admin",
        audit: "plugin.config",
        summary: "Replace its configuration; masked secrets stay as they are",
        tag,
        answers: config,
        refusals,
      }),
    })
    .post(
      "/:id/actions/:action",
      async function callAction({ params: { id, action }, body, request, set }) {
        const call = { action, params: body as JsonObject, may: mayOf(request) };
        const answer = await plugins.act(id, call);
        if (answer.status === "accepted") set.status = 202;
        return bodyOf(answer);
      },
      {
        ...optionalJsonBody(AnyObject),
        ...doc({
          access: "viewer",
          audit: "plugin.action",
          keeps: false,
          summary: "Call one of its actions, if the role allows it; the body holds its parameters",
          tag,
          answers: { 200: answered, 202: { ...answered, description: "It goes on, and reports by plugin_action" } },
          refusals: { ...refusals, ...needsRole },
        }),
      },
    )
    .post(
      "/:id/requests/:request",
      async ({ params, body, request }) => {
        const { response } = body as { response: JsonObject };
        const answer = { requestId: params.request, response, may: mayOf(request) };
        return bodyOf(await plugins.respond(params.id, answer));
      },
      {
        ...jsonBody(Type.Object({ response: Type.Unknown() }, { additionalProperties: false })),
        ...doc({
          access: "viewer",
          audit: "plugin.respond",
          keeps: false,
          summary: "Answer what an action asks (awaiting_user)",
          tag,
          answers: { 200: answered },
          refusals: { ...refusals, ...needsRole, conflict: "It is not active, or does not wait for an answer" },
        }),
      },
    )
    .delete(
      "/:id/requests/:request",
      async ({ params, request }) =>
        bodyOf(await plugins.cancel(params.id, { requestId: params.request, may: mayOf(request) })),
      doc({
        access: "viewer",
        audit: "plugin.cancel",
        keeps: false,
        summary: "Cancel an action",
        tag,
        answers: { 200: answered },
        refusals: { ...refusals, ...needsRole, conflict: "It is not active, or the action cannot be cancelled" },
      }),
    );
}

function bodyOf({ requestId, status, data, error, activeRequestId }: Answer) {
  return {
    request_id: requestId,
    status,
    data,
    ...(error === undefined ? {} : { error }),
    ...(activeRequestId === undefined ? {} : { active_request_id: activeRequestId }),
  };
}
