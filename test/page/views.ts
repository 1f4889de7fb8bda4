// Every view of the page, for the tests that hold for all of them: a new view is one line here.
import type { PageHouse } from "./support/page-house.ts";
import { addressOf } from "./support/zigbee-devices.ts";

export interface ViewUnderTest {
  name: string;
  path: string | ((house: PageHouse) => string);
}

export const VIEWS: readonly ViewUnderTest[] = [
  { name: "home", path: "/" },
  { name: "home-sheet", path: `/?device=${addressOf(1)}` },
  { name: "home-edit", path: "/?edit=" },
  { name: "home-wall", path: "/?wall=" },
  { name: "search", path: "/search?q=lamp" },
  { name: "device", path: `/devices/${addressOf(1)}` },
  { name: "more", path: "/more" },
  { name: "not-found", path: "/nothing/of/the/kind" },
];

export const pathOf = ({ path }: ViewUnderTest, house: PageHouse): string =>
  typeof path === "string" ? path : path(house);
