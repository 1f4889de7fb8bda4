// The way to what the help says of something. It is no view of this page, so it opens beside it.
import { t } from "../texts/index.ts";
import { AnyIcon } from "./more-icons.tsx";

interface HelpLinkProps {
  /** `configuration#mqtt` */
  to: string;
  about: string;
}

export function HelpLink({ to, about }: HelpLinkProps) {
  return (
    <a
      class="button"
      href={`/help/${to}`}
      target="_blank"
      hreflang="en"
      aria-label={t("help.about", { about })}
      rel="noopener"
    >
      <AnyIcon name="unknown" /> {t("help.title")}
    </a>
  );
}
