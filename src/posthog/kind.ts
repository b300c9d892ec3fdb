/** What a kind of PostHog resources is: what the engine asks about it, and what reading and writing ask besides. */

import type { JsonObject } from '../base/json.ts';
import type { Kind, Model } from '../core/engine/kind.ts';
import type { ResourceId } from '../core/engine/snapshot.ts';
import type { DesiredFlag, DesiredState } from './desired.ts';
import type { Family } from './family.ts';
import type { Flag } from './flag/model/flag.ts';
import type { KindScopes } from './key-scopes.ts';
import type { FamilyName, FamilyTypes, KindName, KindTypes, OwnKind } from './kind-types.ts';
import type { LiveState } from './live.ts';
import type { PlanKeys, LiveSelection } from './live-selection.ts';
import type { Change, PlanTypes } from './plan.ts';
import type { KindWriter } from './run-state.ts';
import type { ProjectSnapshot } from './snapshot.ts';

export interface PostHog extends PlanTypes, Model {
  readonly change: Change;
  readonly warning: PlanTypes['warning'];
  readonly risk: PlanTypes['risk'];
  readonly desired: FamilyTypes[FamilyName]['desired'];
  readonly live: FamilyTypes[FamilyName]['matched'];
  readonly snapshot: ProjectSnapshot;
}

/** A kind with what reading and writing ask about it. */
export interface PostHogKind<
  Made extends Change = Change,
  Desired extends PostHog['desired'] = PostHog['desired'],
  Live extends PostHog['live'] = PostHog['live'],
> extends Kind<PostHog, Made, Desired, Live> {
  /** Present for a main kind. */
  readonly family?: Family;
  /** Whether a project has resources of the kind: a run skips all other kinds. */
  isPresent(states: KnownStates): boolean;
  /** A resource that a run leaves in part counts as left, since its fields mean something only together. */
  readonly isLeftWhole?: true;
  /** The parts of a warning of the kind that no plan can write. */
  findUnwritableParts(warning: PlanTypes['warning']): readonly UnwritablePart[];
  /** A resource that is a definition by itself: before and after the change that makes it, in the form in which it is compared. */
  definition?(change: Made): { readonly before?: JsonObject; readonly after?: JsonObject };
  /** The requests for state from the service. */
  readonly reads: {
    toPlan(desired: Desired): Partial<LiveSelection>;
    /** Right before the change is applied. */
    toApply(change: Made, keys: PlanKeys): Partial<LiveSelection>;
    /** `answered`: the id that the service answered to the change. */
    toUndo(change: Made, answered: ResourceId | undefined): Partial<LiveSelection>;
  };
  readonly writer: KindWriter<Made>;
  readonly scopes: KindScopes;
  /** @throws {FlagwrightError} `manifest_invalid` for what the project's service cannot hold. */
  refuse?(desired: DesiredState, snapshot: ProjectSnapshot): void;
}

/** What is known of a project. `former`: what the base declared. */
export interface KnownStates {
  readonly desired: DesiredState;
  readonly live?: LiveState;
  readonly former?: DesiredState | undefined;
}

/** A difference that no plan can write. `key`: the name in options. Without `fields`, the whole resource. */
export interface UnwritablePart {
  readonly key: string;
  readonly fields?: readonly string[];
  /** The resource is not as declared although the plan has no change of it. */
  readonly isOutOfPlan?: true;
}

/** The kind with a name: a main kind has a family, a kind attached to flags has none. */
export type KindOf<Name extends KindName> = Name extends OwnKind
  ? PostHogKind<KindTypes[Name]['change'], KindTypes[Name]['desired'], KindTypes[Name]['matched']> & {
      readonly name: Name;
      readonly family: Family<KindTypes[Name]['section']>;
    }
  : PostHogKind<KindTypes[Name]['change'], DesiredFlag, Flag> & { readonly name: Name; readonly attachedTo: OwnKind };
