// Loops whose end the house decides about: bounded, in case it never does.
import { Type } from "@sinclair/typebox";
import { HubError } from "../core/errors.ts";

export const maxTurns = Type.Integer({
  default: 100,
  minimum: 1,
  maximum: 10_000,
  description: "After so many turns it fails",
});

export function tooManyTurns(most: number, why: string): HubError {
  return new HubError("conflict", `stopped after ${most} turns, and ${why}: mend the expression, or raise max_turns`);
}
