// The address as state: what a view shows is in its query, so that links, going back and reloading keep it.
import { useLocation } from "preact-iso";

export interface Address {
  query: URLSearchParams;
  /** "" where the query does not have it. */
  of: (name: string) => string;
  /** Changes some of the query; undefined, "" and empty lists leave out. `push`: going back undoes it. */
  change: (some: Readonly<Record<string, string | readonly string[] | undefined>>, push?: boolean) => void;
}

export function useAddress(): Address {
  const { url, route } = useLocation();
  const { pathname, searchParams: query } = new URL(url, location.origin);
  return {
    query,
    of: (name) => query.get(name) ?? "",
    change(some, push = false) {
      const next = new URLSearchParams(new URL(location.href).search);
      for (const [name, value = ""] of Object.entries(some)) {
        next.delete(name);
        for (const one of typeof value === "string" ? [value] : value) if (one !== "") next.append(name, one);
      }
      const text = next.toString();
      route(text === "" ? pathname : `${pathname}?${text}`, !push);
    },
  };
}
