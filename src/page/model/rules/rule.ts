// A rule, its problems, its traces and what rules can be made of, as the API answers them.
import type { Attributes, Json } from "../device/json.ts";

export type Fields = Readonly<Record<string, Json | undefined>>;

/** A trigger, condition or action as a rule has it. */
export interface Part extends Fields {
  type: string;
}

/** What a rule says, with every default. */
export interface WholeRule {
  id: string;
  name: string;
  description?: string;
  enabled: boolean;
  tags: string[];
  cooldown_secs: number;
  run_mode: string;
  triggers: Part[];
  conditions: Part[];
  actions: Part[];
  trigger_condition?: string;
  required_expression?: string;
  [field: string]: unknown;
}

export interface RuleProblem {
  message: string;
  path?: string;
  line: number;
  column: number;
  frame?: string;
}

export interface ListedRule {
  id: string;
  name: string;
  enabled: boolean;
  state: "enabled" | "disabled" | "broken" | "paused" | "loading";
  running_version: "current" | "last_good" | "none";
  priority: number;
  tags: string[];
  file: string;
  format: "ron" | "toml";
  error?: RuleProblem;
  warnings: RuleProblem[];
  last_fired_at: string | null;
  next_run_at?: string | null;
  fire_count: number;
  running: number;
  queued: number;
  paused_until: string | null;
  last_error: { at: string; message: string } | null;
  trigger_types: string[];
  /** The version that runs; null where none does. */
  rule?: WholeRule | null;
  /** The blueprint that makes it, and what is filled in. */
  use?: string;
  inputs?: Readonly<Record<string, Json>>;
}

export interface RuleDetails extends ListedRule {
  problems: RuleProblem[];
  rule: WholeRule | null;
}

export interface ConditionTrace {
  type: string;
  passed: boolean;
  expected: string;
  actual: Json;
  error?: string;
  parts?: ConditionTrace[];
}

export interface ActionTrace {
  type: string;
  result: "running" | "ok" | "queued" | "failed" | "skipped" | "cancelled";
  detail?: string;
  error?: string;
  started_at: string;
  duration_ms?: number;
  parts?: ActionTrace[];
}

export interface Trace {
  id: string;
  rule_id: string;
  at: string;
  dry_run: boolean;
  trigger: { type: string; label: string; context: Attributes };
  outcome: "fired" | "conditions_failed" | "cooldown" | "busy" | "stopped" | "paused" | "runaway";
  why: string;
  conditions: ConditionTrace[];
  actions: ActionTrace[];
  omittedActions?: number;
  ended_at: string | null;
}

/** Of a made-up run; `unknown`: what could not be known, in sentences. */
export interface TestTrace extends Trace {
  unknown?: string[];
}

/** Of one action: `until` where it ends by itself, in any case. */
export interface RunWait {
  action: string;
  path: string;
  for: string;
  since: string;
  until?: string | null;
}

/** A run that is under way. */
export interface RuleRun {
  id: string;
  rule_id: string;
  started_at: string;
  trigger: { type: string; label: string };
  state: "running" | "waiting" | "queued";
  waits: RunWait[];
}

export interface CheckedRule {
  format: "ron" | "toml";
  problems: RuleProblem[];
  warnings: RuleProblem[];
  rule: WholeRule | null;
  /** Where it uses a blueprint: what the text says itself. */
  written?: Fields & { use: string; name?: string; inputs?: Readonly<Record<string, Json>> };
}

/** A field of a trigger, condition or action, as far as editors use it. */
export interface FieldSchema {
  /** Of a span of time, also a text. */
  type?: string | string[];
  const?: Json;
  anyOf?: FieldSchema[];
  items?: FieldSchema;
  properties?: Record<string, FieldSchema>;
  patternProperties?: Record<string, FieldSchema>;
  required?: string[];
  $ref?: string;
  default?: Json;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  description?: string;
  contentMediaType?: string;
  examples?: Json[];
  "x-names"?: string;
  "x-keys-name"?: string;
  "x-attribute"?: boolean;
  "x-attributes"?: boolean;
  "x-template"?: boolean;
  "x-duration"?: boolean;
  writeOnly?: boolean;
}

export interface Word {
  type: string;
  doc: string;
  schema: FieldSchema;
}

export interface Vocabulary {
  triggers: Word[];
  conditions: Word[];
  actions: Word[];
  rule: FieldSchema;
}
