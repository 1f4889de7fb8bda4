// Sends a message to see that it arrives; what came of it, and what to do, stands right below.
import { useState } from "preact/hooks";
import { Problem } from "../../parts/acting/problem.tsx";
import { mayAct, useAct } from "../../parts/acting/use-act.tsx";
import { post } from "../../state/hub/api.ts";
import { formatNumber, t } from "../../texts/index.ts";

interface Delivery {
  channel: string;
  duration_ms: number;
  answer?: string;
  note?: string;
}

interface SendTestProps {
  channels: readonly string[];
  onSent: () => Promise<void>;
  onEnd?: () => void;
}

// A channel may try for long before it gives up.
const MAX_MS = 90_000;

export function SendTest({ channels, onSent, onEnd }: SendTestProps) {
  const [chosen, setChosen] = useState(channels[0] ?? "log");
  const [message, setMessage] = useState(() => t("test.message"));
  const [title, setTitle] = useState("");
  const [deliveries, setDeliveries] = useState<Delivery[]>();
  const act = useAct();

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    setDeliveries(undefined);
    await act.run(async () => {
      const body = { channel: chosen, message, ...(title.trim() !== "" && { title: title.trim() }) };
      const sent = await post<{ deliveries: Delivery[] }>("/notify/test", body, { timeoutMs: MAX_MS });
      setDeliveries(sent.deliveries);
    });
    await onSent();
  }

  return (
    <form class="stacked-form" onSubmit={submit}>
      {channels.length > 1 && (
        <label class="field">
          {t("test.channel")}
          <select value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            {channels.map((name) => (
              <option key={name} value={name}>
                {name === "all" ? t("test.all") : name}
              </option>
            ))}
          </select>
        </label>
      )}
      <label class="field">
        {t("test.title")}
        <input dir="auto" value={title} onInput={({ currentTarget }) => setTitle(currentTarget.value)} />
      </label>
      <label class="field">
        {t("test.text")}
        <textarea
          dir="auto"
          rows={2}
          required
          value={message}
          onInput={({ currentTarget }) => setMessage(currentTarget.value)}
        />
      </label>
      <div class="buttons">
        <button type="submit" class="main" disabled={act.busy || !mayAct("user")}>
          {t(act.busy ? "test.sending" : "test.send")}
        </button>
        {onEnd && (
          <button type="button" onClick={onEnd}>
            {t("test.close")}
          </button>
        )}
      </div>
      <div role="status">
        <Problem of={act.problem} />
        {deliveries && (
          <ul class="results">
            {deliveries.map(({ channel, duration_ms: ms, answer, note }) => (
              <li key={channel} class="good" dir="auto">
                ✓ {t("test.sent", { channel, secs: formatNumber(ms / 1000, 1) })} {answer} {note}
              </li>
            ))}
          </ul>
        )}
      </div>
    </form>
  );
}
