// The devices of a group: each with its state and its control, as on the start.

import { useState } from "preact/hooks";
import { devices } from "../../state/house/devices.ts";
import { useHubData } from "../../state/hub/watched.ts";
import { t } from "../../texts/index.ts";
import { GROUP_EVENTS, type Group } from "./groups.ts";
import { Tile } from "./tile.tsx";
import { deviceName } from "./values.ts";

const NAMED = 6;

/** Their names, until it is opened. */
export function FoldedMembers({ members }: Pick<Group, "members">) {
  const [isOpen, setOpen] = useState(false);
  const some = members.slice(0, NAMED).map(deviceName).join(", ");
  return (
    <details class="members" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary dir="auto">
        {t("groups.devices", { count: members.length })}
        {!isOpen && `: ${members.length > NAMED ? `${some}, …` : some}`}
      </summary>
      {isOpen && <MemberTiles members={members} hrefOf={deviceAddress} />}
    </details>
  );
}

interface MemberTilesProps extends Pick<Group, "members"> {
  /** Where a member's corner leads: to its sheet on the start, when absent. */
  hrefOf?: (id: string) => string;
}

/** Those that were removed from the house have no tile. */
function MemberTiles({ members, hrefOf }: MemberTilesProps) {
  return (
    <ul class="tiles">
      {members.map((id) => {
        const of = devices.value.get(id);
        return of && <Tile key={id} of={of} {...(hrefOf && { href: hrefOf(id) })} />;
      })}
    </ul>
  );
}

/** Of the group with this id. */
export function MembersOf({ group, ...shown }: { group: string } & Omit<MemberTilesProps, "members">) {
  const { value } = useHubData<Group>(`/groups/${encodeURIComponent(group)}`, { after: GROUP_EVENTS });
  return value ? <MemberTiles members={value.members} {...shown} /> : null;
}

export const deviceAddress = (id: string): string => `/devices/${encodeURIComponent(id)}`;
