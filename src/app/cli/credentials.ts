// The block with a password that is shown once. It goes to the output only, never to a log file.

const RULE = "=".repeat(64);

/** `page`: the address to open in a browser, which the block then names. */
export function credentialsBlock(
  { username, password }: { username: string; password: string },
  page?: string,
): string {
  const lines = [
    RULE,
    "The administrator's account. This password is shown only once:",
    "",
    `username: ${username}`,
    `password: ${password}`,
    "",
    ...(page === undefined ? [] : [`Open ${page} in a browser and sign in.`]),
    "`hub passwd` sets a new password.",
    RULE,
  ];
  return `${lines.join("\n")}\n`;
}
