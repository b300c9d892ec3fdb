/** A snapshot file: live state of one project at one time, for plans without a key. Nothing is applied from it. */

import type { Progress } from '../../core/rollout/rollout.ts';
import type { EarlierBase } from '../../core/engine/base.ts';
import type { ProjectIdentity } from '../../core/engine/project.ts';
import { COHORT_FIELD_NAMES } from '../cohort/cohort.ts';
import { FEATURE_MEMBERS } from '../early-access/feature.ts';
import type { LiveState } from '../live.ts';
import type { FamilyName, FamilyTypes, FurtherFamily } from '../kind-types.ts';
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

interface FileForm<Name extends FamilyName> {
  /** The member that holds the traces; the resources are in the member with the name of the section. */
  readonly traces: string;
  /** The members that others may see; for flags they depend on what is declared (`disclose.ts`). */
  readonly members: Name extends FurtherFamily ? readonly (keyof FamilyTypes[Name]['live'])[] : undefined;
  /** The reason that a run that needs the family cannot use a file without it. */
  readonly missing: Name extends FurtherFamily ? MissingPart : undefined;
}

interface MissingPart {
  readonly message: string;
  readonly remedy: string;
}

const FORMS: { readonly [Name in FamilyName]: FileForm<Name> } = {
  flags: { traces: 'traces', members: undefined, missing: undefined },
  cohorts: {
    traces: 'cohort_traces',
    members: ['id', ...COHORT_FIELD_NAMES, 'is_calculating'],
    missing: {
      message: 'The manifests declare cohorts, and the snapshot has none.',
      remedy: 'Give the API key of `flagwright snapshot` the scope cohort:read, and take a new snapshot.',
    },
  },
  early_access: {
    traces: 'early_access_traces',
    members: ['id', 'feature_id', ...FEATURE_MEMBERS, 'enrolment'],
    missing: {
      message: 'The manifests declare early access features, and the snapshot has none.',
      remedy: 'Give the API key of `flagwright snapshot` the scope early_access_feature:read, and take a new snapshot.',
    },
  },
};

export const SECTIONS = Object.keys(FORMS) as readonly FamilyName[];

export const FURTHER: readonly FurtherFamily[] = SECTIONS.filter(
  (section): section is FurtherFamily => section !== 'flags',
);

/** The members of a resource that a file holds. */
export function membersOf(section: FurtherFamily): readonly string[] {
  return FORMS[section].members as readonly string[];
}

export function missingFamily(section: FurtherFamily): MissingPart {
  return FORMS[section].missing;
}

/** The members of a document. */
export function formatFamilies(live: LiveState): Readonly<Record<string, unknown>> {
  const members = SECTIONS.flatMap((section) => [
    [section, live[section]],
    [FORMS[section].traces, live.traces?.[section]],
  ]);
  return defined(Object.fromEntries(members) as Record<string, unknown>);
}

/** `document` is valid by the schema of snapshots. */
export function parseFamilies(document: JsonObject): Pick<LiveState, FamilyName | 'traces'> {
  const read = (memberFor: (section: FamilyName) => string): Partial<Record<FamilyName, unknown>> =>
    defined(Object.fromEntries(SECTIONS.map((section) => [section, memberOf(document, memberFor(section))])));
  const traces = read((section) => FORMS[section].traces);
  return {
    ...read((section) => section),
    ...(Object.keys(traces).length === 0 ? {} : { traces }),
  } as Pick<LiveState, FamilyName | 'traces'>;
}
