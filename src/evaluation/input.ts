/** What evaluation is told: the project's flags and cohorts, the moment, and whom to evaluate for. */

import type { JsonObject } from '../base/json.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import type { SearchRegex } from './operators/regex.ts';

/** The two evaluators that the service has had; where they differ is in `generations.ts`. */
export type Generation = 'python-2023' | 'rust-2026';

export interface EvaluationInput {
  /** Every flag of the project: a flag may depend on any other. Deleted ones count as absent. */
  readonly flags: readonly Flag[];
  readonly context: EvaluationContext;
  readonly subject: Subject;
}

export interface EvaluationContext {
  readonly generation: Generation;
  readonly now: Date;
  /** The project's time zone, an IANA name such as `Europe/Berlin`. A name that is none throws a RangeError. */
  readonly timeZone: string;
  /** Group type index, as text, to the group type's name: `{ "0": "company" }`. */
  readonly groupTypes: Readonly<Record<string, string>>;
  /** Cohort id, as text, to the cohort. */
  readonly cohorts: Readonly<Record<string, Cohort>>;
  /** How patterns are tried; absent: without a bound on time, since this module knows no clock. */
  readonly searchRegex?: SearchRegex;
}

/** Membership of a static cohort is a list, told by `Subject.cohortIds`; that of a dynamic one follows from properties. */
export type Cohort = { readonly kind: 'static' } | { readonly kind: 'dynamic'; readonly properties: JsonObject };

/** Whom flags are evaluated for: a person, and the groups that the person acts in. */
export interface Subject {
  readonly distinctId: string;
  readonly personProperties: JsonObject;
  /** Group type name to the group's key. */
  readonly groups: Readonly<Record<string, string | number>>;
  /** Group type name to the properties of that group. */
  readonly groupProperties: Readonly<Record<string, JsonObject>>;
  /** Buckets flags with `bucketing_identifier: device_id`. */
  readonly deviceId?: string;
  /** The id before the person signed in; buckets flags with `ensure_experience_continuity`. */
  readonly anonymousId?: string;
  /** Flag key to the identifier that the service has stored for it; goes before `anonymousId`. */
  readonly identifierOverrides?: Readonly<Record<string, string>>;
  /** The static cohorts that the person is in. */
  readonly cohortIds?: readonly number[];
}
