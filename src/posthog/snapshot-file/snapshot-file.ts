/** A snapshot file: live state of one project at one time, for plans without a key. Nothing is applied from it. */

import type { Progress } from '../../core/rollout/rollout.ts';
import type { EarlierBase } from '../../core/engine/base.ts';
import type { ProjectIdentity } from '../../core/engine/project.ts';
import { FAMILIES, familyIn } from '../families.ts';
import type { LiveState } from '../live.ts';
import type { FamilyName } from '../kind-types.ts';
import { defined } from '../../base/optional.ts';
import { memberOf, type JsonObject } from '../../base/json.ts';

/** The major number grows when readers of the old form would misread the new one. */
export const SNAPSHOT_FORMAT_VERSION = '1.0';

export interface SavedSnapshot {
  readonly project: ProjectIdentity;
  /** When the service was read, ISO 8601, UTC. */
  readonly takenAt: string;
  /** The commit that had been applied last; absent if it was unknown. */
  readonly base?: string;
  /** The differences that applies had left; absent if there are none. */
  readonly earlier?: readonly EarlierBase[];
  /** How far the rollouts of that commit had come; absent if it has none. */
  readonly rollouts?: readonly Progress[];
  /** Role ids by name, as manifests may name them. */
  readonly roles: Readonly<Record<string, string>>;
  /** Every flag, archived ones included, and every cohort that the key could read. */
  readonly live: LiveState;
}

/** The facts in a report about the snapshot that a plan was made against. */
export interface Against {
  readonly taken_at: string;
  /** When the plan was made; negative where the clocks differ. */
  readonly age_seconds: number;
  /** The fingerprint of the file. */
  readonly fingerprint: string;
}

export const SECTIONS: readonly FamilyName[] = FAMILIES.map(({ section }) => section);

/** The member that holds the traces of a family; its resources are in the member with the name of the section. */
function tracesOf(section: FamilyName): string {
  return section === 'flags' ? 'traces' : `${familyIn(section).kind}_traces`;
}

/** The members of a document. */
export function formatFamilies(live: LiveState): Readonly<Record<string, unknown>> {
  const members = SECTIONS.flatMap((section) => [
    [section, live[section]],
    [tracesOf(section), live.traces?.[section]],
  ]);
  return defined(Object.fromEntries(members) as Record<string, unknown>);
}

/** `document` is valid by the schema of snapshots. */
export function parseFamilies(document: JsonObject): Pick<LiveState, FamilyName | 'traces'> {
  const read = (memberFor: (section: FamilyName) => string): Partial<Record<FamilyName, unknown>> =>
    defined(Object.fromEntries(SECTIONS.map((section) => [section, memberOf(document, memberFor(section))])));
  const traces = read(tracesOf);
  return {
    ...read((section) => section),
    ...(Object.keys(traces).length === 0 ? {} : { traces }),
  } as Pick<LiveState, FamilyName | 'traces'>;
}
