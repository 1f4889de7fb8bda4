// Files the binary carries inside as text: `import x from "./x.sql" with { type: "text" }`.
declare module "*.sql" {
  const text: string;

  export { text as default };
}
