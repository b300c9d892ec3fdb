/** Suites of cases as JUnit XML, in the part of the format that all readers share. */

import { escapeLine } from '../../escape.ts';

export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
  readonly seconds?: number;
}

export interface JunitCase {
  readonly name: string;
  /** Readers list the cases of a group together: a file, or a project. */
  readonly group: string;
  readonly file?: string;
  readonly line?: number;
  readonly verdict: Verdict;
}

/** `error`: the case could not be decided. `message`: on one line; `detail`: everything, with line breaks. */
export type Verdict =
  | { readonly is: 'passed' }
  | { readonly is: 'failed' | 'error'; readonly message: string; readonly detail: string }
  | { readonly is: 'skipped'; readonly message: string };

export function junitText(suites: readonly JunitSuite[]): string {
  const cases = suites.flatMap((suite) => suite.cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'flagwright', ...countsOf(cases) })}>`,
    ...suites.flatMap(suiteLines),
    '</testsuites>',
    '',
  ].join('\n');
}

function suiteLines({ name, cases, seconds }: JunitSuite): string[] {
  const time = seconds === undefined ? {} : { time: seconds.toFixed(3) };
  return [
    `  <testsuite${attributes({ name, ...countsOf(cases), ...time })}>`,
    ...cases.flatMap(caseLines),
    '  </testsuite>',
  ];
}

function countsOf(cases: readonly JunitCase[]): Readonly<Record<string, string>> {
  const amount = (wanted: Verdict['is']): string => String(cases.filter(({ verdict }) => verdict.is === wanted).length);
  return {
    tests: String(cases.length),
    failures: amount('failed'),
    errors: amount('error'),
    skipped: amount('skipped'),
  };
}

function caseLines({ name, group, file, line, verdict }: JunitCase): string[] {
  const place = { ...(file === undefined ? {} : { file }), ...(line === undefined ? {} : { line: String(line) }) };
  const head = `    <testcase${attributes({ name, classname: group, ...place })}`;
  if (verdict.is === 'passed') return [`${head}/>`];
  return [`${head}>`, `      ${verdictElement(verdict)}`, '    </testcase>'];
}

function verdictElement(verdict: Exclude<Verdict, { readonly is: 'passed' }>): string {
  const message = attributes({ message: verdict.message });
  if (verdict.is === 'skipped') return `<skipped${message}/>`;
  const element = verdict.is === 'failed' ? 'failure' : 'error';
  const detail = verdict.detail.split('\n').map(escapeXml).join('\n');
  return `<${element}${message}>${detail}</${element}>`;
}

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join('');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML has no way to write a control character: it becomes a visible escape. */
function escapeXml(text: string): string {
  return escapeLine(text).replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
