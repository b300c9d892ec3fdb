/** The table of what differs between the two profiles, each row with its reason; fields and filters have tables of their own. */

import type { Generation } from '../../evaluation/input.ts';

/** `documented` follows the interface document to the letter; `posthog` answers as PostHog does today. See `docs/embedded.md`. */
export type Profile = 'documented' | 'posthog';

export interface ProfileRules {
  readonly name: Profile;
  /** What a key may be made of. The document states no rule; PostHog has had one since 2025. */
  readonly keyPattern: RegExp | null;
  /** Where a key is looked for; PostHog takes the first of header, body (`personal_api_key`) and query. */
  readonly keyPlaces: 'header' | 'header-body-query';
  /** Whether archived flags exist and the list hides them unless asked. */
  readonly archive: boolean;
  /** Whether the list knows `key`, `search`, `active` and `order`, or only `limit` and `offset`. */
  readonly listFilters: boolean;
  /** Whether PATCH takes `version` and `original_flag` for an optimistic lock. */
  readonly optimisticLock: boolean;
  /** Whether fields are checked against each other and against other flags, and flags that others need are kept. */
  readonly guards: boolean;
  /** Whether a flag with an experiment changes its key when it is deleted, and frees it when it comes back. */
  readonly deletedKeySuffix: boolean;
  /** How many flags that are not deleted a project may hold when one is created; null for no bound. */
  readonly flagLimit: number | null;
  /** `fails`: any query parameter breaks the role access list, as PostHog passes it to its database. */
  readonly roleAccessQuery: 'pages' | 'fails';
  /** A second entry for the same role: PostHog does not handle its own constraint. */
  readonly duplicateRoleAccess: 'refused' | 'fails';
  /** The role object: PostHog's has lost its flag fields. */
  readonly role: 'with-flags' | 'plain';
  /** Whether `limit` and `page` of the activity are checked, or fall back to their defaults. */
  readonly activityPaging: 'lenient' | 'strict';
  /** Whether the version is a logged field, so that even an update without changes leaves an entry. */
  readonly activityVersion: boolean;
  /** Whether conditions are decorated with the names of cohorts and groups when they are read. */
  readonly decorated: boolean;
  /** Which of the service's two evaluators finds the value of a flag. */
  readonly generation: Generation;
  /** `minimal`: flags in `my_flags` and `local_evaluation` are cut to what an evaluator needs. */
  readonly evaluatedFlags: 'full' | 'minimal';
  /** What the blast radius calls its two numbers; they were renamed. */
  readonly blastRadius: { readonly affected: string; readonly total: string };
  /** Whether a person id that is neither a number nor a UUID is 400 with a hint, or 404. */
  readonly personIds: 'lenient' | 'checked';
  /** What a write to a person answers: the person, as the document has it, or that it was accepted. */
  readonly personWrites: 'person' | 'accepted';
  /** Whether `key`, `value` and `$unset` are read from the query too, where the document puts them. */
  readonly personParameters: 'query-or-body' | 'body';
  /** `delete_events`: by what it says, or by being there at all, even as `false`. */
  readonly deleteEvents: 'by-value' | 'by-presence';
  /** `swapped`: a refusal that PostHog makes by hand has its code and its detail in each other's place. */
  readonly personRefusals: 'plain' | 'swapped';
  /** `persons/cohorts` without `person_id`: PostHog does not look. */
  readonly cohortsOfNobody: 'refused' | 'fails';
  /** Whether the person list counts all that it could list when `include_total` is there. */
  readonly personTotal: boolean;
}

export const PROFILES: Readonly<Record<Profile, ProfileRules>> = {
  documented: {
    name: 'documented',
    keyPlaces: 'header',
    keyPattern: null,
    archive: false,
    listFilters: false,
    optimisticLock: false,
    guards: false,
    deletedKeySuffix: false,
    flagLimit: null,
    roleAccessQuery: 'pages',
    duplicateRoleAccess: 'refused',
    role: 'with-flags',
    activityPaging: 'lenient',
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
    personTotal: false,
  },
  posthog: {
    name: 'posthog',
    keyPlaces: 'header-body-query',
    keyPattern: /^[a-zA-Z0-9_-]+$/,
    archive: true,
    listFilters: true,
    optimisticLock: true,
    guards: true,
    deletedKeySuffix: true,
    flagLimit: 2000,
    roleAccessQuery: 'fails',
    duplicateRoleAccess: 'fails',
    role: 'plain',
    activityPaging: 'strict',
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
    personTotal: true,
  },
};
