// The query of the address as the state of a view: links, going back and reloading keep it.
import { useLocation } from "preact-iso";

export interface Query {
  of: (name: string) => string;
  /** `undefined` and "" take a name out. `push`: going back undoes it. */
  set: (changes: Readonly<Record<string, string | undefined>>, push?: boolean) => void;
}

export function useQuery(): Query {
  const { query, route } = useLocation();
  return {
    of: (name) => query[name] ?? "",
    set(changes, push = false) {
      const next = new URLSearchParams(location.search);
      for (const [name, value = ""] of Object.entries(changes)) {
        if (value === "") next.delete(name);
        else next.set(name, value);
      }
      const text = next.toString();
      route(text === "" ? location.pathname : `${location.pathname}?${text}`, !push);
    },
  };
}
