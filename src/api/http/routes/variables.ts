// /variables: values by name, for people and rules.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { VariableName } from "../../../house/state/variable-value.ts";
import type { Variable as VariableState, Variables } from "../../../house/state/variables.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { spelled } from "../../../kit/text/called.ts";
import { isSecretName, MASK, masked } from "../../../kit/text/masking.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import { type Role, seesSecrets } from "../../../server/auth/roles.ts";
import { jsonBody } from "../body.ts";
import type { Callers } from "../callers.ts";
import { crudDocs, noContent } from "../crud.ts";

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
  variables: Pick<Variables, "get" | "has" | "list" | "remove" | "set">;
  callers: Pick<Callers, "of">;
}

export function variableRoutes({ variables, callers }: VariableRoutesDeps) {
  const bodyFor = (request: Request, variable: VariableState) => variableBody(variable, callers.of(request).role);
  const docs = crudDocs({ noun: "variable", plural: "variables", schema: Variable });
  return new Elysia({ prefix: "/variables" })
    .get("", ({ request }) => variables.list().map((one) => bodyFor(request, one)), docs.list("The variables, by name"))
    .get("/:name", ({ params, request }) => bodyFor(request, variables.get(params.name)), docs.get())
    .put(
      "/:name",
      function writeVariable({ params, body, request }) {
        if (body.value === MASK)
          throw new HubError("invalid", `value: "${MASK}" is the mask of a value that you may not see`);
        refuseOtherSpelling(variables, params.name);
        return bodyFor(request, variables.set(params.name, body.value));
      },
      {
        ...jsonBody(NewValue),
        params: t.Object({ name: VariableName }),
        ...docs.edit("Write a variable; it is made where it does not exist", {
          makesMissing: true,
          refusals: {
            conflict:
              "There are too many variables, they are too large together, or it is only spelled otherwise than one",
            too_large: "The value has more than 64 KiB as text, or the body more than [server] max_body_bytes",
          },
        }),
      },
    )
    .delete("/:name", ({ params }) => noContent(() => variables.remove(params.name)), docs.remove());
}

/** Who writes `Guests` where rules read `guests` would wonder why nothing happens. */
function refuseOtherSpelling(variables: Pick<Variables, "has" | "list">, name: string): void {
  if (variables.has(name)) return;
  const other = variables.list().find((one) => spelled(one.name) === spelled(name));
  if (other)
    throw new HubError("conflict", `there is a variable "${other.name}": write that one, or choose another name`);
}

function variableBody({ name, value: held, updatedAt }: VariableState, role: Role) {
  const value = seesSecrets(role) ? held : isSecretName(name) ? MASK : masked(held);
  return { name, value, updated_at: isoSeconds(updatedAt) };
}
