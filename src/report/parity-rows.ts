/** Which rows of a comparison of projects a report shows, and how many it has of each. */

import type { Parity, ParityRow } from '../posthog/parity/parity.ts';
import type { ReportOf } from './report.ts';
import { isOfMain } from '../posthog/resource-name.ts';

/** Declared differences are shown on request. */
export function shownRows({ parity, withDeclared }: ReportOf<'parity'>): readonly ParityRow[] {
  return withDeclared ? parity.rows : parity.rows.filter(({ declared }) => !declared);
}

export interface ParityCounts {
  readonly declared: number;
  readonly undeclared: number;
  /** With a difference that no manifest declares. */
  readonly flags: number;
  readonly cohorts: number;
}

export function countParity({ rows }: Parity): ParityCounts {
  const undeclared = rows.filter((row) => !row.declared);
  const keys = [...new Set(undeclared.map(({ key }) => key))];
  const cohorts = keys.filter((key) => !isOfMain(key)).length;
  return {
    declared: rows.length - undeclared.length,
    undeclared: undeclared.length,
    flags: keys.length - cohorts,
    cohorts,
  };
}
