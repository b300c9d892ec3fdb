/** The checks of one flag's filters, which read them as `view.ts` does. A new check is a file and a row here. */

import type { Suggest } from '../../../base/suggest.ts';
import type { Filters } from '../flag.ts';
import { ALL_SOUND, type Soundness } from '../../../manifest/soundness.ts';
import { checkAggregation } from './aggregation.ts';
import type { FlagFinding } from './problems.ts';
import { checkMembers } from './members.ts';
import { checkOperators } from './operators.ts';
import { checkPayloads } from './payloads.ts';
import { checkSize } from './size.ts';
import { checkUnknownMembers } from './unknown-members.ts';
import { checkVariants } from './variants.ts';
import { viewFilters, type FiltersView } from '../view.ts';

const CHECKS: readonly ((view: FiltersView, sound: Soundness, suggest: Suggest) => readonly FlagFinding[])[] = [
  checkMembers,
  checkVariants,
  checkPayloads,
  checkOperators,
  checkAggregation,
  checkSize,
];

/** The checks of values against each other, which are sound each for itself. */
const CHECKS_TOGETHER = [checkVariants, checkPayloads, checkAggregation, checkSize];

export interface FilterContext {
  readonly sound: Soundness;
  readonly suggest: Suggest;
  /** Whether the flag is declared with `unknown_members: allow`. */
  readonly unknownAllowed: boolean;
}

/** `filters` may have mistakes of shape: every check covers only the sound parts. */
export function checkFilters(filters: Filters, { sound, suggest, unknownAllowed }: FilterContext): FlagFinding[] {
  const view = viewFilters(filters);
  return [...CHECKS.flatMap((check) => check(view, sound, suggest)), ...checkUnknownMembers(view, unknownAllowed)];
}

/** `filters` as the service holds them or would: only whether their values fit together. */
export function checkTogether(filters: Filters): FlagFinding[] {
  const view = viewFilters(filters);
  return CHECKS_TOGETHER.flatMap((check) => check(view, ALL_SOUND, () => undefined));
}
