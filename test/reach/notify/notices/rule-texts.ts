// Rules that a test runs by a webhook, and chats of the test's own Telegram, as their files say them.

const SECRET = "a-secret-of-the-test";

/** A rule in TOML that runs when its webhook, `hookOf(id)`, is called. `fields` come before its tables. */
export function hookedRule(id: string, actions: string, fields = ""): string {
  return `id = "${id}"
name = "${id}"
${fields}
[[triggers]]
type = "webhook_received"
path = "${id}"
secret = "${SECRET}"
${actions}`;
}

/** Where it is called, below the API. */
export function hookOf(id: string): string {
  return `/webhooks/${id}?secret=${SECRET}`;
}

/** A channel of hub.toml. */
export function chatChannel({ url }: { url: string }, name: string, chat: number): string {
  return `
[[notify.channels]]
name = "${name}"
type = "messaging_bot"
bot_token = "12345:the-token-of-the-bot"
chat_id = "${chat}"
parse_mode = "HTML"
api_url = "${url}"
`;
}

/** A webhook channel to a service on this machine. */
export function hookChannel({ url }: { url: string }, name: string): string {
  return `
[[notify.channels]]
name = "${name}"
type = "webhook"
url = "${url}/${name}"
allow_local = true
`;
}
