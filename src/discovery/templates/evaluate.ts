// Runs a parsed template. Nothing of JavaScript can be reached from one: values are those of values.ts, names are looked up in
// maps, and each step is counted, so that no loop lasts.
import { argumentsOf, itemsOf, NO_ARGUMENTS } from "./arguments.ts";
import { FILTERS } from "./filters.ts";
import { CONSTANTS, FUNCTIONS } from "./functions.ts";
import { LoopControl, loopState, memberOf, sliceOf } from "./members.ts";
import { callMethod } from "./methods.ts";
import { describe, type Node, nameOfCall } from "./nodes.ts";
import { binary } from "./operators.ts";
import { TESTS } from "./tests.ts";
import { type HouseTime, TIME_FILTERS, TIME_FUNCTIONS } from "./time.ts";
import {
  type Callable,
  type Dict,
  isNumber,
  isTrue,
  Namespace,
  numberOf,
  PyFloat,
  PyTuple,
  setEntry,
  str,
  TemplateError,
  typeName,
  type Value,
  weigh,
} from "./values.ts";

const MOST_STEPS = 20_000;
const LONGEST_OUTPUT = 65_536;

/** The steps of all templates together. */
export interface Meter {
  steps: number;
  /** None begins beyond these. */
  most: number;
}

/** Throws TemplateError. */
export function evaluate(
  body: readonly Node[],
  context: ReadonlyMap<string, Value>,
  { time, meter }: { time: HouseTime; meter: Meter },
): string {
  if (meter.steps > meter.most) throw new TemplateError("the templates for this message take too many steps together");
  const run = new Run(new Map(context), time);
  try {
    return run.render(body);
  } catch (error) {
    // The stack of the program itself: the steps bound all else.
    if (error instanceof RangeError) throw new TemplateError("it is nested too deeply");
    throw error;
  } finally {
    meter.steps += run.steps;
  }
}

class Run {
  steps = 0;
  #written = 0;
  #scopes: Map<string, Value>[];
  readonly #time: HouseTime;

  constructor(globals: Map<string, Value>, time: HouseTime) {
    this.#scopes = [globals];
    this.#time = time;
  }

  render(body: readonly Node[]): string {
    let text = "";
    for (const node of body) text += this.#statement(node);
    return text;
  }

  #step(steps = 1): void {
    this.steps += steps;
    if (this.steps > MOST_STEPS) throw new TemplateError(`it takes more than ${MOST_STEPS} steps`);
  }

  /** What walks through values takes as many steps as there are. */
  #walk<T extends Value>(value: T): T {
    this.#step(weigh(value, MOST_STEPS - this.steps));
    return value;
  }

  #write(text: string): string {
    this.#written += text.length;
    if (this.#written > LONGEST_OUTPUT) throw new TemplateError(`it writes more than ${LONGEST_OUTPUT} characters`);
    return text;
  }

  #statement(node: Node): string {
    this.#step();
    switch (node.type) {
      case "If":
        return this.render(isTrue(this.#value(node.test)) ? node.body : node.alternate);
      case "For":
        return this.#loop(node);
      case "Set":
        this.#assign(node.assignee, node.value ? this.#value(node.value) : this.render(node.body));
        return "";
      case "Comment":
        return "";
      case "Break":
        throw new LoopControl("break");
      case "Continue":
        throw new LoopControl("continue");
      case "FilterStatement":
        return this.#write(str(this.#walk(this.#filter(node.filter, this.render(node.body)))));
      default:
        return this.#write(str(this.#walk(this.#value(node))));
    }
  }

  #loop({ loopvar, iterable, body, defaultBlock }: Extract<Node, { type: "For" }>): string {
    const { lhs, test } = iterable.type === "SelectExpression" ? iterable : { lhs: iterable, test: undefined };
    const scope = new Map<string, Value>();
    this.#scopes.push(scope);
    try {
      let items = itemsOf(this.#walk(this.#value(lhs)), "a loop");
      if (test)
        items = items.filter((item) => {
          this.#step();
          this.#assign(loopvar, item);
          return isTrue(this.#value(test));
        });
      if (items.length === 0) return this.render(defaultBlock);
      return this.#turns(items, { loopvar, body, scope });
    } finally {
      this.#scopes.pop();
    }
  }

  #turns(
    items: readonly Value[],
    { loopvar, body, scope }: { loopvar: Node; body: readonly Node[]; scope: Map<string, Value> },
  ): string {
    let text = "";
    for (const [at, item] of items.entries()) {
      this.#step();
      scope.clear();
      this.#assign(loopvar, item);
      scope.set("loop", loopState(items, at));
      try {
        for (const node of body) text += this.#statement(node);
      } catch (thrown) {
        if (!(thrown instanceof LoopControl)) throw thrown;
        if (thrown.kind === "break") break;
      }
    }
    return text;
  }

  #assign(target: Node, value: Value): void {
    if (target.type === "Identifier") {
      this.#scopes.at(-1)?.set(target.value, value);
    } else if (target.type === "TupleLiteral") {
      const items = itemsOf(this.#walk(value), "an assignment");
      if (items.length !== target.value.length)
        throw new TemplateError(`${target.value.length} names cannot hold ${items.length} values`);
      for (const [at, one] of target.value.entries()) this.#assign(one, items[at]);
    } else if (target.type === "MemberExpression" && target.property.type === "Identifier" && !target.computed) {
      const owner = this.#value(target.object);
      if (!(owner instanceof Namespace)) throw new TemplateError("only a namespace can be assigned to");
      owner.fields.set(target.property.value, value);
    } else throw new TemplateError("this cannot be assigned to");
  }

  #lookUp(name: string): Value {
    for (let at = this.#scopes.length - 1; at >= 0; at--) {
      const scope = this.#scopes[at];
      if (scope?.has(name)) return scope.get(name);
    }
    return CONSTANTS.has(name) ? CONSTANTS.get(name) : this.#function(name);
  }

  #function(name: string): Callable | undefined {
    const [filter, alone] = [TIME_FILTERS[name], TIME_FUNCTIONS[name]];
    if (alone) return () => alone(this.#time);
    if (filter) return ([value, ...rest], named) => filter(this.#time, value, argumentsOf(rest, named));
    return FUNCTIONS.get(name);
  }

  #value(node: Node): Value {
    this.#step();
    switch (node.type) {
      case "IntegerLiteral":
        return node.value;
      case "FloatLiteral":
        return new PyFloat(node.value);
      case "StringLiteral":
        return node.value;
      case "Identifier":
        return this.#lookUp(node.value);
      case "ArrayLiteral":
        return this.#walk(node.value.map((one) => this.#value(one)));
      case "TupleLiteral":
        return this.#walk(new PyTuple(node.value.map((one) => this.#value(one))));
      case "ObjectLiteral":
        return this.#dict(node.value);
      case "Ternary":
        return this.#value(isTrue(this.#value(node.condition)) ? node.trueExpr : node.falseExpr);
      case "SelectExpression":
        return isTrue(this.#value(node.test)) ? this.#value(node.lhs) : undefined;
      case "TestExpression":
        return this.#test(node);
      case "UnaryExpression":
        return this.#unary(node);
      case "BinaryExpression":
        return this.#binary(node);
      case "FilterExpression":
        return this.#filter(node.filter, this.#value(node.operand));
      case "MemberExpression":
        return this.#member(node);
      case "CallExpression":
        return this.#call(node);
      default:
        throw new TemplateError(`${node.type} is not supported`);
    }
  }

  #dict(entries: ReadonlyMap<Node, Node>): Dict {
    const dict: Dict = new Map();
    for (const [key, value] of entries) {
      const name = this.#value(key);
      // Such keys are compared with all the others.
      if (typeof name !== "string" && name !== null) this.#step(dict.size >> 4);
      setEntry(dict, this.#walk(name), this.#walk(this.#value(value)));
    }
    return dict;
  }

  #test({ operand, test, negate }: Extract<Node, { type: "TestExpression" }>): boolean {
    const known = TESTS[test.value];
    if (!known) throw new TemplateError(`there is no test "${test.value}"`);
    return known(this.#walk(this.#value(operand)), NO_ARGUMENTS) !== negate;
  }

  #unary({ operator, argument }: Extract<Node, { type: "UnaryExpression" }>): Value {
    const value = this.#value(argument);
    if (operator.value === "not") return !isTrue(value);
    if (!isNumber(value)) throw new TemplateError(`a ${typeName(value)} has no sign`);
    const number = operator.value === "-" ? -numberOf(value) : numberOf(value);
    return value instanceof PyFloat ? new PyFloat(number) : number;
  }

  #binary({ operator, left, right }: Extract<Node, { type: "BinaryExpression" }>): Value {
    const a = this.#value(left);
    if (operator.value === "and") return isTrue(a) ? this.#value(right) : a;
    if (operator.value === "or") return isTrue(a) ? a : this.#value(right);
    return this.#walk(binary(operator.value, this.#walk(a), this.#walk(this.#value(right))));
  }

  #filter(filter: Node, value: Value): Value {
    const name = filter.type === "Identifier" ? filter.value : nameOfCall(filter);
    const [known, timed] = [FILTERS[name], TIME_FILTERS[name]];
    if (!known && !timed) throw new TemplateError(`there is no filter "${name}"`);
    const { positional, named } = this.#arguments(filter.type === "CallExpression" ? filter.args : []);
    const args = argumentsOf(positional, named);
    this.#walk(value);
    return this.#walk(known ? known(value, args) : timed?.(this.#time, value, args));
  }

  #member({ object, property, computed }: Extract<Node, { type: "MemberExpression" }>): Value {
    const owner = this.#value(object);
    if (property.type === "SliceExpression") return this.#slice(owner, property);
    const named = property.type === "Identifier" || property.type === "IntegerLiteral" ? property.value : undefined;
    const key = computed ? this.#value(property) : named;
    if (typeof owner === "string") this.#walk(owner);
    if (owner === undefined) throw new TemplateError(`there is no "${describe(object)}" to take "${str(key)}" of`);
    return memberOf(owner, key);
  }

  #slice(owner: Value, { start, stop, step }: Extract<Node, { type: "SliceExpression" }>): Value {
    const [from, to, by] = [start, stop, step].map((one) => one && this.#value(one));
    return sliceOf(this.#walk(owner), { from, to, by });
  }

  #call({ callee, args }: Extract<Node, { type: "CallExpression" }>): Value {
    const { positional, named } = this.#arguments(args);
    if (callee.type === "MemberExpression" && !callee.computed && callee.property.type === "Identifier") {
      const owner = this.#value(callee.object);
      if (owner === undefined) throw new TemplateError(`there is no "${describe(callee.object)}"`);
      return this.#walk(callMethod(this.#walk(owner), callee.property.value, positional));
    }
    const called = this.#value(callee);
    if (typeof called !== "function") throw new TemplateError(`"${describe(callee)}" is not a function here`);
    return this.#walk(called(positional, named));
  }

  #arguments(nodes: readonly Node[]): { positional: Value[]; named: Map<string, Value> } {
    const [positional, named] = [[] as Value[], new Map<string, Value>()];
    for (const node of nodes) {
      if (node.type === "KeywordArgumentExpression") named.set(node.key.value, this.#walk(this.#value(node.value)));
      else positional.push(this.#walk(this.#value(node)));
    }
    return { positional, named };
  }
}
