// The door to CEL for what a start runs through. Most homes have no expression when they start, and the library takes as long
// to load as all rules without one.

/** Loads CEL at the first call. Not by `import()`, for which whoever checks a text would have to wait. */
export function loadCel(): typeof import("./cel.ts") {
  return require("./cel.ts");
}
