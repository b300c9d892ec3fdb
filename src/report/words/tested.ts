/** How many expectations hold. */

import type { Outcome } from '../../expectations/verdict.ts';
import type { ReportOf } from '../report.ts';
import { count } from './count.ts';

/** `Tests: 3 passed, 1 failed · 2 people, 3 flags, 2 projects in 1 file`. */
export function testedText({ cases, files, people, projects }: ReportOf<'test'>): string {
  const found = ORDER.map((outcome) => ({ outcome, amount: countOutcome(cases, outcome) }))
    .filter(({ amount, outcome }) => amount > 0 || outcome === 'passed')
    .map(({ outcome, amount }) => `${amount} ${outcome}`);
  const flags = new Set(cases.map(({ flag }) => flag)).size;
  const size = [count(people, 'person', 'people'), count(flags, 'flag'), count(projects.length, 'project')];
  return `Tests: ${found.join(', ')} · ${size.join(', ')} in ${count(files, 'file')}`;
}

const ORDER: readonly Outcome[] = ['passed', 'failed', 'undecided'];

export function countOutcome(cases: ReportOf<'test'>['cases'], wanted: Outcome): number {
  return cases.filter(({ verdict }) => verdict.outcome === wanted).length;
}
