/** The list of the checks on one flag's filters. To add one: a file beside this, and a line here. */

import type { Filters } from '../../model/flag.ts';
import { checkAggregation } from './aggregation.ts';
import type { Finding } from './finding.ts';
import { checkMembers } from './members.ts';
import { checkOperators } from './operators.ts';
import { checkPayloads } from './payloads.ts';
import { checkVariants } from './variants.ts';

const CHECKS: readonly ((filters: Filters) => readonly Finding[])[] = [
  checkMembers,
  checkVariants,
  checkPayloads,
  checkOperators,
  checkAggregation,
];

export function checkFilters(filters: Filters): Finding[] {
  return CHECKS.flatMap((check) => check(filters));
}
