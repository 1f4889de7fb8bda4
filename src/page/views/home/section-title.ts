// What a section of the start is called.
import { ELSEWHERE, FAVOURITES, HOUSE, SCENES, type Section, VARIABLES } from "../../state/home/start.ts";
import { t } from "../../texts/index.ts";

export function titleOf({ id, name }: Pick<Section, "id" | "name">): string {
  switch (id) {
    case FAVOURITES:
      return t("home.favourites");
    case HOUSE:
      return t("home.house");
    case SCENES:
      return t("home.scenes");
    case VARIABLES:
      return t("home.variables");
    case ELSEWHERE:
      return t("home.no_area");
    default:
      return name;
  }
}
