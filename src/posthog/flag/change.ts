/** The changes of flags, as a plan and its document hold them. */

import type { Change, FieldChange, LastEdit } from '../../core/engine/change.ts';
import type { Permit } from '../../core/engine/exceptions.ts';
import type { TurnedOff } from './snapshot.ts';
import type { JsonObject } from '../../base/json.ts';

export type FlagChange = CreateFlag | UpdateFlag | RestoreFlag | DeleteFlag;

/** A change of a flag that exists. */
export type ChangeOfLive = Exclude<FlagChange, CreateFlag>;

/** Whether the change disables a live flag. */
export function disables({ action, body }: Pick<FlagChange, 'action' | 'body'>): boolean {
  return action === 'update' && body['active'] === false;
}

export interface CreateFlag extends FlagWrite, KeptValues {
  readonly action: 'create';
}

export interface UpdateFlag extends LiveFlagWrite, KeptValues {
  readonly action: 'update';
}

/** Restores a soft-deleted flag: by `undo`, or by a manifest where the service lists soft-deleted flags. */
export interface RestoreFlag extends LiveFlagWrite, KeptValues {
  readonly action: 'restore';
}

export interface DeleteFlag extends LiveFlagWrite {
  readonly action: 'delete';
  readonly reason: 'retired' | 'pruned' | 'undone';
}

interface FlagWrite extends Change {
  readonly id?: number;
  readonly resource: 'flag';
  readonly fields: readonly FieldChange[];
  /** The request's body, with dependencies by key instead of id. */
  readonly body: JsonObject;
}

interface LiveFlagWrite extends FlagWrite {
  readonly id: number;
  readonly base: FlagBase;
}

interface KeptValues {
  /** Absent if git decides about everything. */
  readonly keeps?: readonly ValueOfOthers[];
}

/**
 * A place whose value others decide: the write sends the value that is live at that moment, and a change of it makes no plan stale.
 * Pointers are in the API's field names.
 */
export interface ValueOfOthers {
  /** The path after the change. */
  readonly path: string;
  /** The path before the change, if elements of lists moved. */
  readonly live?: string;
  /** Others decide inside these bounds only. */
  readonly between?: readonly [low: number, high: number];
  /** The change writes the first value, and others decide from then on. */
  readonly new?: true;
}

/** The flag as the plan saw it. A flag that differs from it has moved and is not written. */
export interface FlagBase {
  /** The service's counter; null if the flag has none. */
  readonly version: number | null;
  /** The last editor; absent if the service names none. */
  readonly edited?: LastEdit;
  /** Canonical form of every known field that is compared, managed or not, and of those that a manifest declares. */
  readonly flag: JsonObject;
  /** The fields that the change writes, as they were read: what `undo` writes back. */
  readonly former: JsonObject;
}

/** Advice to readers before they apply; most warnings predict a refusal by the service. */
export type FlagWarning = { readonly key: string } & (
  | { readonly code: 'cannot_edit'; readonly id: number }
  | { readonly code: 'experiments_linked'; readonly id: number; readonly experiments: readonly number[] }
  | { readonly code: 'dependents_remain'; readonly dependents: readonly string[] }
  | { readonly code: 'dependency_missing' | 'dependency_disabled'; readonly dependency: string }
  | { readonly code: 'field_unsupported'; readonly field: string }
  /**
   * The filters have a format that only the service writes. `omitted`: differing fields that no plan can write.
   * `uncertain`: fields that it changes, which the service allows in few projects. `gated`: all that it changes, which the service refuses
   * while an approval policy is enabled.
   */
  | {
      readonly code: 'filters_opaque';
      readonly format: string;
      readonly omitted: readonly string[];
      readonly uncertain: readonly string[];
      readonly gated?: readonly string[];
    }
  /** The plan does not create a flag whose declared filters have such a format. */
  | { readonly code: 'create_opaque'; readonly format: string }
  | { readonly code: 'unarchives'; readonly id: number }
  /** Others decide about values of this declared element, but no live element corresponds to it: the declared values are written. */
  | { readonly code: 'ownership_unpaired'; readonly path: string }
  /** The service will change the flag by itself; `id`: of the schedule. */
  | {
      readonly code: 'scheduled';
      readonly id: number;
      /** The service's form of the time. */
      readonly at: string;
      readonly operation: string;
      /** The new value of `active`, for a change of the status. */
      readonly value?: boolean;
      /** `weekly`, or a cron expression. */
      readonly repeats?: string;
    }
  /**
   * A declared flag is disabled, and no change of the plan enables it; this change request should have. `not_requested`: the request
   * created the flag disabled, and nobody asked for more.
   */
  | {
      readonly code: 'not_enabled';
      readonly request: string;
      readonly url?: string;
      readonly state: 'open' | 'rejected' | 'withdrawn' | 'failed' | 'expired' | 'not_requested';
      /** The user who opened, rejected or withdrew it. */
      readonly by?: string;
      readonly reason?: string;
    }
  /** The plan enables a flag that somebody disabled in the service; there is no base, so it is unknown whether git changed since. */
  | { readonly code: 'turned_off'; readonly at: string; readonly by?: string }
  | UseAffected
  /** Another effect of turning the flag off by `off`, or an obstacle. */
  | {
      readonly code: 'off_affects';
      readonly id: number;
      /** Only in plans of earlier releases, as the next: `use_affected` has them now. */
      readonly experiments?: readonly number[];
      readonly linked?: readonly number[];
      readonly encrypted?: true;
      /** The format of filters that only the service writes. */
      readonly format?: string;
    }
  /** A part of `filters` that no manifest declares excludes `percent` of all people from the flag. */
  | { readonly code: 'holdout_undeclared'; readonly part: 'holdout' | 'holdout_groups'; readonly percent: number }
  /** A part of `filters` that no manifest declares decides before any condition. */
  | { readonly code: 'early_access_undeclared'; readonly part: 'super_groups' | 'feature_enrollment' }
);

/** What in the service uses a flag. */
export interface FlagUses {
  /** Ids of its experiments that run. */
  readonly experiments?: readonly number[];
  /** Ids of its experiments of which the service does not say whether they run. */
  readonly linked?: readonly number[];
  /** Names of surveys that are shown to people who have it. */
  readonly surveys?: readonly string[];
  /** The settings of session replay name it. */
  readonly replay?: true;
  /** People can enroll in it. */
  readonly enrollment?: true;
}

/** A change harms what uses the flag. `shares`: those of its variants. */
export interface UseAffected extends FlagUses {
  readonly code: 'use_affected';
  readonly key: string;
  readonly id: number;
  readonly action: 'disable' | 'delete' | 'rename' | 'shares';
}

/** A change that would harm more than the flag itself. `permit`: absent if the service refuses the change anyway. */
export type FlagRisk = { readonly ref: string; readonly key: string } &
  /** Variants of a running experiment would be removed. */
  (
    | {
        readonly code: 'experiment_variants';
        readonly variants: readonly string[];
        readonly experiments: readonly { readonly id: number; readonly name?: string }[];
        readonly permit?: undefined;
      }
    /** The flag would be deleted, and session replay uses it. */
    | { readonly code: 'replay_linked'; readonly permit?: undefined }
    /** `experiments`: the ids of those of a flag that would be deleted. */
    | { readonly code: 'experiments'; readonly experiments: readonly number[]; readonly permit?: Permit }
    | {
        readonly code: 'dependents';
        readonly action: 'delete' | 'disable';
        /** Keys of the active flags that would still depend on it. */
        readonly dependents: readonly string[];
        /** The active flags that depend on it, directly or not, in an order in which they can be disabled. */
        readonly first?: readonly string[];
        /** The number of conditions; absent if it has none, or if something else decides before them. */
        readonly conditions?: number;
        readonly permit?: Permit;
      }
    /** The plan enables the flag, which depends on disabled ones. */
    | {
        readonly code: 'dependencies_disabled';
        readonly dependencies: readonly string[];
        /** The disabled flags on which it depends, directly or not, in an order in which they can be enabled. */
        readonly first: readonly string[];
        readonly permit?: undefined;
      }
    /** People disabled or deleted the flag since the base, or turned it off with `off`, and the plan would revert that. */
    | {
        readonly code: 'switched_off';
        readonly deleted?: true;
        /** The recorded run of `off` that did it, with or without a base. */
        readonly off?: TurnedOff;
        /** The entry of the activity log about it, without a base. */
        readonly edit?: { readonly at: string; readonly by?: string };
        readonly permit: Permit;
      }
    /** The service will change the same parts of the flag by itself after the plan: the two were decided separately. */
    | {
        readonly code: 'schedule_conflict';
        readonly parts: readonly FlagPart[];
        /** The scheduled changes that touch them, by their ids. */
        readonly schedules: readonly number[];
        /** The time of the first of them. */
        readonly at: string;
        readonly permit: Permit;
      }
    /**
     * The plan makes `dependent` depend on the flag, or enables it, and leaves what people did to the flag: the service refuses both
     * together.
     */
    | {
        readonly code: 'dependency_left';
        readonly dependent: string;
        /** `cycle`: people made it depend on `dependent`. */
        readonly why: 'deleted' | 'disabled' | 'cycle';
        readonly permit: Permit;
      }
  );

/** A part of a flag that scheduled changes write, and plans too. */
export type FlagPart = 'active' | 'conditions' | 'variants';
