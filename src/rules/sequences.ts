// Actions inside of actions.
import { type TUnsafe, Type } from "@sinclair/typebox";
import type { Typed } from "./define.ts";

export function actionList(action: TUnsafe<Typed>, description: string) {
  return Type.Array(action, { minItems: 1, description });
}
