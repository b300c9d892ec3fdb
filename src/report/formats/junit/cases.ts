/** What a command found as cases: one for each remark and each applied change, and one for the whole where nothing failed. */

import { placeText, quoteShort } from '../../escape.ts';
import { nameOfRule, wholeText, type Remark } from '../../model/remarks/remark.ts';
import type { ReportOf } from '../../report.ts';
import { repositoryFile, type View } from '../../view.ts';
import { labelsOf } from '../../words/kinds.ts';
import { remarkList, type RemarkedKind, type RemarkList } from '../remarks/forms.ts';
import { junitText, type JunitCase, type Verdict } from './suites.ts';

export async function checkedXml(report: ReportOf<RemarkedKind>, view: View): Promise<string> {
  const list = await remarkList(report, view);
  return junitText([{ name: suiteName(list), cases: casesOf(list) }]);
}

export async function resultXml(report: ReportOf<'result'>, view: View): Promise<string> {
  const list = await remarkList(report, view);
  const applied = report.result.changes.flatMap(({ change, result }): JunitCase[] => {
    if (result.outcome !== 'applied') return [];
    const { action, key, source } = change;
    const name = `${action} of ${quoteShort(key)}${labelsOf(change).target(change, quoteShort)}`;
    const group = source === undefined ? suiteName(list) : repositoryFile(source, view);
    return [{ name, group, verdict: { is: 'passed' } }];
  });
  const cases = [...applied, ...list.remarks.map((remark) => toCase(remark, list))];
  const seconds = report.durationMs / 1_000;
  return junitText([{ name: suiteName(list), cases: cases.length > 0 ? cases : [whole(list)], seconds }]);
}

function suiteName({ command = 'flagwright', project }: RemarkList): string {
  return project === undefined ? command : `${command} ${project}`;
}

/** Readers take a file without cases for one that is broken. */
function casesOf(list: RemarkList): readonly JunitCase[] {
  const cases = list.remarks.map((remark) => toCase(remark, list));
  const isBad = ({ verdict }: JunitCase): boolean => verdict.is === 'failed' || verdict.is === 'error';
  return cases.some(isBad) ? cases : [whole(list), ...cases];
}

function whole(list: RemarkList): JunitCase {
  return { name: list.summary ?? 'nothing', group: suiteName(list), verdict: { is: 'passed' } };
}

function toCase(remark: Remark, list: RemarkList): JunitCase {
  const { place, text } = remark;
  return {
    name: `${nameOfRule(remark)}: ${quoteShort(text, 160)}`,
    group: place?.file ?? suiteName(list),
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
