// A QR code, dark on light in both schemes, as cameras want it.
import { encode } from "uqr";
import { t } from "../../texts/index.ts";

const BORDER = 4;
const WIDTH = 240;

export function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: BORDER });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg role="img" aria-label={t("plugins.qr_code")} width={WIDTH} height={WIDTH} viewBox={`0 0 ${size} ${size}`}>
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join("")} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
