// Files that are embedded in the binary. As text: `import x from "./x.sql" with { type: "text" }`.
declare module "*.sql" {
  const text: string;
  export default text;
}
declare module "*.ron" {
  const text: string;
  export default text;
}
/** Imported with { type: "file" }: the path inside the executable. */
declare module "*.pack" {
  const path: string;
  export default path;
}
/** Imported with { type: "file" }: the path inside the executable. */
declare module "*.bundle.js" {
  const path: string;
  export default path;
}
