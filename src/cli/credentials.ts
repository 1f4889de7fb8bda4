// The block with a password that is shown once. It goes to the output only, never to a log file.

const RULE = "=".repeat(64);

/** `api`: the address of the API, which the block then names. */
export function credentialsBlock({ username, password }: { username: string; password: string }, api?: string): string {
  const lines = [
    RULE,
    "The administrator's account. This password is shown only once:",
    "",
    `username: ${username}`,
    `password: ${password}`,
    "",
    ...(api === undefined ? [] : [`The hub answers at ${api}/health`, `Log in with POST ${api}/auth/login`]),
    "`hub passwd` sets a new password.",
    RULE,
  ];
  return `${lines.join("\n")}\n`;
}
