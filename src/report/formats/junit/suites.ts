/** Suites of cases as JUnit XML, in the part of the format that all readers share: the schema of Jenkins accepts nothing else. */

import { memberOf } from '../../../base/json.ts';
import { escapeLine } from '../../escape.ts';
import { hiddenText } from '../../words/hidden.ts';
import { MOST_LISTED } from '../remarks/listed.ts';
import { cutSentence } from '../../model/remarks/remark.ts';
import { shorten } from '../remarks/shorten.ts';

export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
  readonly seconds?: number;
}

export interface JunitCase {
  readonly name: string;
  /** Readers list the cases of a group together: a file, or a project. */
  readonly group: string;
  readonly verdict: Verdict;
}

/** `error`: the case could not be decided. `message`: on one line; `detail`: everything, with line breaks. */
export type Verdict =
  | { readonly is: 'passed' }
  | { readonly is: 'failed' | 'error' | 'skipped'; readonly message: string; readonly detail: string };

export function junitText(whole: readonly JunitSuite[]): string {
  const suites = shortenSuites(whole);
  const { tests, failures, errors } = countsOf(suites.flatMap((suite) => suite.cases));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'flagwright', tests, failures, errors })}>`,
    ...suites.flatMap(suiteLines),
    '</testsuites>',
    '',
  ].join('\n');
}

const NOUNS: Readonly<Record<Verdict['is'], string>> = {
  error: 'error',
  failed: 'failure',
  skipped: 'skipped case',
  passed: 'passed case',
};

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
  const message = hiddenText(hidden, NOUNS);
  const note: JunitCase = {
    name: 'report/shortened',
    group: 'flagwright',
    verdict: { is: 'skipped', message, detail: '' },
  };
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
  const amount = (wanted: Verdict['is']): string => String(cases.filter(({ verdict }) => verdict.is === wanted).length);
  return {
    tests: String(cases.length),
    failures: amount('failed'),
    errors: amount('error'),
    skipped: amount('skipped'),
  };
}

function caseLines({ name, group, verdict }: JunitCase): string[] {
  const head = `    <testcase${attributes({ name, classname: group })}`;
  if (verdict.is === 'passed') return [`${head}/>`];
  return [`${head}>`, `      ${verdictElement(verdict)}`, '    </testcase>'];
}

const ELEMENTS = { failed: 'failure', error: 'error', skipped: 'skipped' } as const;

function verdictElement({ is, message, detail }: Exclude<Verdict, { readonly is: 'passed' }>): string {
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
