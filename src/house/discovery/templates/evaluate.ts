// Runs a parsed template. Nothing of JavaScript can be reached from one: values are those of values.ts, names are looked up in
// maps, and each step is counted, so that no loop lasts.
import { argumentsOf, itemsOf } from "./arguments.ts";
import { FILTERS } from "./filters/filters.ts";
import { CONSTANTS, FUNCTIONS } from "./functions.ts";
import { LoopControl, memberOf, sliceOf } from "./members.ts";
import { callMethod } from "./methods.ts";
import { binary, negated } from "./operators.ts";
import { type ArgumentNodes, describe, type FilterNode, type MacroNode, type Node } from "./syntax/nodes.ts";
import { TESTS } from "./tests.ts";
import {
  type Callable,
  type Dict,
  type HouseTime,
  isTrue,
  LoopState,
  Namespace,
  PyTuple,
  setEntry,
  str,
  TemplateError,
  type Value,
  type Work,
  weigh,
} from "./values.ts";

const MAX_STEPS = 20_000;
const MAX_OUTPUT = 65_536;
const DEEPEST_CALLS = 20;

/** The steps of all templates together. */
export interface Meter {
  steps: number;
  /** None begins beyond these. */
  most: number;
}

/** `context`: what the template names itself is set there. Throws TemplateError. */
export function evaluate(
  body: readonly Node[],
  context: Map<string, Value>,
  { time, meter }: { time: HouseTime; meter: Meter },
): string {
  if (meter.steps > meter.most) throw new TemplateError("the templates for this message take too many steps together");
  const run = new Run(context, time);
  try {
    return run.render(body);
  } catch (error) {
    // The stack of the program itself: the steps bound all else.
    if (error instanceof RangeError) throw new TemplateError("it is nested too deeply");
    if (error instanceof LoopControl) throw new TemplateError(`{% ${error.kind} %} is outside of a loop`);
    throw error;
  } finally {
    meter.steps += run.steps;
  }
}

class Run implements Work {
  steps = 0;
  #written = 0;
  #calls = 0;
  #scopes: Map<string, Value>[];
  readonly time: HouseTime;

  constructor(globals: Map<string, Value>, time: HouseTime) {
    this.#scopes = [globals];
    this.time = time;
  }

  render(body: readonly Node[]): string {
    let text = "";
    for (const node of body) text += this.#statement(node);
    return text;
  }

  spend(steps: number): void {
    this.steps += steps;
    if (this.steps > MAX_STEPS) throw new TemplateError(`it takes more than ${MAX_STEPS} steps`);
  }

  /** What walks through values takes as many steps as there are. */
  #walk<T extends Value>(value: T): T {
    this.spend(weigh(value, MAX_STEPS - this.steps));
    return value;
  }

  #write(text: string): string {
    this.#written += text.length;
    if (this.#written > MAX_OUTPUT) throw new TemplateError(`it writes more than ${MAX_OUTPUT} characters`);
    return text;
  }

  #statement(node: Node): string {
    this.spend(1);
    switch (node.type) {
      case "Text":
        return this.#write(node.value);
      case "Output":
        return this.#write(str(this.#walk(this.#value(node.value))));
      case "If":
        return this.render(isTrue(this.#value(node.test)) ? node.body : node.otherwise);
      case "For":
        return this.#loop(node, this.#value(node.items));
      case "Set":
        this.#assign(node.target, this.#value(node.value));
        return "";
      case "SetBlock":
        this.#assign(node.target, this.#filteredBlock(node.filters, node.body));
        return "";
      case "FilterBlock":
        return this.#write(str(this.#filteredBlock(node.filters, node.body)));
      case "With": {
        const values = node.values.map((one) => this.#value(one));
        return this.#inScope(() => {
          for (const [at, name] of node.names.entries()) this.#assign(name, values[at]);
          return this.render(node.body);
        });
      }
      case "Do":
        this.#value(node.value);
        return "";
      case "Macro":
        this.#assign({ type: "Name", name: node.name }, this.#macro(node));
        return "";
      case "CallBlock":
        return this.#callBlock(node);
      case "Break":
        throw new LoopControl("break");
      case "Continue":
        throw new LoopControl("continue");
      default:
        throw new TemplateError(`${node.type} is not supported`);
    }
  }

  #inScope<T>(work: () => T): T {
    this.#scopes.push(new Map());
    try {
      return work();
    } finally {
      this.#scopes.pop();
    }
  }

  #filteredBlock(filters: readonly FilterNode[], body: readonly Node[]): Value {
    let value: Value = this.#inScope(() => this.render(body));
    for (const filter of filters) value = this.#filter(filter, value);
    return value;
  }

  #loop(node: Extract<Node, { type: "For" }>, given: Value): string {
    const { target, test, body, otherwise, isRecursive } = node;
    return this.#inScope(() => {
      const scope = this.#scopes.at(-1) as Map<string, Value>;
      let items = itemsOf(this.#walk(given), "a loop");
      if (test)
        items = items.filter((item) => {
          this.spend(1);
          this.#assign(target, item);
          return isTrue(this.#value(test));
        });
      if (items.length === 0) return this.render(otherwise);
      const again: Callable = ([inner]) => this.#called(() => this.#loop(node, inner));
      let text = "";
      for (const [at, item] of items.entries()) {
        this.spend(1);
        scope.clear();
        this.#assign(target, item);
        scope.set("loop", isRecursive ? again : new LoopState(items, at));
        try {
          for (const one of body) text += this.#statement(one);
        } catch (thrown) {
          if (!(thrown instanceof LoopControl)) throw thrown;
          if (thrown.kind === "break") break;
        }
      }
      return text;
    });
  }

  #called<T>(work: () => T): T {
    if (++this.#calls > DEEPEST_CALLS) throw new TemplateError(`macros call each other deeper than ${DEEPEST_CALLS}`);
    try {
      return work();
    } finally {
      this.#calls--;
    }
  }

  /** A macro sees what is around it where it is written, and its arguments. */
  #macro({ name, parameters, body }: MacroNode, scopes = [...this.#scopes]): Callable {
    return (args, named) =>
      this.#called(() => {
        const before = this.#scopes;
        const own = new Map<string, Value>();
        this.#scopes = [...scopes, own];
        try {
          const known = new Set(parameters.map((one) => one.name));
          const more = [...named].find(([key]) => !known.has(key) && key !== "caller");
          if (args.length > parameters.length || more)
            throw new TemplateError(`the macro ${name}() does not take ${more ? `"${more[0]}"` : "as many values"}`);
          if (named.has("caller")) own.set("caller", named.get("caller"));
          for (const [at, one] of parameters.entries()) {
            const given = at < args.length ? args[at] : named.get(one.name);
            const isGiven = at < args.length || named.has(one.name);
            own.set(one.name, isGiven || !one.otherwise ? given : this.#value(one.otherwise));
          }
          return this.render(body);
        } finally {
          this.#scopes = before;
        }
      });
  }

  #callBlock({ call, caller }: Extract<Node, { type: "CallBlock" }>): string {
    if (call.type !== "Call") throw new TemplateError("{% call %} needs a call");
    const called = this.#value(call.callee);
    if (typeof called !== "function") throw new TemplateError(`"${describe(call.callee)}" is not a function here`);
    const { positional, named } = this.#arguments(call.args);
    return this.#write(str(this.#walk(called(positional, new Map([...named, ["caller", this.#macro(caller)]]), this))));
  }

  #assign(target: Node, value: Value): void {
    if (target.type === "Name") {
      this.#scopes.at(-1)?.set(target.name, value);
    } else if (target.type === "Tuple") {
      const items = itemsOf(this.#walk(value), "an assignment");
      if (items.length !== target.items.length)
        throw new TemplateError(`${target.items.length} names cannot hold ${items.length} values`);
      for (const [at, one] of target.items.entries()) this.#assign(one, items[at]);
    } else if (target.type === "Member" && target.key.type === "Literal") {
      const owner = this.#value(target.object);
      if (!(owner instanceof Namespace)) throw new TemplateError("only a namespace can be assigned to");
      owner.fields.set(str(target.key.value), value);
    } else throw new TemplateError("this cannot be assigned to");
  }

  #lookUp(name: string): Value {
    for (let at = this.#scopes.length - 1; at >= 0; at--) {
      const scope = this.#scopes[at];
      if (scope?.has(name)) return scope.get(name);
    }
    return CONSTANTS.has(name) ? CONSTANTS.get(name) : FUNCTIONS.get(name);
  }

  #value(node: Node): Value {
    this.spend(1);
    switch (node.type) {
      case "Literal":
        return node.value;
      case "Name":
        return this.#lookUp(node.name);
      case "List":
        return this.#walk(node.items.map((one) => this.#value(one)));
      case "Tuple":
        return this.#walk(new PyTuple(node.items.map((one) => this.#value(one))));
      case "Dict":
        return this.#dict(node.entries);
      case "Choice":
        return isTrue(this.#value(node.test)) ? this.#value(node.yes) : node.no && this.#value(node.no);
      case "Logic": {
        const left = this.#value(node.left);
        return isTrue(left) === (node.operator === "and") ? this.#value(node.right) : left;
      }
      case "Test":
        return this.#test(node);
      case "Unary": {
        const value = this.#value(node.operand);
        return node.operator === "not" ? !isTrue(value) : negated(value, node.operator);
      }
      case "Compare":
        return this.#compare(node);
      case "Binary":
        return this.#walk(
          binary(node.operator, this.#walk(this.#value(node.left)), this.#walk(this.#value(node.right))),
        );
      case "Filter":
        return this.#filter(node, node.operand && this.#value(node.operand));
      case "Member":
        return this.#member(node);
      case "Slice": {
        const [from, to, by] = [node.from, node.to, node.by].map((one) => one && this.#value(one));
        return sliceOf(this.#walk(this.#value(node.object)), { from, to, by });
      }
      case "Call":
        return this.#call(node);
      default:
        throw new TemplateError(`${node.type} is not supported`);
    }
  }

  #compare({ first, others }: Extract<Node, { type: "Compare" }>): boolean {
    let left = this.#walk(this.#value(first));
    for (const { operator, value } of others) {
      const right = this.#walk(this.#value(value));
      if (!isTrue(binary(operator, left, right))) return false;
      left = right;
    }
    return true;
  }

  #dict(entries: readonly [Node, Node][]): Dict {
    const dict: Dict = new Map();
    for (const [key, value] of entries) {
      const name = this.#value(key);
      // Such keys are compared with all the others.
      if (typeof name !== "string" && name !== null) this.spend(dict.size >> 4);
      setEntry(dict, this.#walk(name), this.#walk(this.#value(value)));
    }
    return dict;
  }

  #test({ operand, name, args }: Extract<Node, { type: "Test" }>): boolean {
    const known = TESTS[name];
    if (!known) throw new TemplateError(`there is no test "${name}"`);
    const { positional, named } = this.#arguments(args);
    return known(this.#walk(this.#value(operand)), argumentsOf(positional, named), this);
  }

  #filter({ name, args }: FilterNode, value: Value): Value {
    const known = FILTERS[name];
    if (!known) throw new TemplateError(`there is no filter "${name}"`);
    const { positional, named } = this.#arguments(args);
    return this.#walk(known(this.#walk(value), argumentsOf(positional, named), this));
  }

  #member({ object, key }: Extract<Node, { type: "Member" }>): Value {
    const owner = this.#value(object);
    const name = this.#value(key);
    if (typeof owner === "string") this.#walk(owner);
    if (owner === undefined) throw new TemplateError(`there is no "${describe(object)}" to take "${str(name)}" of`);
    return memberOf(owner, name);
  }

  #call({ callee, args }: Extract<Node, { type: "Call" }>): Value {
    if (callee.type === "Member" && callee.isDot && callee.key.type === "Literal") {
      const owner = this.#value(callee.object);
      if (owner === undefined) throw new TemplateError(`there is no "${describe(callee.object)}"`);
      const { positional, named } = this.#arguments(args);
      const name = str(callee.key.value);
      const field = owner instanceof Namespace || owner instanceof LoopState ? memberOf(owner, name) : undefined;
      if (typeof field === "function") return this.#walk(field(positional, named, this));
      return this.#walk(callMethod(this.#walk(owner), name, argumentsOf(positional, named), this));
    }
    const called = this.#value(callee);
    if (typeof called !== "function") throw new TemplateError(`"${describe(callee)}" is not a function here`);
    const { positional, named } = this.#arguments(args);
    return this.#walk(called(positional, named, this));
  }

  #arguments(nodes: ArgumentNodes): { positional: Value[]; named: Map<string, Value> } {
    const positional = nodes.positional.map((one) => this.#walk(this.#value(one)));
    if (nodes.rest) positional.push(...itemsOf(this.#walk(this.#value(nodes.rest)), "*"));
    const named = new Map<string, Value>();
    for (const { name, value } of nodes.named) named.set(name, this.#walk(this.#value(value)));
    const more = nodes.restNamed && this.#walk(this.#value(nodes.restNamed));
    if (more instanceof Map) for (const [key, value] of more) named.set(str(key), value);
    return { positional, named };
  }
}
