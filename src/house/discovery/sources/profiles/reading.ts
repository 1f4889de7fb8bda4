// Takes a value out of a message: at a pointer, by an expression, or the whole.
import type { Json, JsonObject } from "../../../../kit/schema/json.ts";
import { pointerReader } from "../../../../kit/schema/json-pointer.ts";
import type { Message } from "../../described.ts";
import type { CompiledExpressions } from "./profile.ts";
import type { Values } from "./topic-pattern.ts";

export interface Occasion {
  topic: string;
  message: Message;
  /** What the placeholders stand for in this topic. */
  parts: Values;
}

/** `value` is undefined where the message does not have it; `problem` is why an expression has none. */
export interface Taken {
  value: Json | undefined;
  problem?: string;
}

interface Place {
  pointer?: string | undefined;
  cel?: string | undefined;
}

export type Take = (occasion: Occasion) => Taken;

export function takerOf({ pointer, cel }: Place, { reading }: CompiledExpressions): Take {
  if (cel !== undefined) {
    const expression = reading(cel);
    return (occasion) => {
      const result = expression.run(variablesOf(occasion));
      if (!result.ok) return { value: undefined, problem: result.problem };
      // An expression has no other way to say that the message has no value.
      return { value: result.value ?? undefined };
    };
  }
  if (pointer !== undefined) {
    const read = pointerReader(pointer);
    return ({ message: { json } }) => ({ value: json === undefined ? undefined : read(json) });
  }
  // The text of a number is kept as it is written: it may be meant as a text.
  return ({ message: { json, text } }) => ({
    value: json === undefined || typeof json === "number" || typeof json === "boolean" ? text : json,
  });
}

export function variablesOf({ topic, message: { json, text }, parts }: Occasion): JsonObject {
  return { json: json ?? null, text, topic, parts };
}
