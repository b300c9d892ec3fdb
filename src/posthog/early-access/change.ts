/** The changes of early access features, as a plan and its document hold them, and the words for them in reports. */

import { fromPointer } from '../../base/json-pointer.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Change, FieldChange } from '../../core/engine/change.ts';
import { type Labels, OWN_LABELS } from '../names/resource-name.ts';
import type { Permit } from '../../core/engine/exceptions.ts';
import { isEnrolling } from './feature.ts';

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
  readonly enrollment?: Enrollment;
}

interface LiveFeatureWrite extends FeatureWrite {
  readonly id: number;
  /** The UUID of the feature. */
  readonly feature_id: string;
  /** The feature as the plan saw it. One that differs from it has moved and is not written. */
  readonly base: {
    /** Canonical form of every field that a plan may write. */
    readonly feature: JsonObject;
    /** The fields that the change writes, as they were read: what `undo` writes back. */
    readonly former: JsonObject;
  };
}

/**
 * `starts`: people who enrolled get the flag and people who declined do not, whatever its conditions say. `ends`: its conditions decide.
 */
type Enrollment = 'starts' | 'ends';

/** `key`: `early_access:ALIAS`, or that of the flag. */
export type FeatureRisk = { readonly ref: string; readonly key: string } &
  /** The stage would change who gets a flag that no manifest declares. */
  (
    | {
        readonly code: 'early_access_unmanaged';
        readonly flag: string;
        readonly enrollment: Enrollment;
        readonly permit: Permit;
      }
    /** The service refuses a feature of such a flag. */
    | {
        readonly code: 'early_access_refused';
        readonly flag: string;
        readonly why: FlagProblem;
        readonly permit?: undefined;
      }
    /** The service refuses to delete a flag that has a feature, also an archived one. `feature`: its name. */
    | { readonly code: 'early_access_linked'; readonly feature: string; readonly permit?: undefined }
  );

export type FlagProblem = 'missing' | 'deleted' | 'experiment' | 'groups' | 'variants';

export const EARLY_ACCESS_LABELS: Labels<FeatureChange> = {
  ...OWN_LABELS,
  noun: 'early access feature',
  plural: 'early access features',
  qualifier: ' (early access)',
  field: (pointer) => (pointer === '' ? 'early access feature' : fromPointer(pointer).join('.')),
  identity: (change, detailed) => {
    if (change.action === 'create') return [];
    return [`flag id ${change.id}`, ...(detailed ? [change.feature_id] : [])];
  },
  target: () => ' (early access)',
  drift: ({ action }) => DRIFT[action],
  consequences: (change, quote) => {
    const flag = quote(change.flag);
    const starts = `Enrollment starts: people who enrolled get ${flag} and people who declined do not, whatever its conditions say.`;
    const ends = `Enrollment ends: from now on the conditions of ${flag} decide for everybody.`;
    return [
      ...(change.enrollment === undefined ? [] : [{ starts, ends }[change.enrollment]]),
      ...(mustLeaveStage(change)
        ? ['PostHog starts it only when it leaves draft, so the stage is briefly draft.']
        : []),
    ];
  },
  need: 'the early access feature ',
  deletionHint:
    'To archive such an early access feature, declare it under early_access as ALIAS: { flag: KEY, deleted: true }',
};

const DRIFT: Readonly<Record<FeatureChange['action'], string>> = {
  create: ' (early access) is declared but does not exist in the project',
  update: ' (early access)',
  delete: ' (early access) is declared as deleted but not archived',
};

/** Enrollment starts only on the way from a stage that does not enroll to one that does. */
export function mustLeaveStage(change: FeatureChange): boolean {
  if (change.action === 'create' || !isEnrolling(change.body['stage'])) return false;
  const { stage, enrollment } = change.base.feature;
  return isEnrolling(stage) && enrollment === false;
}
