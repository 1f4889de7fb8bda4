// English: on the start.
export const home = {
  "home.empty": "No devices yet",
  "home.no_area": "Elsewhere",
} as const;
