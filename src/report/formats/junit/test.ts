/** What `test` found as JUnit XML: a suite for each project, a case for each expected answer. */

import type { Case } from '../../../expectations/verdict.ts';
import type { ReportOf } from '../../report.ts';
import { repositoryFile, type View } from '../../view.ts';
import { caseTitle, unmetText } from '../../words/verdicts.ts';
import { caseEntry } from '../../model/test.ts';
import { entryText } from '../text/group.ts';
import { junitText, type JunitCase, type Verdict } from './suites.ts';

export function testXml({ projects, cases }: ReportOf<'test'>, view: View): string {
  const named = cases.map((one) => ({ ...one, place: { ...one.place, file: repositoryFile(one.place, view) } }));
  return junitText(
    projects.map((name) => ({ name, cases: named.filter(({ project }) => project === name).map(toCase) })),
  );
}

function toCase(one: Case): JunitCase {
  return { name: caseTitle(one), group: one.place.file, verdict: verdictOf(one) };
}

/** An unknown answer is an error: the case could not be decided. */
function verdictOf(one: Case): Verdict {
  const { outcome } = one.verdict;
  if (outcome === 'passed') return { is: 'passed' };
  const detail = entryText(caseEntry(one), { head: 0, lines: 2 });
  return { is: outcome === 'failed' ? 'failed' : 'error', message: unmetText(one), detail };
}
