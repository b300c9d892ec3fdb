/** The list of the checks on one flag's filters. To add one: a file beside this, and a line here. */

import type { Suggest } from '../../../base/suggest.ts';
import type { Filters } from '../flag.ts';
import type { Soundness } from '../../../manifest/soundness.ts';
import { checkAggregation } from './aggregation.ts';
import type { FlagFinding } from './problems.ts';
import { checkMembers } from './members.ts';
import { checkOperators } from './operators.ts';
import { checkPayloads } from './payloads.ts';
import { checkSize } from './size.ts';
import { checkVariants } from './variants.ts';

const CHECKS: readonly ((filters: Filters, sound: Soundness, suggest: Suggest) => readonly FlagFinding[])[] = [
  checkMembers,
  checkVariants,
  checkPayloads,
  checkOperators,
  checkAggregation,
  checkSize,
];

/** `filters` may hold mistakes of shape: every check says what is true of the parts that are sound. */
export function checkFilters(filters: Filters, sound: Soundness, suggest: Suggest): FlagFinding[] {
  return CHECKS.flatMap((check) => check(filters, sound, suggest));
}
