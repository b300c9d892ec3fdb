/** What is known of every flag of a configuration, in all projects: the facts of the catalogue. `report/model/catalog.ts` has the words. */

import type { FlagValue } from '../evaluation/input.ts';
import type { JsonObject } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import type { StaleFlag } from '../code/references/staleness.ts';
import type { ProjectIdentity } from '../core/engine/project.ts';
import type { PlannedRollout, WaitReason } from '../core/rollout/rollout.ts';
import type { Attribution } from '../posthog/authors/attribution.ts';
import type { Effect, ResourceEffects } from '../review/effects/effect.ts';
import type { ScheduledFacts } from '../review/effects/impact.ts';
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
  readonly freezes: readonly FrozenTime[];
  readonly history: CatalogHistory;
}

export interface ForgeAddress {
  /** Decides how its addresses of files and commits look. */
  readonly forge: 'github' | 'gitlab' | 'bitbucket';
  /** `https://github.com/acme/flags`, without a slash at the end. */
  readonly url: string;
}

/** What the changes of the past were read from. `since`: no commit before this time was read; absent: all were. */
export type CatalogHistory =
  { readonly kind: 'read'; readonly since?: string } | { readonly kind: 'none'; readonly reason: string };

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
  /** `undefined`: only the service knows. */
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
type ProjectWord = FlagWord | 'missing';

export interface FlagInProject {
  readonly project: string;
  /** In the service. */
  readonly id?: number;
  readonly word: ProjectWord;
  /** What decides who gets it, with the names of cohorts; absent if the project has no such flag or was not read. */
  readonly fields?: JsonObject;
  readonly differences: readonly FlagDifference[];
  /** No manifest declares it for the project. */
  readonly isUnmanaged: boolean;
  readonly rollouts: readonly { readonly rollout: PlannedRollout; readonly waits?: WaitReason }[];
}

export interface FlagDifference {
  /** `pending`: of git, not applied yet. `drifted`: of the service. `differs`: nothing tells which side changed. */
  readonly sort: 'pending' | 'drifted' | 'differs';
  readonly effects: readonly Effect[];
  /** Who edited it in the service last. */
  readonly attribution?: Attribution;
}

export interface PastChange extends PastAuthor {
  readonly effects: Pick<ResourceEffects, 'effects'>['effects'];
  /** The projects that it is of; absent: all that have the flag. */
  readonly projects?: readonly string[];
}

/** A time in which a policy allows no changes. */
export interface FrozenTime {
  readonly from: string;
  /** The first day or moment after it. */
  readonly to: string;
  /** The IANA time zone of both. */
  readonly zone: string;
}

/** The newest changes of a flag that are kept. */
export const MOST_CHANGES = 10;
