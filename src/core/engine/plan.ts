/**
 * The plan: the differences (`fields`), the request that fixes them (`body`), and what is unsafe about it (`hazards`). A plan is a JSON
 * value; saved to a file, it is all that `apply` needs.
 */

import type { PlannedRollout, RolloutChange } from '../rollout/rollout.ts';
import type { BaseFacts, EarlierBase, Released } from './base.ts';
import type { Change } from './change.ts';
import type { LeftChange } from './matched.ts';
import type { ObservedValue } from './ownership.ts';
import type { ProjectIdentity } from './project.ts';
import type { LiftedHazard, OfStep, RiskHazard, RuleHazard, SafetySource } from './safety.ts';
import type { ResourceId } from './snapshot.ts';
import type { UnknownReason } from './trace.ts';

/** The parts of a plan that the kinds of resources decide. */
export interface PlanTypes {
  readonly change: Change;
  readonly warning: Warning;
  readonly risk: RiskHazard;
}

/** The ids that a plan adds to those that were recorded, and the names that it takes from them. */
export type Identified = Readonly<Record<string, ResourceId | null>>;

export interface Plan<Types extends PlanTypes = PlanTypes> {
  readonly project: ProjectIdentity;
  /** The recorded run that the plan reverts. */
  readonly undoes?: string;
  /** Present in a plan of `off`, which turns flags off in the service without manifests. */
  readonly off?: SwitchOff;
  /**
   * The commit whose manifests the plan makes live. Absent if no commit has the manifests as they were read, or if the plan covers only a
   * part of them.
   */
  readonly commit?: string;
  /** The base that distinguishes pending changes from drift; absent if none was looked for. */
  readonly base?: BaseFacts;
  /** The source of limits and protected flags; absent without a base, and for runs that are not judged. */
  readonly safety?: SafetySource;
  readonly summary: PlanSummary<Types['change']>;
  /** The changes in the order in which apply starts them; each follows the ones that it needs. */
  readonly changes: readonly Types['change'][];
  /** Hazards that no exception lifts; one refuses the whole run. */
  readonly hazards: readonly ((RuleHazard | Types['risk']) & OfStep)[];
  /** Keys of live flags that no manifest names, sorted; those outside `scope` are only counted. */
  readonly unmanaged: readonly string[];
  /** Resources that only the base declared, sorted by key; absent without a base. */
  readonly released?: readonly Released[];
  /** Differences that stay as they are live; absent if there are none. */
  readonly left?: readonly LeftChange[];
  /** Declared differences that the plan does not make: an apply records where they were applied last. Absent if there are none. */
  readonly unrecorded?: readonly EarlierBase[];
  /**
   * The ids of declared resources, by their names in options, where the base did not record the same: an apply records them. Null: no
   * declaration has the name any more. Absent if there are none.
   */
  readonly identified?: Identified;
  /** The declared values that change over time, with their steps; absent if there are none. */
  readonly rollouts?: readonly PlannedRollout[];
  /** What the plan decides about later steps, beside its changes. Absent if it decides nothing about them, and in a plan with targets. */
  readonly rollout_changes?: readonly RolloutChange[];
  /** The hazards that exceptions lift; absent if there are none. */
  readonly lifted?: readonly LiftedHazard<(RuleHazard | Types['risk']) & OfStep>[];
  /** The number of values that git and the service both moved away from the base, to the same value; absent without a base. */
  readonly converged?: number;
  readonly warnings: readonly Types['warning'][];
  /** Values that others decide and that are not as declared, which is not drift. Absent if nothing differs. */
  readonly observed?: readonly ObservedValue[];
  /**
   * Other names of changed resources, present or former, by their names in options: rules about one of them apply too. Absent if none has
   * any.
   */
  readonly other_names?: Readonly<Record<string, readonly string[]>>;
  /** `sha256:` and the hash of everything above; a plan whose hash differs was edited or cut. */
  readonly fingerprint: string;
}

/** The user's reason to turn flags off. */
export interface SwitchOff {
  readonly reason?: string;
  /** Flags that were off before the run: it wrote nothing to them, and they stay off as those that it turned off. */
  readonly already?: readonly AlreadyOff[];
}

interface AlreadyOff {
  readonly key: string;
  readonly id: number;
  /** JSON pointers of the values that keep it off. */
  readonly paths: readonly string[];
}

/** The number of changes with each action. A resource that takes two writes counts once. */
export type PlanSummary<Made extends Change> = { readonly [action in Made['action']]: number } & {
  /** Managed resources without any change; what is attached to one counts with it. */
  readonly unchanged: number;
  /** All live flags that no manifest names, in scope or not. */
  readonly unmanaged: number;
  /** The same for each kind of resource; absent in a plan of a release that did not count kinds separately, or did not know the kind. */
  readonly kinds?: { readonly [Name in Made['resource']]?: KindSummary<Extract<Made, { readonly resource: Name }>> };
};

/** `unchanged`: absent for a kind that is attached to another one. */
type KindSummary<Made extends Change> = { readonly [action in Made['action']]: number } & {
  readonly unchanged?: number;
};

/** Advice to readers before they apply. */
export interface Warning {
  readonly code: string;
  readonly key: string;
}

/** The warnings that are true of any declared resource. */
export type RuleWarning =
  | { readonly code: 'key_shared'; readonly key: string; readonly ids: readonly ResourceId[] }
  | { readonly code: 'previous_key_live'; readonly key: string; readonly previous: string; readonly id: ResourceId }
  /**
   * The resource with this id had the key (or the `previous` key, and never the key itself): it was renamed outside the manifests, and the
   * plan renames it to the key.
   */
  | {
      readonly code: 'renamed_back';
      readonly key: string;
      readonly previous?: string;
      readonly id: ResourceId;
      readonly current: string;
      readonly since?: string;
    }
  /** The resource was renamed, but the plan leaves it alone and creates another. */
  | {
      readonly code: 'renamed_away';
      readonly key: string;
      readonly previous?: string;
      readonly id: ResourceId;
      readonly current: string;
      readonly since?: string;
      /** `declared`: manifests name its current key. `differs`: only the log names it, and it is not as declared. */
      readonly why: 'declared' | 'differs';
    }
  /** The manifests delete the renamed resource, so the plan does too. */
  | {
      readonly code: 'renamed_deleted';
      readonly key: string;
      readonly id: ResourceId;
      readonly current: string;
      readonly since?: string;
    }
  /** The manifests delete a resource that the base declared and that is not live; whether it was renamed is unknown. */
  | { readonly code: 'retired_unknown'; readonly key: string; readonly why: UnknownReason }
  /** The create destroys a soft-deleted resource with this key, if there is one, which is unknown. */
  | { readonly code: 'deleted_unknown'; readonly key: string; readonly why: UnknownReason }
  /** The plan renames a resource to the key of a soft-deleted one, which destroys that one. */
  | { readonly code: 'destroys_deleted'; readonly key: string; readonly id: ResourceId }
  /** The resource exists here, but manifests name it for other projects only. */
  | { readonly code: 'named_elsewhere'; readonly key: string; readonly id: ResourceId }
  | { readonly code: 'target_unknown'; readonly key: string }
  /** What the plan would be checked against could not be read. `key`: what it is. */
  | { readonly code: 'not_known'; readonly key: 'change_requests' | 'schedules'; readonly why: 'forbidden' | 'failed' }
  | { readonly code: 'protected_unmatched'; readonly key: string }
  /** The change cannot be applied from a saved plan, because no file may hold the secrets. */
  | { readonly code: 'payloads_encrypted'; readonly key: string };

/** The resources of one family that the run looks at. */
export interface FamilyFacts {
  /** The name of the kind of their own. */
  readonly name: string;
  /** The number of live resources that the run may touch: the base of the shares in safety rules. */
  readonly reach: number;
  /** The number without a change. */
  readonly unchanged: number;
}
