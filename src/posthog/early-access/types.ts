/** The types of early access features as a kind of resource. */

import type { DesiredFeature, FeatureSnapshot, LiveFeature, MatchedFeature } from './feature.ts';
import type { FeatureChange, FeatureRisk, FeatureWarning } from './change.ts';
import type { EarlyAccessProblems } from './problems.ts';
import type { FeatureRun } from './run-state.ts';

export interface EarlyAccessTypes {
  readonly section: 'early_access';
  readonly change: FeatureChange;
  readonly warning: FeatureWarning;
  readonly risk: FeatureRisk;
  readonly problems: EarlyAccessProblems;
  readonly desired: DesiredFeature;
  readonly live: LiveFeature;
  readonly matched: MatchedFeature;
  readonly snapshot: FeatureSnapshot;
  readonly run: FeatureRun;
}
