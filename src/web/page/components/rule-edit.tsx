// stub
export function RuleEdit(_: { id: string; onSaved: () => Promise<void> }) {
  return null;
}
