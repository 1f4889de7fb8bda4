// MQTT's topic filters, for rules that listen to messages.

/** `+` and `#` fill whole levels, `#` only the last. */
export function isTopicFilter(filter: string): boolean {
  if (filter === "" || filter.includes("\0")) return false;
  const levels = filter.split("/");
  return levels.every(
    (level, index) => level === "+" || (level === "#" ? index === levels.length - 1 : !/[+#]/.test(level)),
  );
}

export function hasWildcard(filter: string): boolean {
  return /[+#]/.test(filter);
}

/** `a/#` matches `a` too, and a wildcard at the front never a topic that starts with `$`. */
export function matchesFilter(filter: string, topic: string): boolean {
  if (!hasWildcard(filter)) return filter === topic;
  if (topic.startsWith("$") && /^[+#]/.test(filter)) return false;
  const wanted = filter.split("/");
  const levels = topic.split("/");
  for (const [index, level] of wanted.entries()) {
    if (level === "#") return true;
    if (index >= levels.length || (level !== "+" && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}
