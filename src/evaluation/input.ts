/** The input of evaluation: the project's flags and cohorts, the time, and the subject. */

import type { JsonObject } from '../base/json.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import type { Assumptions } from './assumptions.ts';
import type { SearchRegex } from '../base/search-regex.ts';

/** The two evaluators of the service; `generations.ts` lists their differences. */
export type Generation = 'python-2023' | 'rust-2026';

export interface EvaluationInput {
  /** All flags of the project, since any flag may be a dependency. Deleted flags count as missing. */
  readonly flags: readonly Flag[];
  readonly context: EvaluationContext;
  readonly subject: Subject;
}

export interface EvaluationContext {
  readonly generation: Generation;
  readonly now: Date;
  /** The project's time zone, an IANA name such as `Europe/Berlin`. An unknown name throws a RangeError. */
  readonly timeZone: string;
  /** Names of group types by index: `{ "0": "company" }`. */
  readonly groupTypes: Readonly<Record<string, string>>;
  /** Keys are ids. */
  readonly cohorts: Readonly<Record<string, KnownCohort>>;
  /** Searches with a time limit. Without it a search has no limit, since evaluation has no clock. */
  readonly searchRegex?: SearchRegex;
  readonly assumptions?: Assumptions;
}

/**
 * A static cohort is a list of members (see `Subject.cohortIds`); the members of a dynamic cohort follow from
 * properties.
 */
export type KnownCohort = { readonly kind: 'static' } | { readonly kind: 'dynamic'; readonly properties: JsonObject };

/** The person that flags are evaluated for, and the groups of that person. */
export interface Subject {
  readonly distinctId: string;
  readonly personProperties: JsonObject;
  /** Keys of groups, by the name of their type. */
  readonly groups: Readonly<Record<string, string | number>>;
  /** Properties of groups, by the name of their type. */
  readonly groupProperties: Readonly<Record<string, JsonObject>>;
  /** Buckets flags with `bucketing_identifier: device_id`. */
  readonly deviceId?: string;
  /** The distinct id before sign-in; buckets flags with `ensure_experience_continuity`. */
  readonly anonymousId?: string;
  /** Identifiers that the service stored, by flag key; they precede `anonymousId`. */
  readonly identifierOverrides?: Readonly<Record<string, string>>;
  /** The static cohorts of the person, by id or by the name that `cohorts` has them under. */
  readonly cohortIds?: readonly (number | string)[];
}
