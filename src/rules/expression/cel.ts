// What load-cel.ts loads at once: the library, and what the hub builds on it.
export { createCompiler, createExpressions } from "./compile.ts";
export { createBareEnvironment } from "./environment.ts";
export { problemText } from "./wording.ts";
