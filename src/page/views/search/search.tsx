// One search over everything: devices, areas, scenes, rules, plugins and places of the page.
import { computed, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { t } from "../../texts/index.ts";
import { Icon } from "../../ui/icon.tsx";
import { matching, startSearch } from "./search.ts";

const MOST = 30;
const asked = signal("");
const active = signal(0);
const all = computed(() => matching(asked.value));
const shown = computed(() => all.value.slice(0, MOST));

export function Search() {
  const { route } = useLocation();
  const { query } = useRoute();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    startSearch();
    asked.value = query.q ?? "";
    active.value = 0;
    input.current?.focus();
  }, []);

  function ask(text: string): void {
    asked.value = text;
    active.value = 0;
    route(text === "" ? "/search" : `/search?q=${encodeURIComponent(text)}`, true);
  }

  function press(event: KeyboardEvent): void {
    const count = shown.value.length;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined && count > 0) {
      event.preventDefault();
      active.value = (active.value + by + count) % count;
      document.getElementById(`hit-${active.value}`)?.scrollIntoView({ block: "nearest" });
    }
    if (event.key === "Enter") {
      const hit = shown.value[active.value];
      if (hit) route(hit.href);
    }
    if (event.key === "Escape") history.back();
  }

  return (
    <>
      <h1 class="visually-hidden">{t("search.title")}</h1>
      <p class="search-box">
        <Icon name="search" />
        <input
          ref={input}
          type="text"
          enterkeyhint="search"
          role="combobox"
          aria-label={t("search.title")}
          aria-expanded={shown.value.length > 0}
          aria-controls="hits"
          aria-activedescendant={shown.value.length > 0 ? `hit-${active.value}` : undefined}
          placeholder={t("search.hint")}
          autocomplete="off"
          maxLength={200}
          value={asked.value}
          onInput={({ currentTarget }) => ask(currentTarget.value)}
          onKeyDown={press}
        />
      </p>
      <p class="hint" role="status">
        {summary()}
      </p>
      <div id="hits" class="hits" role="listbox" aria-label={t("search.found")}>
        {shown.value.map(({ id, icon, name, kind, href }, at) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
          <div
            key={id}
            id={`hit-${at}`}
            role="option"
            aria-selected={at === active.value}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => route(href)}
            onKeyDown={press}
          >
            <Icon name={icon} />
            <span class="name" dir="auto">
              {name}
            </span>
            <span class="hint">{kind}</span>
          </div>
        ))}
      </div>
    </>
  );
}

function summary(): string {
  if (asked.value.trim() === "") return t("search.keys");
  const count = all.value.length;
  if (count === 0) return t("search.none", { text: asked.value });
  return count > MOST ? t("search.more", { count, most: MOST }) : t("search.count", { count });
}
