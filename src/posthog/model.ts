/** The types that the kinds of PostHog resources share. */

import type { Kind, Model } from '../engine/kind.ts';
import type { LiveCohort } from './cohort/snapshot.ts';
import type { DesiredCohort, DesiredFlag } from './desired.ts';
import type { Flag } from './flag/flag.ts';
import type { Change, PlanTypes } from './plan.ts';
import type { KindWriter } from './run-state.ts';
import type { ProjectSnapshot } from './snapshot.ts';
import type { PlanKeys, WantedState } from './wanted.ts';

export interface PostHog extends PlanTypes, Model {
  readonly change: Change;
  readonly warning: PlanTypes['warning'];
  readonly risk: PlanTypes['risk'];
  readonly desired: DesiredFlag | DesiredCohort;
  readonly live: Flag | LiveCohort;
  readonly snapshot: ProjectSnapshot;
}

/** A kind with what reading and writing ask about it. */
export interface PostHogKind<
  Made extends Change = Change,
  Desired extends PostHog['desired'] = PostHog['desired'],
  Live extends PostHog['live'] = PostHog['live'],
> extends Kind<PostHog, Made, Desired, Live> {
  readonly reads: Reads<Made, Desired>;
  readonly writer: KindWriter<Made>;
}

/** What must be read of the service. */
export interface Reads<Made extends Change, Desired extends PostHog['desired'] = DesiredFlag> {
  toPlan(desired: Desired): Partial<WantedState>;
  /** Right before the change is applied. */
  toApply(change: Made, keys: PlanKeys): Partial<WantedState>;
  /** `answered`: the id that the service answered to the change. */
  toUndo(change: Made, answered: number | undefined): Partial<WantedState>;
}
