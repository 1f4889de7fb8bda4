// Blueprints as the API answers them: rules with inputs, of which rules are made.

import { signal } from "@preact/signals";
import type { Json } from "../../model/device/json.ts";
import type { RuleProblem } from "../../model/rules/rule.ts";
import { get } from "../hub/api.ts";

export interface InputSchema {
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  anyOf?: { const?: Json; title?: string }[];
  "x-device-types"?: string[];
  "x-device-attributes"?: string[];
  "x-unit"?: string;
  "x-step"?: number;
}

export interface BlueprintInput {
  id: string;
  name: string;
  description: string;
  type: string;
  schema: InputSchema;
  default?: Json;
  required: boolean;
}

export interface Blueprint {
  id: string;
  name: string;
  description: string;
  inputs: BlueprintInput[];
  source: "shipped" | "own";
  shadows: boolean;
  file: string;
  used_by: { id: string; name: string }[];
  problems: RuleProblem[];
}

export type InputValues = Readonly<Record<string, Json>>;

/** Those that were read last, for what is said of rules made of them. */
export const blueprints = signal<ReadonlyMap<string, Blueprint>>(new Map());

export async function readBlueprints(): Promise<void> {
  const all = await get<Blueprint[]>("/blueprints");
  blueprints.value = new Map(all.map((one) => [one.id, one]));
}

export const blueprintPath = (id: string, rest = ""): string => `/blueprints/${encodeURIComponent(id)}${rest}`;
