/** What is known of every flag of a configuration, in all projects: the facts of the catalog. `report/model/catalog.ts` has the words. */

import type { FlagValue } from '../evaluation/input.ts';
import type { JsonObject } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import type { StaleFlag } from '../code/references/staleness.ts';
import type { Gap } from '../code/references/use.ts';
import type { NoBaseReason } from '../core/engine/base.ts';
import type { KnownRequest } from '../core/engine/change-request.ts';
import type { ProjectIdentity } from '../core/engine/project.ts';
import type { PlannedRollout, WaitReason } from '../core/rollout/rollout.ts';
import type { Attribution } from '../posthog/authors/attribution.ts';
import type { UnknownSchedules } from '../posthog/flag/schedules.ts';
import type { Effect, ResourceEffects } from '../review/effects/effect.ts';
import type { ScheduledFacts } from '../review/effects/impact.ts';
import type { FreezeRule } from './freezes.ts';
import type { FlagWord } from './word.ts';

/** All flags, for people who read no manifests. */
export interface CatalogReport {
  readonly kind: 'catalog';
  readonly catalog: Catalog;
}

export interface Catalog {
  /** ISO 8601, as all times here. */
  readonly madeAt: string;
  readonly commit?: string;
  readonly branch?: string;
  /** The repository on its forge. */
  readonly forge?: ForgeAddress;
  /** In the order of the configuration. */
  readonly projects: readonly CatalogProject[];
  /** Sorted by key. */
  readonly flags: readonly CatalogFlag[];
  /** Of flags that are in no list any more: what was done to them lately. Sorted by key. */
  readonly gone: readonly GoneFlag[];
  readonly freezes: readonly FreezeRule[];
  readonly gaps: readonly CatalogGap[];
}

export interface ForgeAddress {
  /** Decides how its addresses of files and commits look. */
  readonly forge: 'github' | 'gitlab' | 'bitbucket';
  /** `https://github.com/acme/flags`, without a slash at the end. */
  readonly url: string;
}

/**
 * What was not read, though it may be there. Beside it: a project that is not live (`ProjectSource`). `since`: what is older is missing.
 * `snapshot`: the service was not asked.
 */
export type CatalogGap =
  | ({ readonly what: 'service_changes' } & OfProject & Unread)
  | ({ readonly what: 'service_changes_before'; readonly since: string } & OfProject)
  | ({ readonly what: 'schedules' } & OfProject & Unread)
  | ({ readonly what: 'requests' } & OfProject & Unread)
  /** Nothing tells which side of a difference changed. */
  | ({ readonly what: 'base'; readonly reason: NoBaseReason } & OfProject)
  | { readonly what: 'git_changes'; readonly reason: string }
  | { readonly what: 'git_changes_before'; readonly since: string; readonly why: 'many' | 'shallow' }
  /** Files in commits. */
  | { readonly what: 'git_contents'; readonly amount: number }
  | { readonly what: 'owners' }
  | { readonly what: 'people' }
  | { readonly what: 'code'; readonly gap: Gap };

interface OfProject {
  readonly project: string;
}

/** `detail`: what the service said. */
interface Unread {
  readonly why: UnknownSchedules | 'snapshot';
  readonly detail?: string;
}

export type CatalogProject = { readonly identity: ProjectIdentity } & ProjectSource;

/** `manifests`: the service is not asked. `unread`: it was asked, and gave no answer that can be used. */
type ProjectSource =
  | { readonly source: 'live' | 'snapshot'; readonly readAt: string; readonly scheduled?: ScheduledFacts }
  | { readonly source: 'manifests' }
  | { readonly source: 'unread'; readonly reason: string };

export interface CatalogFlag {
  readonly key: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly owner?: { readonly name: string; readonly by: 'tag' | 'code_owners' };
  /** The declaration, from the top of the repository. */
  readonly place?: Place;
  /** One for each project, in their order. */
  readonly states: readonly FlagInProject[];
  readonly created?: PastAuthor;
  readonly changed?: PastAuthor;
  /** What speaks for removing it, and the next step of that; absent: the code was not searched. */
  readonly stale: StaleFlag;
  readonly dependsOn: readonly string[];
  readonly dependents: readonly string[];
  readonly answers: readonly PersonAnswer[];
  /** The newest first. */
  readonly changes: readonly PastChange[];
}

export interface PersonAnswer {
  readonly person: string;
  readonly project: string;
  /** `undefined`: not known. */
  readonly value: FlagValue | undefined;
}

export interface PastAuthor {
  readonly at: string;
  /** A name; no address. */
  readonly by?: string;
  readonly source: 'git' | 'service';
  readonly commit?: string;
}

/** `missing`: the project has no such flag. */
export type CatalogWord = FlagWord | 'missing';

export interface FlagInProject {
  readonly project: string;
  /** In the service. */
  readonly id?: number;
  readonly word: CatalogWord;
  /** What decides who gets it, with the names of cohorts; absent if the project has no such flag or was not read. */
  readonly fields?: JsonObject;
  readonly differences: readonly FlagDifference[];
  /** No manifest declares it for the project. An archived flag is not counted, as in plans. */
  readonly isUnmanaged: boolean;
  readonly isArchived?: true;
  readonly rollouts: readonly RolloutInProject[];
  readonly requests: readonly FlagRequest[];
}

export interface RolloutInProject {
  readonly rollout: PlannedRollout;
  /** Of each step that no run has made, as far as can be told now: a late step delays those after it. */
  readonly times: readonly string[];
  readonly waits?: WaitReason;
}

/** What people decide about in the service, or decided against, though git still asks for it. */
export interface FlagRequest extends Pick<KnownRequest, 'id' | 'url' | 'standing'> {
  /** What it would do, where git asks for nothing; absent if that is not known. */
  readonly effects?: readonly Effect[];
}

export interface FlagDifference {
  /** `pending`: of git, not applied yet. `drifted`: of the service. `differs`: nothing tells which side changed. */
  readonly sort: 'pending' | 'drifted' | 'differs';
  /** Empty: no plan can write it. */
  readonly effects: readonly Effect[];
  /** It is nothing but due steps of rollouts: a run makes them, and no apply of a merge. */
  readonly isDue?: true;
  /** Who edited it in the service last. */
  readonly attribution?: Attribution;
}

export interface PastChange extends PastAuthor {
  /** `released`: no manifest declares the flag since then, and the service keeps it. */
  readonly effects: ResourceEffects['effects'] | 'released';
  /** An older commit declared the flag, so this one did not make it. */
  readonly isAgain?: true;
  /** The projects that it is of; absent: all that have the flag. */
  readonly projects?: readonly string[];
}

export interface GoneFlag {
  readonly key: string;
  /** The newest first; the first of git or of the service took it away. */
  readonly changes: readonly PastChange[];
}

/** The newest changes of a flag that are kept. */
export const MOST_CHANGES = 10;
