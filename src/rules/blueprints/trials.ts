// Made-up values to try a blueprint with: everything given, only what must be, and each option and switch once.
import type { Json } from "../../kit/schema/json.ts";
import { inputTypes, optionsOf } from "./input-types.ts";
import type { BlueprintInput, InputValues } from "./inputs.ts";

const MAX_TRIALS = 60;

export function trialsOf(inputs: readonly BlueprintInput[]): InputValues[] {
  const everything = new Map(inputs.map((input) => [input.id, sampleFor(input)]));
  const needed = new Map(
    inputs
      .filter((input) => input.required || input.default !== undefined)
      .map((input) => [input.id, sampleFor(input)]),
  );
  const turned = inputs.flatMap((input) =>
    alternativesOf(input).map((value): InputValues => new Map([...everything, [input.id, value]])),
  );
  return [everything, needed, ...turned].slice(0, MAX_TRIALS);
}

function alternativesOf({ type, declared }: BlueprintInput): Json[] {
  if (type === "boolean") return [false];
  return type === "choice"
    ? optionsOf(declared.options)
        .slice(1)
        .map(({ value }) => value)
    : [];
}

function sampleFor(input: BlueprintInput): Json {
  return readAs(input, input.default ?? inputTypes[input.type]?.sample(input.declared) ?? null);
}

function readAs({ type }: BlueprintInput, value: Json): Json {
  return inputTypes[type]?.read?.(value) ?? value;
}
