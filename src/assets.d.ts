// Files the binary carries inside as text: `import x from "./x.sql" with { type: "text" }`.
declare module "*.sql" {
  const text: string;
  export default text;
}
declare module "*.ron" {
  const text: string;
  export default text;
}
declare module "*.bundle.js" {
  const text: string;
  export default text;
}
