/** Chooses the rows of a comparison of projects for a report, and counts them. */

import { mapFamilies } from '../posthog/families.ts';
import type { FamilyName } from '../posthog/kind-types.ts';
import type { Parity, ParityRow } from '../posthog/parity/parity.ts';
import type { ReportOf } from './report.ts';
import { readName } from '../posthog/names/resource-name.ts';

/** Declared differences are shown on request. */
export function shownRows({ parity, withDeclared }: ReportOf<'parity'>): readonly ParityRow[] {
  return withDeclared ? parity.rows : parity.rows.filter(({ declared }) => !declared);
}

/** `declared`, `undeclared`: differences; of each family the resources with one that no manifest declares. */
export interface ParityCounts extends Readonly<Record<FamilyName, number>> {
  readonly declared: number;
  readonly undeclared: number;
}

export function countParity({ rows }: Parity): ParityCounts {
  const undeclared = rows.filter((row) => !row.declared);
  const sections = [...new Set(undeclared.map(({ key }) => key))].map((key) => readName(key).section);
  const amounts = mapFamilies<Record<FamilyName, number>>(
    ({ section }) => sections.filter((one) => one === section).length,
  );
  return { declared: rows.length - undeclared.length, undeclared: undeclared.length, ...amounts };
}
