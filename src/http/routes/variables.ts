// /variables: values by name, for people and rules.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { isoSeconds } from "../../core/clock.ts";
import type { Variable as VariableState, Variables } from "../../state/variables.ts";
import { VariableName } from "../../state/variables-value.ts";
import { jsonBody } from "../body.ts";
import { doc } from "../doc.ts";

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

export function variableRoutes({ variables }: { variables: Variables }) {
  const tag = "variables";
  const answers = { 200: { description: "The variable", schema: Variable } };
  return new Elysia({ prefix: "/variables" })
    .get(
      "",
      () => variables.list().map(variableBody),
      doc({
        access: "viewer",
        summary: "All variables",
        tag,
        answers: { 200: { description: "The variables, by name", schema: Type.Array(Variable) } },
      }),
    )
    .get(
      "/:name",
      ({ params }) => variableBody(variables.get(params.name)),
      doc({ access: "viewer", summary: "One variable", tag, answers }),
    )
    .put("/:name", ({ params, body }) => variableBody(variables.set(params.name, body.value)), {
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
    })
    .delete(
      "/:name",
      function removeVariable({ params }) {
        variables.remove(params.name);
        return new Response(null, { status: 204 });
      },
      doc({ access: "user", summary: "Remove a variable", tag, answers: { 204: { description: "Removed" } } }),
    );
}

function variableBody({ name, value, updatedAt }: VariableState) {
  return { name, value, updated_at: isoSeconds(updatedAt) };
}
