/** The base that comparison uses: the last applied state, corrected for partial applies and for declared resources that were deleted. */

import type { BaseFacts, EarlierBase } from '../../core/engine/base.ts';
import { type DesiredResource, namedKeys } from '../../core/engine/desired.ts';
import type { DesiredState } from '../desired.ts';
import { familyIn, mapFamilies } from '../families.ts';
import type { Family, Sought, Traced } from '../family.ts';
import type { FamilyName } from '../kind-types.ts';
import type { LiveState } from '../live.ts';
import { readName } from '../names/resource-name.ts';

/** The desired state of an earlier commit, and known facts about that commit. */
export interface Base {
  readonly facts: BaseFacts;
  /** Absent if there is no base. */
  readonly desired?: DesiredState;
}

/** A difference that an earlier apply left, with the declaration that was applied last; absent if none was. */
interface EarlierState extends Pick<EarlierBase, 'key' | 'fields'> {
  readonly desired?: DesiredState;
}

/** The desired state of the base, in which each resource is as it was applied last. */
export function withEarlier(desired: DesiredState, earlier: readonly EarlierState[]): DesiredState {
  return earlier.reduce((state, one): DesiredState => {
    const { section, key } = readName(one.key);
    const family = familyIn(section);
    const mix: Family['mix'] = (...versions) => family.mix(...versions);
    const all = replace(state[section] ?? [], { ...one, key, then: one.desired?.[section] ?? [], mix });
    return all.length === 0 && state[section] === undefined ? state : { ...state, [section]: all };
  }, desired);
}

interface Replacement<Resource extends DesiredResource> {
  readonly key: string;
  readonly fields?: readonly string[];
  readonly then: readonly Resource[];
  /** The later declaration with fields of the earlier one; `undefined` if they cannot be separated. */
  readonly mix: (later: Resource, earlier: Resource | undefined, fields: readonly string[]) => Resource | undefined;
}

function replace<Resource extends DesiredResource>(
  all: readonly Resource[],
  { key, fields, then, mix }: Replacement<Resource>,
): readonly Resource[] {
  const later = all.find((one) => one.key === key);
  const names = later === undefined ? [key] : namedKeys(later);
  const earlier = names.flatMap((name) => then.find((one) => one.key === name) ?? [])[0];
  const mixed = later === undefined || fields === undefined ? undefined : mix(later, earlier, fields);
  const known = mixed ?? earlier;
  const others = all.filter((one) => one.key !== key);
  // If another resource has the key now, a declaration under it would stand for that one.
  return known === undefined || others.some((one) => one.key === known.key) ? others : [...others, known];
}

/** The resources that are looked for, by family. */
export type MissingRetired = Readonly<Record<FamilyName, readonly Sought[]>>;

/**
 * Finds resources that manifests delete, that are not live under their names, and that the base declared: people may have renamed them.
 * Without a base, finds none.
 */
export function findMissingRetired(desired: DesiredState, base: Base | undefined, live: LiveState): MissingRetired {
  const former = base?.desired;
  return mapFamilies((family) => (former === undefined ? [] : family.findRetired(desired, former, live)));
}

export function areNoneMissing(missing: MissingRetired): boolean {
  return Object.values(missing).every((sought) => sought.length === 0);
}

/** `found`: traced resources that the state does not have. A family that was not read stays unread. */
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
