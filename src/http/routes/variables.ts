// /variables: values by name, for people and rules.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { type Role, seesSecrets } from "../../auth/roles.ts";
import { isoSeconds } from "../../core/clock.ts";
import { HubError } from "../../core/errors.ts";
import { isSecretName, MASK, masked } from "../../core/masking.ts";
import { VariableName } from "../../state/variable-value.ts";
import type { Variable as VariableState, Variables } from "../../state/variables.ts";
import { jsonBody } from "../body.ts";
import { doc } from "../doc.ts";
import type { Sessions } from "../session.ts";

const Variable = Type.Object(
  {
    name: Type.String(),
    value: Type.Unknown({ description: "Any JSON" }),
    updated_at: Type.String({ description: "UTC time of the last write that changed the value" }),
  },
  { $id: "Variable" },
);
const NewValue = Type.Object(
  { value: Type.Unknown({ description: "Any JSON, null too; at most 64 KiB as text", expected: "any JSON" }) },
  { additionalProperties: false },
);

export interface VariableRoutesDeps {
  variables: Variables;
  sessions: Pick<Sessions, "of">;
}

export function variableRoutes({ variables, sessions }: VariableRoutesDeps) {
  const bodyFor = (request: Request, variable: VariableState) => variableBody(variable, sessions.of(request).role);
  const tag = "variables";
  const answers = { 200: { description: "The variable", schema: Variable } };
  return new Elysia({ prefix: "/variables" })
    .get(
      "",
      ({ request }) => variables.list().map((variable) => bodyFor(request, variable)),
      doc({
        access: "viewer",
        summary: "All variables",
        tag,
        answers: { 200: { description: "The variables, by name", schema: Type.Array(Variable) } },
      }),
    )
    .get(
      "/:name",
      ({ params, request }) => bodyFor(request, variables.get(params.name)),
      doc({ access: "viewer", summary: "One variable", tag, answers }),
    )
    .put(
      "/:name",
      function writeVariable({ params, body, request }) {
        if (body.value === MASK) throw new HubError("invalid", `value: "${MASK}" stands for what you may not see`);
        return bodyFor(request, variables.set(params.name, body.value));
      },
      {
        ...jsonBody(NewValue),
        params: t.Object({ name: VariableName }),
        ...doc({
          access: "user",
          summary: "Write a variable, made if it is not there",
          tag,
          answers,
          makesMissing: true,
          refusals: {
            conflict: "There are too many variables, or they hold too much together",
            too_large: "The value has more than 64 KiB as text, or the body more than [server] max_body_bytes",
          },
        }),
      },
    )
    .delete(
      "/:name",
      function removeVariable({ params }) {
        variables.remove(params.name);
        return new Response(null, { status: 204 });
      },
      doc({
        access: "user",
        audit: "variable.remove",
        summary: "Remove a variable",
        tag,
        answers: { 204: { description: "Removed" } },
      }),
    );
}

function variableBody({ name, value: held, updatedAt }: VariableState, role: Role) {
  const value = seesSecrets(role) ? held : isSecretName(name) ? MASK : masked(held);
  return { name, value, updated_at: isoSeconds(updatedAt) };
}
