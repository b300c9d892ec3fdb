/** The changes of cohorts, as a plan and its document hold them, and the words for them in reports. */

import { fromPointer } from '../../base/json-pointer.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Change, FieldChange } from '../../core/engine/change.ts';
import { type Labels, OWN_LABELS } from '../names/resource-name.ts';
import type { UnknownReason } from '../../core/engine/trace.ts';
import type { Permit } from '../../core/engine/exceptions.ts';
import type { CohortUse } from './uses.ts';

export type CohortChange = CreateCohort | ChangeCohort | DeleteCohort;

export interface CreateCohort extends CohortWrite {
  readonly action: 'create';
}

/** Restores a soft-deleted cohort: one that the configuration names by id, or by `undo`. */
export interface ChangeCohort extends LiveCohortWrite {
  readonly action: 'update' | 'restore';
}

export interface DeleteCohort extends LiveCohortWrite {
  readonly action: 'delete';
  readonly reason: 'retired' | 'undone';
}

/** `key`: the alias. */
interface CohortWrite extends Change {
  readonly id?: number;
  readonly resource: 'cohort';
  readonly fields: readonly FieldChange[];
  /** The request's body. Other cohorts are named by id, or by the alias of one that the same plan creates. */
  readonly body: JsonObject;
}

interface LiveCohortWrite extends CohortWrite {
  readonly id: number;
  readonly base: CohortBase;
}

/** The cohort as the plan saw it. A cohort that differs from it has moved and is not written. */
export interface CohortBase {
  /** Canonical form of every field that a plan may write. */
  readonly cohort: JsonObject;
  /** The fields that the change writes, as they were read: what `undo` writes back. */
  readonly former: JsonObject;
  /** The ids of the other cohorts that have the name which the change gives; absent if none has. */
  readonly namesakes?: readonly number[];
}

/** `key`: the name of the cohort or flag for options, `cohort:ALIAS` or the flag's key. */
export type CohortWarning =
  /** Whom the change of a cohort concerns: all flags with a condition on it, itself or through other cohorts. */
  | {
      readonly code: 'cohort_flags';
      readonly key: string;
      readonly action: CohortChange['action'];
      readonly flags: readonly string[];
      /** How these flags use it, before or after the plan; absent in plans of earlier releases. */
      readonly uses?: readonly CohortUse[];
    }
  /** The flag gets conditions on a cohort whose members are still to be computed, or are being computed. */
  | { readonly code: 'cohort_calculating'; readonly key: string; readonly cohort: string }
  /** A live cohort that is a list of persons: unwritable. */
  | { readonly code: 'cohort_static'; readonly key: string; readonly id: number }
  /** The cohort was renamed in the service, to `current`; the plan gives it the declared name again. */
  | ({ readonly code: 'cohort_renamed' } & Renamed)
  /** A possible rename, but the plan leaves that one alone and creates another cohort. */
  | ({
      readonly code: 'cohort_renamed_away';
      /** `declared`: manifests declare that one under another alias. `differs`: only the log names it, and it is not as declared. */
      readonly why: 'declared' | 'differs';
    } & Renamed)
  /** The same rename of a cohort that the manifests delete: the plan deletes it too. */
  | ({ readonly code: 'cohort_renamed_deleted' } & Renamed)
  /**
   * Several live cohorts have the declared name, `name`; each has the flags that use it. `held`: the flags and cohorts of which the plan
   * cannot write the conditions on the cohort, or anything.
   */
  | {
      readonly code: 'cohort_name_shared';
      readonly key: string;
      readonly name: string;
      readonly cohorts: readonly { readonly id: number; readonly flags: readonly string[] }[];
      readonly held: readonly string[];
    }
  /** Another cohort is in use under a name that this one had before: `previous`. It is not changed. */
  | { readonly code: 'cohort_previous_live'; readonly key: string; readonly previous: string; readonly id: number }
  /** The manifests delete a cohort that the base declared and that is not found; whether it was renamed is unknown. */
  | { readonly code: 'cohort_retired_unknown'; readonly key: string; readonly why: UnknownReason }
  /** The base declared the cohort, and whether one was renamed could not be found out. */
  | { readonly code: 'cohort_former_unknown'; readonly key: string; readonly why: UnknownReason }
  /** The service refuses a definition on events while active flags use the cohort. */
  | { readonly code: 'cohort_behavioral'; readonly key: string; readonly flags: readonly string[] };

interface Renamed {
  readonly key: string;
  readonly id: number;
  /** The current name. */
  readonly current: string;
  readonly since?: string;
}

/** `key`: `cohort:ALIAS`. */
export type CohortRisk = { readonly ref: string; readonly key: string } &
  /** A flag, `dependent`, would get a condition on a cohort that people deleted, which the plan leaves so. */
  (
    | {
        readonly code: 'dependency_left';
        readonly dependent: string;
        readonly why: 'deleted';
        readonly permit: Permit;
      }
    /**
     * A change that would leave flags or cohorts, by alias or id, with a condition on no cohort. `permit`: absent if the service refuses the
     * change anyway.
     */
    | {
        readonly code: 'cohort_used';
        readonly flags: readonly string[];
        readonly cohorts: readonly string[];
        readonly permit?: Permit;
      }
  );

export const COHORT_LABELS: Labels<CohortChange> = {
  ...OWN_LABELS,
  noun: 'cohort',
  plural: 'cohorts',
  qualifier: ' (cohort)',
  field: labelField,
  absent: (pointer) => (pointer === '/deleted' ? false : undefined),
  identity: (change) => (change.action === 'create' ? [] : [`id ${change.id}`]),
  target: () => ' (cohort)',
  drift: ({ action }) => DRIFT[action],
  need: 'the cohort ',
  deletionHint: 'To delete such a cohort, declare it under cohorts as ALIAS: { name: NAME, deleted: true }',
};

const DRIFT: Readonly<Record<CohortChange['action'], string>> = {
  create: ' (cohort) is declared but does not exist in the project',
  update: ' (cohort)',
  restore: ' (cohort) is declared but soft-deleted',
  delete: ' (cohort) is declared as deleted but exists',
};

/** `/filters/properties/values/0/values/1/value` is `definition · 1.2 · value`: groups and filters are counted from 1. */
function labelField(pointer: string): string {
  if (pointer === '') return 'cohort';
  const [field = '', properties, ...rest] = fromPointer(pointer);
  if (field !== 'filters' || properties !== 'properties') return fromPointer(pointer).join('.');
  const steps: number[] = [];
  let left = rest;
  while (left[0] === 'values' && /^\d+$/.test(left[1] ?? '')) {
    steps.push(Number(left[1]) + 1);
    left = left.slice(2);
  }
  return [
    'definition',
    ...(steps.length === 0 ? [] : [steps.join('.')]),
    ...(left.length === 0 ? [] : [left.join('.')]),
  ].join(' · ');
}
