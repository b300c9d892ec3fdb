/** What a command found as cases: one for each remark and each applied change, and one for the whole where nothing failed. */

import { quoteShort } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import { repositoryFile, type View } from '../../view.ts';
import { labelsOf } from '../../words/kinds.ts';
import { placeText } from '../text/place.ts';
import { nameOfRule, wholeText, type Remark } from '../remarks/remark.ts';
import { tell, type RemarkedKind, type Told } from '../remarks/remarks-of.ts';
import { junitText, type JunitCase, type Verdict } from './suites.ts';

export function checkedXml(report: ReportOf<RemarkedKind>, view: View): string {
  const told = tell(report, view);
  return junitText([{ name: suiteName(told), cases: casesOf(told) }]);
}

export function resultXml(report: ReportOf<'result'>, view: View): string {
  const told = tell(report, view);
  const applied = report.result.changes.flatMap(({ change, result }): JunitCase[] => {
    if (result.outcome !== 'applied') return [];
    const { action, key, source } = change;
    const name = `${action} of ${quoteShort(key)}${labelsOf(change).target(change, quoteShort)}`;
    const group = source === undefined ? suiteName(told) : repositoryFile(source, view);
    return [{ name, group, verdict: { is: 'passed' } }];
  });
  const cases = [...applied, ...told.remarks.map((remark) => toCase(remark, told))];
  const seconds = report.durationMs / 1_000;
  return junitText([{ name: suiteName(told), cases: cases.length > 0 ? cases : [whole(told)], seconds }]);
}

function suiteName({ command = 'flagwright', project }: Told): string {
  return project === undefined ? command : `${command} ${project}`;
}

/** Readers take a file without cases for one that is broken. */
function casesOf(told: Told): readonly JunitCase[] {
  const cases = told.remarks.map((remark) => toCase(remark, told));
  const isBad = ({ verdict }: JunitCase): boolean => verdict.is === 'failed' || verdict.is === 'error';
  return cases.some(isBad) ? cases : [whole(told), ...cases];
}

function whole(told: Told): JunitCase {
  return { name: told.summary ?? 'nothing', group: suiteName(told), verdict: { is: 'passed' } };
}

function toCase(remark: Remark, told: Told): JunitCase {
  const { place, text } = remark;
  return {
    name: `${nameOfRule(remark)}: ${quoteShort(text, 160)}`,
    group: place?.file ?? suiteName(told),
    verdict: verdictOf(remark),
  };
}

/**
 * What refuses the run, or makes the command exit with another code than 0, fails. What a change does is nothing wrong: it
 * passes. The rest is shown as skipped, since JUnit has no warnings.
 */
function verdictOf(remark: Remark): Verdict {
  const { family, level, place, text } = remark;
  if (family === 'effect') return { is: 'passed' };
  if (family === 'failure') return { is: 'error', message: text, detail: wholeText(remark) };
  const isFailure = level === 'error' || remark.counts === true || (FAILING.has(family) && level !== 'note');
  const where = place === undefined ? [] : [placeText(place)];
  if (!isFailure) return { is: 'skipped', message: wholeText(remark), detail: where.join('') };
  return { is: 'failed', message: text, detail: [wholeText(remark), ...where].join('\n') };
}

const FAILING: ReadonlySet<Remark['family']> = new Set(['drift', 'outcome', 'remainder']);
