// A house without devices teaches how to get some.
import { loadViewStyles } from "../../browser/view-styles.ts";
import { t } from "../../texts/index.ts";

const WAYS = ["zigbee", "tasmota", "shelly", "esphome", "virtual"] as const;

export async function loadEmptyHouse() {
  await loadViewStyles();
  return EmptyHouse;
}

function EmptyHouse() {
  return (
    <section class="teach" aria-label={t("home.empty")}>
      <h2>{t("home.empty")}</h2>
      <p>{t("home.empty_why")}</p>
      <ul class="ways">
        {WAYS.map((way) => (
          <li key={way}>
            <h3>{t(`empty.${way}`)}</h3>
            <ol>
              {([1, 2, 3] as const).map((step) => (
                <li key={step}>{t(`empty.${way}_${step}`)}</li>
              ))}
            </ol>
            <a class="button" href={way === "virtual" ? "/plugins/virtual" : `/connect?with=${way}`}>
              {t(way === "virtual" ? "empty.try" : "empty.connect")}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
