// Lights, in the three forms that Home Assistant knows: as JSON, one topic for each value, and by templates.

import type { Component } from "../simple.ts";
import { basicLight } from "./light-basic.ts";
import { jsonLight } from "./light-json.ts";
import { templateLight } from "./light-template.ts";

export const light: Component = (options) => {
  switch (options.text("schema") ?? "basic") {
    case "json":
      return jsonLight(options);
    case "template":
      return templateLight(options);
    default:
      return basicLight(options);
  }
};
