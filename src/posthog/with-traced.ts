/** Live state with what became of resources that were not found. */

import type { Traced } from './family.ts';
import type { FamilyName } from './kind-types.ts';
import type { LiveState } from './live.ts';

/** `found`: resources of the traces that the state does not have. A family that was not read stays so. */
export function withTraced(
  live: LiveState,
  { section, traces, found }: Traced<NonNullable<LiveState[FamilyName]>[number]> & { readonly section: FamilyName },
): LiveState {
  const known = live[section];
  const all = [...(live.traces?.[section] ?? []), ...traces];
  return {
    ...live,
    ...(known === undefined ? {} : { [section]: [...known, ...found] }),
    ...(all.length === 0 ? {} : { traces: { ...live.traces, [section]: all } }),
  };
}
