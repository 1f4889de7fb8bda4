// Messages to people: over which channels, how those are, and what still waits.

import { useState } from "preact/hooks";
import { useAddress } from "../../browser/address.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { mayAct } from "../../parts/acting/use-act.tsx";
import { allows } from "../../state/hub/session.ts";
import { useHubData } from "../../state/hub/watched.ts";
import { t, textFor } from "../../texts/index.ts";
import { HelpLink } from "../../ui/help-link.tsx";
import { Moment } from "../../ui/moment.tsx";
import { ChannelEditor } from "./channel-editor.tsx";
import { OpenNotices } from "./notices.tsx";
import { Outbox } from "./outbox.tsx";
import { People } from "./people.tsx";
import { SendTest } from "./send-test.tsx";

interface Channel {
  name: string;
  kind: string;
  enabled: boolean;
  problem?: string;
  last_success: string | null;
  last_error: { at: string; message: string } | null;
  last_note: { at: string; message: string } | null;
  answers_problem?: { at: string; message: string };
  queue: number;
}

const AFTER = ["notification_", "action_failed", "rule_fired", "system_started"] as const;
const EVERY_MS = 10_000;
/** The page's own words for the trouble that people run into; the hub's words for all others. */
const CONFLICT = /^another program asks the same bot/;

export function MessagesView() {
  const {
    value: channels,
    problem,
    read,
  } = useHubData<Channel[]>("/notify/channels", {
    after: AFTER,
    everyMs: EVERY_MS,
  });
  const own = channels?.filter(({ kind }) => kind !== "log") ?? [];
  const address = useAddress();
  const edited = address.query.get("channel");
  if (edited !== null && allows("admin"))
    return (
      <>
        <h1 dir="auto">{edited === "" ? t("channel.new") : edited}</h1>
        <ChannelEditor
          key={edited}
          name={edited === "" ? undefined : edited}
          onDone={() => {
            address.change({ channel: undefined });
            void read();
          }}
        />
      </>
    );
  return (
    <>
      <h1>{t("messages.title")}</h1>
      <Problem of={problem} />
      <OpenNotices named={address.query.get("notice") ?? undefined} />
      <h2>{t("messages.channels")}</h2>
      {channels && own.length === 0 && <p>{t("messages.no_channel")}</p>}
      <ul class="things">
        {channels?.map((channel) => (
          <ChannelRow key={channel.name} channel={channel} onSent={read} />
        ))}
      </ul>
      {allows("admin") ? (
        <p class="buttons">
          <a class="button" href="/messages?channel=">
            {t("channel.new")}
          </a>
          <HelpLink to="notifications" about={t("messages.title")} />
        </p>
      ) : (
        <p class="hint">{t("messages.where")}</p>
      )}
      <People />
      {channels && allows("user") && (
        <>
          <h2>{t("messages.test")}</h2>
          <SendTest
            channels={[
              ...channels.filter(({ enabled }) => enabled).map(({ name }) => name),
              ...(own.length > 0 ? ["all"] : []),
            ]}
            onSent={read}
          />
        </>
      )}
      <h2>{t("messages.outbox")}</h2>
      <Outbox onChange={read} />
    </>
  );
}

function ChannelRow({ channel, onSent }: { channel: Channel; onSent: () => Promise<void> }) {
  const { name, kind, enabled, problem, last_success: good, last_error: bad, last_note: note, queue } = channel;
  const { answers_problem: listeningProblem } = channel;
  const [isTesting, setTesting] = useState(false);
  const isBadNow = bad !== null && (good === null || bad.at > good);
  return (
    <li class="thing">
      <div class="about">
        <p>
          <strong dir="auto">{name}</strong> · {textFor(`channel.${kind}`) ?? kind}
        </p>
        {!enabled && (
          <>
            <p class="act">{t("channel.disabled")}</p>
            <ul class="results">
              {problem?.split("; ").map((one) => (
                <li key={one} dir="auto">
                  {one}
                </li>
              ))}
            </ul>
            <p class="hint">{t("channel.mend")}</p>
          </>
        )}
        {enabled && !isBadNow && (
          <p class={good === null ? "hint" : "good"}>
            {good === null ? t("channel.unused") : t("channel.good")} {good !== null && <Moment at={good} />}
          </p>
        )}
        {isBadNow && (
          <p class="act" dir="auto">
            {t("channel.bad", { error: bad.message })} <Moment at={bad.at} />
          </p>
        )}
        {note !== null && (
          <p class="look" dir="auto">
            {t("channel.note", { note: note.message })} <Moment at={note.at} />
          </p>
        )}
        {listeningProblem && (
          <p class="act" dir="auto">
            {t(CONFLICT.test(listeningProblem.message) ? "channel.conflict" : "channel.unheard", {
              error: listeningProblem.message,
            })}{" "}
            <Moment at={listeningProblem.at} />
          </p>
        )}
        {queue > 0 && <p class="look">{t("channel.queue", { count: queue })}</p>}
      </div>
      {kind !== "log" && allows("admin") && (
        <a
          class="button"
          href={`/messages?channel=${encodeURIComponent(name)}`}
          aria-label={`${t("channel.change")}: ${name}`}
        >
          {t("channel.change")}
        </a>
      )}
      {enabled && !isTesting && allows("user") && (
        <button
          type="button"
          disabled={!mayAct("user")}
          aria-label={`${t("channel.test")}: ${name}`}
          onClick={() => setTesting(true)}
        >
          {t("channel.test")}
        </button>
      )}
      {isTesting && (
        <div class="wide">
          <SendTest channels={[name]} onSent={onSent} onEnd={() => setTesting(false)} />
        </div>
      )}
    </li>
  );
}
