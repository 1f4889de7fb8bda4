// What a form is made of: the schema of its values, and what is wrong with what was written.
import type { Json } from "../device/json.ts";

export interface FormSchema {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: Json[];
  anyOf?: FormSchema[];
  const?: Json;
  default?: Json;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  writeOnly?: boolean;
  items?: FormSchema;
  properties?: Record<string, FormSchema>;
  required?: string[];
}

export interface TextProblem {
  path: string;
  message: string;
  line?: number;
  column?: number;
  warning?: boolean;
  confined?: boolean;
}
