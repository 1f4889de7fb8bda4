// The statements of templates: `{% if … %}`, `{% for … %}`, `{% set … %}`, `{% macro … %}`, …

import { TemplateError } from "../values.ts";
import { tokensOf } from "./lexer.ts";
import type { FilterNode, MacroNode, Node } from "./nodes.ts";
import { ExpressionParser } from "./parser.ts";

/** Throws TemplateError. */
export function parse(text: string): Node[] {
  return new StatementParser(tokensOf(text)).all();
}

class StatementParser extends ExpressionParser {
  all(): Node[] {
    const body = this.#until();
    if (this.token) this.fail();
    return body;
  }

  /** Up to `{% name`, of which the name is next; without names up to the end. */
  #until(...names: string[]): Node[] {
    const body: Node[] = [];
    while (this.token) {
      const token = this.next();
      if (token.type === "text") body.push({ type: "Text", value: token.value });
      else if (token.type === "begin" && token.value === "{{") {
        body.push({ type: "Output", value: this.tuple() });
        this.expect("end", "}}");
      } else if (token.type === "begin") {
        if (names.some((name) => this.is("name", name))) return body;
        body.push(this.deeper(() => this.#statement()));
        this.expect("end", "%}");
      } else this.fail();
    }
    if (names.length > 0) throw new TemplateError(`it cannot be read: {% ${names.at(-1)} %} is missing`);
    return body;
  }

  /** The body of a statement, with what begins and ends it. */
  #body(end: string): Node[] {
    this.expect("end", "%}");
    const body = this.#until(end);
    this.expect("name", end);
    return body;
  }

  #statement(): Node {
    const name = this.name();
    switch (name) {
      case "if":
        return this.#if();
      case "for":
        return this.#for();
      case "set":
        return this.#set();
      case "with":
        return this.#with();
      case "do":
        return { type: "Do", value: this.tuple() };
      case "filter": {
        const filters = this.#filterChain(true);
        return { type: "FilterBlock", filters, body: this.#body("endfilter") };
      }
      case "macro":
        return this.#macro();
      case "call":
        return this.#callBlock();
      case "break":
        return { type: "Break" };
      case "continue":
        return { type: "Continue" };
      default:
        throw new TemplateError(`{% ${name} %} is not supported`);
    }
  }

  #if(): Node {
    const test = this.tuple({ hasChoice: false });
    this.expect("end", "%}");
    const body = this.#until("elif", "else", "endif");
    if (this.skip("name", "elif")) return { type: "If", test, body, otherwise: [this.deeper(() => this.#if())] };
    let otherwise: Node[] = [];
    if (this.skip("name", "else")) {
      this.expect("end", "%}");
      otherwise = this.#until("endif");
    }
    this.expect("name", "endif");
    return { type: "If", test, body, otherwise };
  }

  #for(): Node {
    const target = this.#target();
    this.expect("name", "in");
    const items = this.tuple({ hasChoice: false });
    const test = this.skip("name", "if") ? this.expression() : undefined;
    const isRecursive = this.skip("name", "recursive");
    this.expect("end", "%}");
    const body = this.#until("else", "endfor");
    let otherwise: Node[] = [];
    if (this.skip("name", "else")) {
      this.expect("end", "%}");
      otherwise = this.#until("endfor");
    }
    this.expect("name", "endfor");
    return { type: "For", target, items, ...(test && { test }), body, otherwise, isRecursive };
  }

  /** A name, `ns.name`, or several of them. */
  #target(): Node {
    const names: Node[] = [];
    let hasComma = false;
    do {
      if (names.length > 0) hasComma = true;
      if (hasComma && !this.is("name") && !this.is("op", "(")) break;
      names.push(this.#oneTarget());
    } while (this.skip("op", ","));
    return !hasComma && names[0] ? names[0] : { type: "Tuple", items: names };
  }

  #oneTarget(): Node {
    if (this.skip("op", "(")) {
      const inner = this.deeper(() => this.#target());
      this.expect("op", ")");
      return inner;
    }
    const object: Node = { type: "Name", name: this.#newName() };
    if (!this.skip("op", ".")) return object;
    return { type: "Member", object, key: { type: "Literal", value: this.name() }, isDot: true };
  }

  #newName(): string {
    const name = this.name();
    if (["true", "false", "none", "True", "False", "None", "loop"].includes(name))
      throw new TemplateError(`"${name}" cannot be assigned to`);
    return name;
  }

  #set(): Node {
    const target = this.#target();
    if (this.skip("op", "=")) return { type: "Set", target, value: this.tuple() };
    const filters = this.#filterChain(false);
    return { type: "SetBlock", target, filters, body: this.#body("endset") };
  }

  #filterChain(hasNameFirst: boolean): FilterNode[] {
    const filters = hasNameFirst ? [this.filters(undefined, true)] : [];
    while (this.is("op", "|")) filters.push(this.filters(undefined));
    return filters;
  }

  #with(): Node {
    const [names, values]: [Node[], Node[]] = [[], []];
    while (!this.is("end")) {
      if (names.length > 0) this.expect("op", ",");
      names.push(this.#oneTarget());
      this.expect("op", "=");
      values.push(this.expression());
    }
    return { type: "With", names, values, body: this.#body("endwith") };
  }

  #macro(): MacroNode {
    const name = this.#newName();
    const parameters = this.#parameters();
    return { type: "Macro", name, parameters, body: this.#body("endmacro") };
  }

  #parameters(): MacroNode["parameters"] {
    const parameters: MacroNode["parameters"] = [];
    this.expect("op", "(");
    while (!this.skip("op", ")")) {
      if (parameters.length > 0) this.expect("op", ",");
      const name = this.#newName();
      parameters.push({ name, otherwise: this.skip("op", "=") ? this.expression() : undefined });
    }
    return parameters;
  }

  #callBlock(): Node {
    const parameters = this.is("op", "(") ? this.#parameters() : [];
    const call = this.expression();
    if (call.type !== "Call") this.fail();
    return {
      type: "CallBlock",
      call,
      caller: { type: "Macro", name: "caller", parameters, body: this.#body("endcall") },
    };
  }
}
