/** The changes of early access features, as a plan and its document hold them. */

import type { JsonObject } from '../../base/json.ts';
import type { Change, FieldChange } from '../../engine/change.ts';
import type { Permit } from '../../engine/safety.ts';

export type FeatureChange = CreateFeature | UpdateFeature | EndFeature;

export interface CreateFeature extends FeatureWrite {
  readonly action: 'create';
}

export interface UpdateFeature extends LiveFeatureWrite {
  readonly action: 'update';
}

/** The soft end: the feature is archived. The service's own DELETE is final, and never sent. */
export interface EndFeature extends LiveFeatureWrite {
  readonly action: 'delete';
  readonly reason: 'retired' | 'undone';
}

/** `key`: the alias. `id`: that of the flag, of which the service has one feature at most. */
interface FeatureWrite extends Change {
  readonly resource: 'early_access';
  /** The key of the flag once the plan is applied. */
  readonly flag: string;
  /** Whether manifests declare the flag. */
  readonly managed: boolean;
  readonly fields: readonly FieldChange[];
  /** The request's body, without the id of the flag. */
  readonly body: JsonObject;
  /** The effect of the stage on the flag; absent if there is none. */
  readonly enrolment?: Enrolment;
}

interface LiveFeatureWrite extends FeatureWrite {
  readonly id: number;
  /** The UUID of the feature. */
  readonly feature_id: string;
  readonly base: FeatureBase;
}

/**
 * `starts`: people who enrolled get the flag and people who declined do not, whatever its conditions say. `ends`: its conditions decide.
 */
export type Enrolment = 'starts' | 'ends';

/** The feature as the plan saw it. One that differs from it has moved and is not written. */
export interface FeatureBase {
  /** Canonical form of every field that a plan may write. */
  readonly feature: JsonObject;
  /** The fields that the change writes, as they were read: what `undo` writes back. */
  readonly former: JsonObject;
}

/** The kind has no own warnings. */
export type FeatureWarning = never;

export type FeatureRisk = UnmanagedRisk | RefusedRisk | LinkedRisk;

/** The stage would change who gets a flag that no manifest declares. */
interface UnmanagedRisk {
  readonly code: 'early_access_unmanaged';
  readonly ref: string;
  /** `early_access:ALIAS`. */
  readonly key: string;
  readonly flag: string;
  readonly enrolment: Enrolment;
  readonly permit: Permit;
}

/** The service refuses a feature of such a flag. */
interface RefusedRisk {
  readonly code: 'early_access_refused';
  readonly ref: string;
  readonly key: string;
  readonly flag: string;
  readonly why: FlagProblem;
  readonly permit?: undefined;
}

export type FlagProblem = 'missing' | 'deleted' | 'experiment' | 'groups' | 'variants';

/** The service refuses to delete a flag that has a feature, also an archived one. */
interface LinkedRisk {
  readonly code: 'early_access_linked';
  readonly ref: string;
  /** The key of the flag. */
  readonly key: string;
  /** The name of the feature. */
  readonly feature: string;
  readonly permit?: undefined;
}
