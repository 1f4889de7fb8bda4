// Placeholders in messages, such as `{{device.temperature}}`.

export const PLACEHOLDER = /\{\{([^{}]{1,500})\}\}/g;

/** What is between the braces, such as `device.temperature`. */
export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, path = ""]) => path.trim());
}
