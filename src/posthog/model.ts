/** The types that the kinds of PostHog resources share. */

import type { Kind, Model } from '../engine/kind.ts';
import type { DesiredFlag } from './desired.ts';
import type { Flag } from './flag/flag.ts';
import type { Change, PlanTypes } from './plan.ts';
import type { ProjectSnapshot } from './snapshot.ts';

export interface PostHog extends PlanTypes, Model {
  readonly change: Change;
  readonly warning: PlanTypes['warning'];
  readonly risk: PlanTypes['risk'];
  readonly desired: DesiredFlag;
  readonly live: Flag;
  readonly snapshot: ProjectSnapshot;
}

export type PostHogKind<Made extends Change = Change> = Kind<PostHog, Made>;
