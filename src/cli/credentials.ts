// The block with a password that is shown once. It goes to the output only, never to a log file.

const RULE = "=".repeat(64);

export function credentialsBlock(
  { username, password }: { username: string; password: string },
  port?: number,
): string {
  const lines = [
    RULE,
    "The administrator's account. This password is shown only once:",
    "",
    `username: ${username}`,
    `password: ${password}`,
    "",
    ...(port === undefined ? [] : [`Log in at http://<this machine>:${port}/api/v1/auth/login`]),
    "`hub passwd` sets a new one.",
    RULE,
  ];
  return `${lines.join("\n")}\n`;
}
