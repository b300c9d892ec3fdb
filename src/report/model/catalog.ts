/**
 * The catalog in words, for people who do not read YAML: what its page and its JSON document say. The members are those of the document
 * (`schemas/documents/catalog.ts`). Times are in ISO 8601, UTC; days are `2026-12-01`. Text of flags is as it was written: each format
 * escapes it.
 */

import type { CatalogGap, CatalogWord, FlagDifference } from '../../catalog/catalog.ts';
import type { REMOVALS } from '../../code/references/staleness.ts';
import type { FlagUse } from '../../code/references/use.ts';
import type { RequestStanding } from '../../core/engine/change-request.ts';

export interface CatalogView {
  readonly made_at: string;
  readonly commit?: string;
  readonly branch?: string;
  /** In the order of the configuration. */
  readonly projects: readonly CatalogProjectView[];
  /** Sorted by key. */
  readonly flags: readonly CatalogFlagView[];
  /** What was done in the last days to flags that neither git nor a project has any more. Sorted by key. */
  readonly gone?: readonly CatalogGoneFlag[];
  /** Sorted by time; what is over is left out. */
  readonly calendar: readonly CalendarEntry[];
  readonly notes: readonly CatalogNote[];
}

export interface CatalogProjectView {
  readonly name: string;
  readonly host: string;
  readonly project_id: string;
  /** The list of flags in the service; absent for the embedded one. */
  readonly url?: string;
  /** `manifests`: nothing was read of the service, on purpose. `unread`: it was to be read, and was not. */
  readonly source: 'live' | 'snapshot' | 'manifests' | 'unread';
  /** When the service was read; absent if it was not. */
  readonly read_at?: string;
  /** Why it was not read. */
  readonly reason?: string;
}

export type { CatalogWord } from '../../catalog/catalog.ts';

export const WORD_MEANINGS: Readonly<Record<CatalogWord, string>> = {
  off: 'nobody gets it',
  some: 'it depends on the person',
  all: 'everybody gets the same',
  split: 'everybody gets it, in several variants',
  unknown: 'this release of flagwright cannot tell, or the project was not read',
  missing: 'the project has no such flag',
};

export const STANDING_MEANINGS = {
  in_sync: 'git and PostHog agree',
  pending: 'changed in git, not applied yet',
  drifted: 'edited in PostHog, not in git',
  both: 'changed in git and in PostHog',
  differs: 'git and PostHog differ, and nothing tells which side changed',
  unmanaged: 'not declared in git',
  unread: 'PostHog was not read',
} as const;

export type CatalogStanding = keyof typeof STANDING_MEANINGS;

/** What is not known of the whole. */
export interface CatalogNote {
  readonly what: 'project' | 'service' | CatalogGap['what'];
  /** Absent: it is about all. */
  readonly project?: string;
  /** What is missing and why, and what helps: sentences, with commands in backticks. */
  readonly words: string;
}

export const NOTES: Readonly<Record<CatalogNote['what'], string>> = {
  project: 'the service of a project',
  service: 'the services, on purpose',
  service_changes: 'what was changed in PostHog, and by whom',
  service_changes_before: 'what was changed in PostHog before a time',
  schedules: 'scheduled changes',
  requests: 'change requests',
  base: 'which side of a difference changed',
  git_changes: 'what commits changed',
  git_changes_before: 'what commits changed before a time',
  git_contents: 'files of commits',
  owners: 'the list of owners of the forge',
  people: 'test people',
  code: 'code that may read flags',
};

export interface CatalogFlagView {
  readonly key: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly owner?: { readonly name: string; readonly by: 'tag' | 'code_owners' };
  /** The declaration, from the top of the repository. */
  readonly place?: CatalogPlace;
  /** One for each project, in their order. */
  readonly states: readonly CatalogStateView[];
  /** When the flag was made, as far as is known. */
  readonly created?: CatalogAuthor;
  readonly changed?: CatalogAuthor;
  /** Its last day. */
  readonly expires?: string;
  /** When an application asked for it last; null: never, as far as the service knows. Absent: not known. */
  readonly last_called?: string | null;
  /** Where code reads it. */
  readonly code?: {
    /** `possible` and `unknown` prove nothing. */
    readonly verdict: FlagUse['verdict'];
    readonly places: readonly CatalogPlace[];
    /** How many places are not listed. */
    readonly more: number;
  };
  readonly depends_on?: readonly string[];
  readonly dependents?: readonly string[];
  /** What the people of the test files get; `value` in words: `on`, `off`, `variant test`, `not known`. */
  readonly answers?: readonly { readonly person: string; readonly project: string; readonly value: string }[];
  /** `step` names it for programs; `words` is the advice, `reason` a sentence. */
  readonly next?: { readonly step: string; readonly words: string; readonly reason: string };
  /** The step of its removal that somebody can take now, even where something else comes first. */
  readonly removal?: (typeof REMOVALS)[number];
  /** The newest first, at most ten. */
  readonly changes?: readonly CatalogChange[];
}

export interface CatalogGoneFlag {
  readonly key: string;
  readonly changes: readonly CatalogChange[];
}

export interface CatalogPlace {
  readonly file: string;
  readonly line?: number;
  /** On the forge, at the commit. */
  readonly url?: string;
  /** Of references in another repository. */
  readonly repository?: string;
}

export interface CatalogAuthor {
  readonly at: string;
  readonly by?: string;
  readonly source: 'git' | 'service';
  readonly commit?: string;
  readonly url?: string;
}

export interface CatalogStateView {
  readonly project: string;
  readonly word: CatalogWord;
  /** For whom, in words: `everyone`, `25% of people whose plan is pro`. */
  readonly who: string;
  readonly standing: CatalogStanding;
  /** What differs between git and the service, as sentences of effect. */
  readonly differences?: readonly CatalogDifference[];
  /** The page of the flag in the service. */
  readonly url?: string;
  readonly rollouts?: readonly CatalogRollout[];
  readonly requests?: readonly CatalogRequest[];
}

/** Something of it waits for people or for better times. */
export function isWaiting({ rollouts = [], requests = [] }: Pick<CatalogStateView, 'rollouts' | 'requests'>): boolean {
  return rollouts.some(({ waits }) => waits !== undefined) || requests.some(({ state }) => state === 'open');
}

/** A change that needs an approval in the service. `open`: people have not decided yet. */
export interface CatalogRequest {
  readonly id: string;
  readonly state: RequestStanding['kind'];
  /** What waits, or what became of it. */
  readonly words: string;
  readonly url?: string;
}

export interface CatalogDifference {
  readonly standing: FlagDifference['sort'];
  readonly words: string;
  /** Who edited it in the service, and when. */
  readonly by?: string;
  readonly at?: string;
}

export interface CatalogRollout {
  /** Where the value is now: `step 2 of 4: 25% of everyone`. */
  readonly now: string;
  readonly next?: { readonly at: string; readonly words: string };
  /** Why the next step waits. */
  readonly waits?: string;
}

export interface CatalogChange {
  readonly at: string;
  readonly by?: string;
  /** One sentence of effect. */
  readonly words: string;
  /** The projects that it is of; absent: all. */
  readonly projects?: readonly string[];
  readonly source: 'git' | 'service';
  readonly commit?: string;
  readonly url?: string;
}

export interface CalendarEntry {
  readonly at: string;
  /** The end of what lasts. */
  readonly until?: string;
  readonly kind: 'step' | 'expiry' | 'freeze' | 'schedule';
  readonly project?: string;
  /** The flag. */
  readonly key?: string;
  readonly words: string;
}
