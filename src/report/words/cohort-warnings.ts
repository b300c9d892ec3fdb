/** The sentences for the warnings about cohorts. */

import type { Quote } from '../../engine/labels.ts';
import type { CohortWarning, PlanWarning } from '../../posthog/plan.ts';
import { count } from './count.ts';
import { keysText } from './lists.ts';

export function isCohortWarning(warning: PlanWarning): warning is CohortWarning {
  return warning.code in TEXTS;
}

export function cohortWarningText(warning: CohortWarning, quote: Quote): string {
  const text = TEXTS[warning.code] as (warning: CohortWarning, quote: Quote) => string;
  return `${quote(warning.key)}: ${text(warning, quote)}`;
}

type Texts = {
  readonly [Code in CohortWarning['code']]: (warning: Extract<CohortWarning, { code: Code }>, quote: Quote) => string;
};

const TEXTS: Texts = {
  cohort_flags: ({ action, flags }, quote) =>
    `${WRITES[action]} this cohort concerns ${count(flags.length, 'flag')} with conditions on it: ${keysText(flags, quote)}.`,
  cohort_calculating: ({ cohort }, quote) =>
    `it gets conditions on the cohort ${quote(cohort)}, whose members are still being computed then.`,
  cohort_static: ({ id }) =>
    `the cohort of the project (id ${id}) is static, a list of persons. It is left alone: only dynamic cohorts can be declared.`,
  cohort_behavioral: ({ flags }, quote) =>
    `its definition depends on events, and flags use it (${keysText(flags, quote)}). The service will refuse the change.`,
};

const WRITES: Readonly<Record<Extract<CohortWarning, { code: 'cohort_flags' }>['action'], string>> = {
  create: 'creating',
  update: 'changing',
  restore: 'restoring',
  delete: 'deleting',
};
