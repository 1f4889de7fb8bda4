// Files the binary carries inside as text: `import x from "./x.sql" with { type: "text" }`.
declare module "*.sql" {
  const text: string;
  export default text;
}
declare module "*.ron" {
  const text: string;
  export default text;
}
/** Imported with { type: "file" }: where it is inside the executable. */
declare module "*.bundle.js" {
  const path: string;
  export default path;
}
