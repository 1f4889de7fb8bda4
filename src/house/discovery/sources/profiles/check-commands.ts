// What is wrong with the commands of a profile.
import { pointerProblem } from "../../../../kit/schema/json-pointer.ts";
import type { Problem } from "../../../../kit/schema/schema.ts";
import { isTopicName } from "../../../../kit/text/topic-filter.ts";
import { at, type Checking, unknownPlaceholder } from "./checking.ts";
import { typeOf } from "./codec.ts";
import type { AttributeTable, ButtonTable, CommandTable } from "./schema.ts";
import { placeholdersOf } from "./topic-pattern.ts";

/** `of`: the attribute that it commands; undefined for a command that is none. */
export function commandProblems(
  path: string,
  command: CommandTable | ButtonTable,
  { of, checking }: { of: AttributeTable | undefined; checking: Checking },
): Problem[] {
  const { topic, payload, pointer, cel } = command;
  const type = typeOf(of ?? { ...command, map: undefined });
  const takesValue = of !== undefined || type !== undefined;
  const withValue = { ...checking, parts: [...checking.parts, "value"] };
  const found = [
    isTopicName(topic)
      ? at(`${path}.topic`, unknownPlaceholder(topic, checking))
      : at(`${path}.topic`, "must be one topic, without + and #"),
    at(`${path}.payload`, unknownPlaceholder(payload, withValue)),
    payload !== undefined && pointer !== undefined
      ? at(`${path}.pointer`, "makes the message itself: take out payload")
      : undefined,
    payload !== undefined && takesValue && !placeholdersOf(payload).includes("value")
      ? at(`${path}.payload`, "would be the same for every value: put {value} in it")
      : undefined,
    pointer === "" ? at(`${path}.pointer`, 'must name a place in the message, such as "/state"') : undefined,
    at(`${path}.pointer`, pointer === undefined ? undefined : pointerProblem(pointer)),
    at(`${path}.cel`, cel === undefined ? undefined : checking.expressions.problem("writing", cel)),
    !takesValue && payload === undefined && cel === undefined && pointer === undefined
      ? at(`${path}.payload`, "missing: must be the message to send, or give a type or unit for a command with a value")
      : undefined,
    at(
      `${path}.map`,
      mapProblem(command, { type, options: of?.options ?? ("options" in command ? command.options : undefined) }),
    ),
  ];
  return found.filter((one) => one !== undefined);
}

function mapProblem(
  { map }: CommandTable,
  { type, options }: { type: string | undefined; options: readonly string[] | undefined },
): string | undefined {
  if (!map) return undefined;
  const known = type === "boolean" ? ["true", "false", "toggle"] : options;
  const odd = known && Object.keys(map).find((key) => !known.includes(key));
  return odd === undefined ? undefined : `"${odd}" is no value of the attribute: there are ${known?.join(", ")}`;
}
