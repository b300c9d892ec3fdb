/** Suites of cases as JUnit XML, in the part of the format that all readers share: the schema of Jenkins accepts nothing else. */

import { placeText, escapeLine } from '../../escape.ts';
import { cutSentence, lastingName, type Remark, wholeText } from '../../model/remark.ts';
import type { ReportOf } from '../../report.ts';
import { repositoryFile, type View } from '../../view.ts';
import { changeName } from '../../model/run-remarks.ts';
import { defined } from '../../../base/optional.ts';
import { MOST_LISTED, type RemarkedKind, remarkList, type RemarkList, shorten } from '../remarks/lists.ts';
import type { ExpectationCase } from '../../../expectations/verdict.ts';
import { caseTitle, unmetText } from '../../words/answers.ts';
import { caseEntry } from '../../model/test.ts';
import { entryText } from '../text/page.ts';
import { memberOf } from '../../../base/json.ts';
import { hiddenText } from '../../words/amounts.ts';

export async function checkedXml(report: ReportOf<RemarkedKind>, view: View): Promise<string> {
  const list = await remarkList(report, view);
  return junitText([{ name: suiteName(list), cases: casesOf(list) }]);
}

export async function resultXml(report: ReportOf<'result'>, view: View): Promise<string> {
  const list = await remarkList(report, view);
  const applied = report.result.changes.flatMap(({ change, result }): JunitCase[] => {
    if (result.outcome !== 'applied') return [];
    const { source } = change;
    const group = source === undefined ? suiteName(list) : repositoryFile(source, view);
    return [{ name: changeName(change), group, verdict: { is: 'passed' } }];
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
  const name = suiteName(list);
  return { name, group: name, verdict: { is: 'passed', ...defined({ said: list.summary }) } };
}

function toCase(remark: Remark, list: RemarkList): JunitCase {
  return { name: lastingName(remark), group: remark.place?.file ?? suiteName(list), verdict: verdictOf(remark) };
}

/**
 * Remarks that refuse the run, or make the command exit with another code than 0, fail. Effects of changes are not problems: they pass. The
 * rest is skipped, since JUnit has no warnings.
 */
function verdictOf(remark: Remark): CaseVerdict {
  const { family, level, place, text } = remark;
  if (family === 'effect') return { is: 'passed', said: wholeText(remark) };
  if (family === 'failure') return { is: 'error', message: text, detail: wholeText(remark) };
  const isFailure = level === 'error' || remark.counts === true || (FAILING.has(family) && level !== 'note');
  const where = place === undefined ? [] : [placeText(place)];
  if (!isFailure) return { is: 'skipped', message: wholeText(remark), detail: where.join('') };
  return { is: 'failed', message: text, detail: [wholeText(remark), ...where].join('\n') };
}

const FAILING: ReadonlySet<Remark['family']> = new Set(['drift', 'outcome', 'remainder']);

export function testXml({ projects, cases }: ReportOf<'test'>, view: View): string {
  return junitText(
    projects.map((name) => ({
      name,
      cases: cases
        .filter(({ project }) => project === name)
        .map((one) => {
          const place = { ...one.place, file: repositoryFile(one.place, view) };
          return { name: caseTitle(one), group: place.file, verdict: verdictOfTest({ ...one, place }) };
        }),
    })),
  );
}

/** An unknown answer is an error: the case could not be decided. */
function verdictOfTest(one: ExpectationCase): CaseVerdict {
  const { outcome } = one.verdict;
  if (outcome === 'passed') return { is: 'passed' };
  const detail = entryText(caseEntry(one), { head: 0, lines: 2 });
  return { is: outcome === 'failed' ? 'failed' : 'error', message: unmetText(one), detail };
}

export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
  readonly seconds?: number;
}

export interface JunitCase {
  readonly name: string;
  /** Readers list the cases of a group together: a file, or a project. */
  readonly group: string;
  readonly verdict: CaseVerdict;
}

/**
 * `said`: what a passed case still reports. `error`: the case could not be decided. `message`: on one line; `detail`: everything, with line
 * breaks.
 */
export type CaseVerdict =
  | { readonly is: 'passed'; readonly said?: string }
  | { readonly is: 'failed' | 'error' | 'skipped'; readonly message: string; readonly detail: string };

export function junitText(whole: readonly JunitSuite[]): string {
  const suites = shortenSuites(whole).map(withOwnNames);
  const { tests, failures, errors } = countsOf(suites.flatMap((suite) => suite.cases));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'flagwright', tests, failures, errors })}>`,
    ...suites.flatMap(suiteLines),
    '</testsuites>',
    '',
  ].join('\n');
}

const NOUNS: Readonly<Record<CaseVerdict['is'], string>> = {
  error: 'error',
  failed: 'failure',
  skipped: 'skipped case',
  passed: 'passed case',
};

/** A reader takes cases of the same name for one. */
function withOwnNames(suite: JunitSuite): JunitSuite {
  const seen = new Map<string, number>();
  const cases = suite.cases.map((one) => {
    const name = `${one.group}\n${one.name}`;
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    return number === 1 ? one : { ...one, name: `${one.name} (${number})` };
  });
  return { ...suite, cases };
}

/** The last case of a list that is too long says what it lacks. */
function shortenSuites(suites: readonly JunitSuite[]): readonly JunitSuite[] {
  const all = suites.flatMap(({ cases }) => cases);
  const { shown, hidden } = shorten(all, ({ verdict }) => verdict.is, {
    sorts: ['error', 'failed', 'skipped', 'passed'],
    total: MOST_LISTED,
  });
  if (hidden.length === 0) return suites;
  const kept = new Set(shown);
  const shortened = suites.map((suite) => ({ ...suite, cases: suite.cases.filter((one) => kept.has(one)) }));
  const verdict = { is: 'skipped', message: hiddenText(hidden, NOUNS), detail: '' } as const;
  const note = { name: 'report/shortened', group: 'flagwright', verdict };
  return [...shortened, { name: 'flagwright', cases: [note] }];
}

function suiteLines({ name, cases, seconds }: JunitSuite): string[] {
  const time = seconds === undefined ? {} : { time: seconds.toFixed(3) };
  return [
    `  <testsuite${attributes({ name, ...countsOf(cases), ...time })}>`,
    ...cases.flatMap(caseLines),
    '  </testsuite>',
  ];
}

function countsOf(cases: readonly JunitCase[]): Readonly<Record<'tests' | 'failures' | 'errors' | 'skipped', string>> {
  const amount = (wanted: CaseVerdict['is']): string =>
    String(cases.filter(({ verdict }) => verdict.is === wanted).length);
  const [failures, errors, skipped] = [amount('failed'), amount('error'), amount('skipped')];
  return { tests: String(cases.length), failures, errors, skipped };
}

function caseLines({ name, group, verdict }: JunitCase): string[] {
  const head = `    <testcase${attributes({ name, classname: group })}`;
  const content = contentOf(verdict);
  return content === undefined ? [`${head}/>`] : [`${head}>`, `      ${content}`, '    </testcase>'];
}

const ELEMENTS = { failed: 'failure', error: 'error', skipped: 'skipped' } as const;

function contentOf(verdict: CaseVerdict): string | undefined {
  if (verdict.is === 'passed') {
    const { said } = verdict;
    return said === undefined ? undefined : `<system-out>${escapeXml(cutSentence(escapeLine(said)))}</system-out>`;
  }
  const { is, message, detail } = verdict;
  const element = ELEMENTS[is];
  const lines = detail.split('\n').map((line) => escapeXml(cutSentence(escapeLine(line))));
  const head = `${element}${attributes({ message: cutSentence(escapeLine(message)) })}`;
  return detail === '' ? `<${head}/>` : `<${head}>${lines.join('\n')}</${element}>`;
}

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join('');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML has no way to write a control character: it becomes a visible escape. */
function escapeXml(text: string): string {
  return escapeLine(text).replaceAll(/[&<>"]/g, (character) => memberOf(ENTITIES, character) ?? character);
}
