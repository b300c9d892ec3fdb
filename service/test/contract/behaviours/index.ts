/** All behaviours. */

import type { Behaviour } from '../behaviour.ts';
import { ACCESS } from './access.ts';
import { ALERT_BEHAVIOURS } from './alerts.ts';
import { ANALYSIS } from './analysis.ts';
import { APPROVALS } from './approvals.ts';
import { COHORTS } from './cohorts.ts';
import { EARLY_ACCESS } from './early-access.ts';
import { EVALUATION } from './evaluation.ts';
import { FLAG_ACTIONS } from './flag-actions.ts';
import { FLAG_FILTERS } from './flag-filters.ts';
import { FLAGS } from './flags.ts';
import { KEPT_OBJECTS } from './kept-objects.ts';
import { OFREP } from './ofrep.ts';
import { PERSON_LIST } from './person-list.ts';
import { PERSON_WRITES } from './person-writes.ts';
import { REFUSALS } from './refusals.ts';
import { ROLE_ACCESS } from './role-access.ts';
import { SCHEDULED_CHANGES } from './scheduled-changes.ts';
import { SDK } from './sdk.ts';

export const BEHAVIOURS: readonly Behaviour[] = [
  ...FLAGS,
  ...FLAG_ACTIONS,
  ...FLAG_FILTERS,
  ...ROLE_ACCESS,
  ...ACCESS,
  ...COHORTS,
  ...EARLY_ACCESS,
  ...KEPT_OBJECTS,
  ...ALERT_BEHAVIOURS,
  ...SCHEDULED_CHANGES,
  ...APPROVALS,
  ...PERSON_LIST,
  ...ANALYSIS,
  ...EVALUATION,
  ...SDK,
  ...OFREP,
  ...PERSON_WRITES,
  ...REFUSALS,
];
