/** The differences between the two profiles, each with its reason; fields and filters have tables of their own. */

import type { Generation } from '../../../src/evaluation/input.ts';

/** `documented` follows the interface document to the letter; `posthog` answers as PostHog does today. See `docs/embedded/profiles.md`. */
export type Profile = 'documented' | 'posthog';

/** `entries`: role access as of 2023. `levels`: access controls as of today. */
export type AccessRoutes = 'entries' | 'levels';

export interface ProfileRules {
  readonly name: Profile;
  /** The routes that read and write access to flags; for a while, services had the flags of today and the routes of 2023. */
  readonly access: AccessRoutes;
  /** The pattern of keys. The document has no rule; PostHog has had one since 2025. */
  readonly keyPattern: RegExp | null;
  /** The places of the API key; PostHog takes the first of header, body (`personal_api_key`) and query. */
  readonly keyPlaces: 'header' | 'header-body-query';
  /** Whether the list has filters and hides archived flags by default; else it takes only `limit` and `offset`. */
  readonly listFilters: boolean;
  /** Whether PATCH accepts `version` and `original_flag` as an optimistic lock. */
  readonly optimisticLock: boolean;
  /**
   * Whether fields are checked against each other and against other flags, and flags that others depend on are
   * protected.
   */
  readonly guards: boolean;
  /** Whether `filters` have formats, so that a flag with rules instead of conditions refuses most writes. */
  readonly formats: boolean;
  /** Whether policies can require approvals of writes. */
  readonly approvals: boolean;
  /** Whether changes of flags can be scheduled, and run. */
  readonly scheduledChanges: boolean;
  /** Whether deletion renames a flag with an experiment, and restoration renames it back. */
  readonly deletedKeySuffix: boolean;
  /** The maximum of flags that are not deleted, checked on create; null for none. */
  readonly flagLimit: number | null;
  /** Whether a create makes a dashboard of the flag's use, whose id the flag shows. */
  readonly usageDashboard: boolean;
  /** Whether an invalid `limit` or `page` of the activity is refused or replaced by its default. */
  readonly activityPaging: 'lenient' | 'strict';
  /** `plain`: an entry has no id, no type in its detail, and nothing about its origin. */
  readonly activityEntry: 'plain' | 'with-origin';
  /** Whether the activity has a separate name for an update that deletes or restores a flag. */
  readonly activityNames: 'updated' | 'by-state';
  /** Whether an empty text or object is recorded as no value. */
  readonly activityEmpty: 'kept' | 'null';
  /** Whether the version is a recorded field, so that even an update without changes adds an entry. */
  readonly activityVersion: boolean;
  /** Whether conditions show the names of cohorts and groups on read. */
  readonly decorated: boolean;
  /** The evaluator that computes the values of flags. */
  readonly generation: Generation;
  /** `minimal`: `my_flags` and `local_evaluation` reduce flags to the fields that an evaluator needs. */
  readonly evaluatedFlags: 'full' | 'minimal';
  /** The names of the two numbers of the blast radius, which the service renamed. */
  readonly blastRadius: { readonly affected: string; readonly total: string };
  /** Whether a person id that is neither a number nor a UUID is a 400 with a hint, or a 404. */
  readonly personIds: 'lenient' | 'checked';
  /** The answer to a write to a person: the person (documented), or an acknowledgement. */
  readonly personWrites: 'person' | 'accepted';
  /** Whether `key`, `value` and `$unset` are also read from the query, where the document puts them. */
  readonly personParameters: 'query-or-body' | 'body';
  /** Whether `delete_events` is read by its value or by its presence, even as `false`. */
  readonly deleteEvents: 'by-value' | 'by-presence';
  /** `swapped`: PostHog's hand-written refusals have code and detail in each other's place. */
  readonly personRefusals: 'plain' | 'swapped';
  /** `persons/cohorts` without `person_id`, which PostHog does not check. */
  readonly cohortsOfNobody: 'refused' | 'fails';
  /** Whether changes of cohorts are recorded, and listed. */
  readonly cohortActivity: boolean;
  /** Whether `include_total` adds the number of matching persons to the list. */
  readonly personTotal: boolean;
}

export const PROFILES: Readonly<Record<Profile, ProfileRules>> = {
  documented: {
    name: 'documented',
    access: 'entries',
    keyPlaces: 'header',
    keyPattern: null,
    listFilters: false,
    optimisticLock: false,
    guards: false,
    formats: false,
    approvals: false,
    scheduledChanges: false,
    deletedKeySuffix: false,
    flagLimit: null,
    usageDashboard: true,
    activityPaging: 'lenient',
    activityEntry: 'plain',
    activityNames: 'updated',
    activityEmpty: 'kept',
    activityVersion: false,
    decorated: false,
    generation: 'python-2023',
    evaluatedFlags: 'full',
    blastRadius: { affected: 'users_affected', total: 'total_users' },
    personIds: 'lenient',
    personWrites: 'person',
    personParameters: 'query-or-body',
    deleteEvents: 'by-value',
    personRefusals: 'plain',
    cohortsOfNobody: 'refused',
    cohortActivity: false,
    personTotal: false,
  },
  posthog: {
    name: 'posthog',
    access: 'levels',
    keyPlaces: 'header-body-query',
    keyPattern: /^[a-zA-Z0-9_-]+$/,
    listFilters: true,
    optimisticLock: true,
    guards: true,
    formats: true,
    approvals: true,
    scheduledChanges: true,
    deletedKeySuffix: true,
    flagLimit: 2000,
    usageDashboard: false,
    activityPaging: 'strict',
    activityEntry: 'with-origin',
    activityNames: 'by-state',
    activityEmpty: 'null',
    activityVersion: true,
    decorated: true,
    generation: 'rust-2026',
    evaluatedFlags: 'minimal',
    blastRadius: { affected: 'affected', total: 'total' },
    personIds: 'checked',
    personWrites: 'accepted',
    personParameters: 'body',
    deleteEvents: 'by-presence',
    personRefusals: 'swapped',
    cohortsOfNobody: 'fails',
    cohortActivity: true,
    personTotal: true,
  },
};
