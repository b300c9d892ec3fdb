/**
 * Remarks as lists next to the lines of files: annotations of GitHub, Code Quality of GitLab, SARIF, and suites of cases as JUnit XML. Each
 * list has the most severe ones, with fingerprints that stay the same from run to run.
 */

import { groupBy } from '../../../base/group.ts';
import { canonicalText, type JsonObject, memberOf } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { Place } from '../../../base/place.ts';
import { fingerprintOf } from '../../../core/engine/plan-document.ts';
import { escapeLine, placeText, quoteShort } from '../../escape.ts';
import { modelOf, type RemarkedKind } from '../../model/model-of.ts';
import {
  lastingText,
  messageText,
  nameOfRule,
  type Remark,
  REMARK_LEVELS,
  REMARK_FAMILIES,
  type RemarkLevel,
  wholeText,
  cutSentence,
  lastingName,
  changeName,
} from '../../model/remark.ts';
import { plainText } from '../../phrase.ts';
import type { ReportOf } from '../../report.ts';
import { placeOfNothing, repositoryFile, type View } from '../../view.ts';
import { countNamed, hiddenText } from '../../words/amounts.ts';
import { indentedJson } from '../json/seal.ts';
import type { ExpectationCase } from '../../../review/expectations/expectation.ts';
import { caseTitle, unmetText } from '../../words/answers.ts';
import { caseEntry } from '../../model/checks.ts';
import { entryText } from '../text/page.ts';

export interface RemarkList {
  /** Absent for a failure, which may be that of any. */
  readonly command?: string;
  readonly project?: string;
  /** Files are named from the root of the repository, where the view knows it. */
  readonly remarks: readonly Remark[];
  /** One line about the whole, without a line break; a failure is nothing but its remarks. */
  readonly summary?: string;
  readonly isFailure: boolean;
}

export async function remarkList(report: ReportOf<RemarkedKind>, view: View): Promise<RemarkList> {
  const { command, title, failure, summary, remarks } = await modelOf(report, view);
  // The title, where it says everything.
  const line =
    failure !== undefined || summary !== undefined || title === undefined
      ? summary
      : [plainText(title.words), ...(title.project === undefined ? [] : [escapeLine(title.project.name)])].join(' ');
  const placed = (one: Place): Place => ({ ...one, file: repositoryFile(one, view) });
  return {
    ...defined({ command, project: title?.project?.name, summary: line }),
    remarks: ((await remarks?.()) ?? []).map((remark) => ({
      ...remark,
      ...(remark.place && { place: placed(remark.place) }),
      ...(typeof remark.source === 'object'
        ? { source: { ...remark.source, place: placed(remark.source.place) } }
        : {}),
    })),
    isFailure: failure !== undefined,
  };
}

/** Code scanning of GitHub refuses a run with more than 25,000 results, and no service shows as many. */
export const MOST_LISTED = 20_000;

/** The note comes before the other notes, the least grave. */
function listed(remarks: readonly Remark[], total = MOST_LISTED, ofSort = total): readonly Remark[] {
  const { shown, hidden } = shorten(remarks, ({ level }) => level, { sorts: REMARK_LEVELS, total, ofSort });
  if (hidden.length === 0) return remarks;
  const of = (level: RemarkLevel): readonly Remark[] => shown.filter((remark) => remark.level === level);
  const note: Remark = { family: 'report', rule: 'shortened', level: 'note', text: hiddenText(hidden, NOUNS) };
  return [...of('error'), ...of('warning'), note, ...of('note')];
}

const NOUNS: Readonly<Record<RemarkLevel, string>> = { error: 'error', warning: 'warning', note: 'note' };

/** `sorts`: the gravest first. `total`: the most items; `ofSort`: of each sort. `hidden`: the number of each sort, if some are. */
export function shorten<Item, Sort extends string>(
  items: readonly Item[],
  sortOf: (item: Item) => Sort,
  {
    sorts,
    total,
    ofSort = total,
  }: { readonly sorts: readonly Sort[]; readonly total: number; readonly ofSort?: number },
): { readonly shown: readonly Item[]; readonly hidden: readonly { readonly sort: Sort; readonly count: number }[] } {
  const room = new Map<Sort, number>();
  const hidden: { sort: Sort; count: number }[] = [];
  let left = total;
  for (const sort of sorts) {
    const amount = items.reduce((sum, item) => (sortOf(item) === sort ? sum + 1 : sum), 0);
    const shown = Math.min(amount, ofSort, left);
    room.set(sort, shown);
    left -= shown;
    if (shown < amount) hidden.push({ sort, count: amount - shown });
  }
  if (hidden.length === 0) return { shown: items, hidden };
  const shown = items.filter((item) => {
    const more = room.get(sortOf(item)) ?? 0;
    room.set(sortOf(item), more - 1);
    return more > 0;
  });
  return { shown, hidden };
}

/** Lines move when a file is edited, so the names do not depend on them. Equal remarks are numbered. */
function fingerprintsOf(remarks: readonly Remark[]): readonly string[] {
  const seen = new Map<string, number>();
  return remarks.map((remark) => {
    const content = { path: remark.place?.file ?? '', rule: nameOfRule(remark), text: lastingText(remark) };
    const name = canonicalText(content);
    const number = seen.get(name) ?? 0;
    seen.set(name, number + 1);
    return fingerprintOf({ ...content, number });
  });
}

const COMMANDS: Readonly<Record<RemarkLevel, string>> = { error: 'error', warning: 'warning', note: 'notice' };

/** GitHub shows the first ten of each command in a step; the others are in its log. */
const MOST_OF_LEVEL = 50;

/** The gravest first; those of one level keep their order. */
export function annotations({ remarks, summary }: RemarkList): string {
  const shown = listed(foldAlike(remarks), REMARK_LEVELS.length * MOST_OF_LEVEL, MOST_OF_LEVEL);
  const sorted = REMARK_LEVELS.flatMap((level) => shown.filter((remark) => remark.level === level));
  const lines = [...sorted.map(annotation), ...(summary === undefined ? [] : [summary])];
  return lines.map((line) => `${line}\n`).join('');
}

/** GitHub shows the first ten of each command: if there are more, what one rule says of several resources is one annotation. */
const MOST_SHOWN = 10;

function foldAlike(remarks: readonly Remark[]): readonly Remark[] {
  const crowded = REMARK_LEVELS.filter((wanted) => remarks.filter(({ level }) => level === wanted).length > MOST_SHOWN);
  const alike = groupBy<Remark, Remark | string>(remarks, (remark) => {
    const { family, rule, level, afterName } = remark;
    const isFolded = crowded.includes(level) && afterName !== undefined;
    return isFolded ? [family, rule, level, wholeText({ ...remark, text: afterName })].join('\n') : remark;
  });
  return [...alike.values()].flatMap((group) => (group.length < 2 ? group : [folded(group)]));
}

function folded(alike: readonly Remark[]): Remark {
  const [first] = alike as [Remark];
  const names = alike.flatMap(({ name }) => name ?? []);
  const named = alike.map(({ name = '', place }) =>
    place === undefined ? quoteShort(name) : `${quoteShort(name)} ${placeText(place)}`,
  );
  const text = `Each of these ${countNamed([...new Set(names)])}${first.afterName ?? ''}`;
  return { ...first, text, aside: `They are: ${named.join(', ')}.` };
}

function annotation(remark: Remark): string {
  const { level, place } = remark;
  const where = place === undefined ? {} : { file: place.file, line: `${place.line}`, col: `${place.column}` };
  const properties = Object.entries({ ...where, title: nameOfRule(remark) });
  const written = properties.map(
    ([name, value]) => `${name}=${escapeData(value).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  );
  return `::${COMMANDS[level]} ${written.join(',')}::${escapeData(messageText(remark))}`;
}

/** GitHub decodes `%0A` and the like, so a literal `%` is encoded. Line breaks are visible escapes already. */
function escapeData(text: string): string {
  return escapeLine(text).replaceAll('%', '%25');
}

const SEVERITIES: Readonly<Record<RemarkLevel, string>> = { error: 'major', warning: 'minor', note: 'info' };

/** GitLab compares the fingerprints of two branches. */
export function codeQuality(list: RemarkList, view: View): string {
  const remarks = listed(list.remarks);
  const fingerprints = fingerprintsOf(remarks);
  const issues = remarks.map((remark, index): JsonObject => {
    const place = remark.place ?? placeOfNothing(view);
    return {
      description: messageText(remark),
      check_name: nameOfRule(remark),
      severity: SEVERITIES[remark.level],
      location: { path: place.file, lines: { begin: place.line } },
      fingerprint: fingerprints[index] ?? '',
    };
  });
  return indentedJson(issues);
}

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

export function sarifLog(list: RemarkList, view: View): string {
  const remarks = listed(list.remarks);
  const rules = new Map<string, Remark>();
  for (const remark of remarks) {
    const name = nameOfRule(remark);
    if (!rules.has(name)) rules.set(name, remark);
  }
  // A service replaces the earlier results of the same category, so each project has its own. It ends with a slash.
  const { command = 'failure', project } = list;
  const category = ['flagwright', command, ...(project === undefined ? [] : [encodeURIComponent(project)]), ''];
  const names = [...rules.keys()];
  const fingerprints = fingerprintsOf(remarks);
  return indentedJson({
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'flagwright', rules: [...rules.values()].map(ruleDocument) } },
        automationDetails: { id: category.join('/') },
        columnKind: 'utf16CodeUnits',
        invocations: [{ executionSuccessful: !list.isFailure }],
        results: remarks.map((remark, index) => {
          const rule = nameOfRule(remark);
          return {
            ruleId: rule,
            ruleIndex: names.indexOf(rule),
            level: remark.level,
            // A message may contain links, `[words](address)`: a string of others must not make one.
            message: { text: messageText(remark).replaceAll('](', '] (') },
            locations: [locationOf(remark, view)],
            partialFingerprints: { 'flagwright/v1': fingerprints[index] ?? '' },
            ...(remark.impact === undefined ? {} : { properties: { impact: remark.impact.lines } }),
          };
        }),
      },
    ],
  });
}

/** Code scanning of GitHub refuses a result without a line. */
function locationOf({ place: known, name }: Remark, view: View): JsonObject {
  const place = known ?? placeOfNothing(view);
  return {
    physicalLocation: {
      // A relative one: a file outside of the repository has `..` in it.
      artifactLocation: { uri: place.file.split('/').map(encodeURIComponent).join('/') },
      region: { startLine: place.line, startColumn: place.column },
    },
    ...(name === undefined ? {} : { logicalLocations: [{ name, kind: 'resource' }] }),
  };
}

function ruleDocument({ family, rule, level }: Remark): JsonObject {
  const { what, page } = REMARK_FAMILIES[family];
  return {
    id: nameOfRule({ family, rule }),
    shortDescription: { text: `${what}: ${rule}` },
    fullDescription: { text: `${what}: ${rule}` },
    help: { text: `The documentation of flagwright describes it in docs/${page}.md.` },
    defaultConfiguration: { level },
  };
}

export async function checkedXml(report: ReportOf<RemarkedKind>, view: View): Promise<string> {
  const list = await remarkList(report, view);
  const cases = remarkCases(list);
  const isBad = cases.some(({ verdict }) => verdict.is === 'failed' || verdict.is === 'error');
  return junitText([{ name: suiteName(list), cases: isBad ? cases : [whole(list), ...cases] }]);
}

export async function resultXml(report: ReportOf<'result'>, view: View): Promise<string> {
  const list = await remarkList(report, view);
  const applied = report.result.changes.flatMap(({ change, result }): JunitCase[] => {
    if (result.outcome !== 'applied') return [];
    const { source } = change;
    const group = source === undefined ? suiteName(list) : repositoryFile(source, view);
    return [{ name: changeName(change), group, verdict: { is: 'passed' } }];
  });
  const cases = [...applied, ...remarkCases(list)];
  const seconds = report.durationMs / 1_000;
  return junitText([{ name: suiteName(list), cases: cases.length > 0 ? cases : [whole(list)], seconds }]);
}

function suiteName({ command = 'flagwright', project }: RemarkList): string {
  return project === undefined ? command : `${command} ${project}`;
}

/** Says that the whole passed: readers take a file without cases for one that is broken. */
function whole(list: RemarkList): JunitCase {
  const name = suiteName(list);
  return { name, group: name, verdict: { is: 'passed', ...defined({ said: list.summary }) } };
}

function remarkCases(list: RemarkList): JunitCase[] {
  return list.remarks.map((remark) => ({
    name: lastingName(remark),
    group: remark.place?.file ?? suiteName(list),
    verdict: verdictOf(remark),
  }));
}

/** What refuses the run, or makes the exit code another than 0, fails. Effects pass. JUnit has no warnings: the rest is skipped. */
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
  const toCase = (given: ExpectationCase): JunitCase => {
    const one = { ...given, place: { ...given.place, file: repositoryFile(given.place, view) } };
    const { outcome } = one.verdict;
    const about = { name: caseTitle(one), group: one.place.file };
    if (outcome === 'passed') return { ...about, verdict: { is: 'passed' } };
    // An unknown answer is an error: the case could not be decided.
    const is = outcome === 'failed' ? 'failed' : 'error';
    const detail = entryText(caseEntry(one), { head: 0, lines: 2 });
    return { ...about, verdict: { is, message: unmetText(one), detail } };
  };
  return junitText(
    projects.map((name) => ({ name, cases: cases.filter(({ project }) => project === name).map(toCase) })),
  );
}

/** A suite of cases, in the part of the format that all readers share: the schema of Jenkins accepts nothing else. */
interface JunitSuite {
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

/** `said`: what a passed case still reports. `error`: the case could not be decided. `message`: one line; `detail`: all of it. */
type CaseVerdict =
  | { readonly is: 'passed'; readonly said?: string }
  | { readonly is: 'failed' | 'error' | 'skipped'; readonly message: string; readonly detail: string };

export function junitText(whole: readonly JunitSuite[]): string {
  const suites = shortenSuites(whole).map(withOwnNames);
  const { tests, failures, errors } = countsOf(suites.flatMap((suite) => suite.cases));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'flagwright', tests, failures, errors })}>`,
    ...suites.flatMap(({ name, cases, seconds }) => [
      `  <testsuite${attributes({ name, ...countsOf(cases), ...defined({ time: seconds?.toFixed(3) }) })}>`,
      ...cases.flatMap(caseLines),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n');
}

const CASE_NOUNS: Readonly<Record<CaseVerdict['is'], string>> = {
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

function shortenSuites(suites: readonly JunitSuite[]): readonly JunitSuite[] {
  const all = suites.flatMap(({ cases }) => cases);
  const { shown, hidden } = shorten(all, ({ verdict }) => verdict.is, {
    sorts: ['error', 'failed', 'skipped', 'passed'],
    total: MOST_LISTED,
  });
  if (hidden.length === 0) return suites;
  const kept = new Set(shown);
  const shortened = suites.map((suite) => ({ ...suite, cases: suite.cases.filter((one) => kept.has(one)) }));
  const verdict = { is: 'skipped', message: hiddenText(hidden, CASE_NOUNS), detail: '' } as const;
  const note = { name: 'report/shortened', group: 'flagwright', verdict };
  return [...shortened, { name: 'flagwright', cases: [note] }];
}

function countsOf(cases: readonly JunitCase[]): Readonly<Record<'tests' | 'failures' | 'errors' | 'skipped', string>> {
  const amount = (wanted: CaseVerdict['is']): string =>
    String(cases.filter(({ verdict }) => verdict.is === wanted).length);
  const [failures, errors, skipped] = [amount('failed'), amount('error'), amount('skipped')];
  return { tests: String(cases.length), failures, errors, skipped };
}

function caseLines({ name, group, verdict }: JunitCase): string[] {
  const head = `    <testcase${attributes({ name, classname: group })}`;
  const shown = (text: string): string => escapeXml(cutSentence(escapeLine(text)));
  const inside = (content: string): string[] => [`${head}>`, `      ${content}`, '    </testcase>'];
  if (verdict.is === 'passed') {
    return verdict.said === undefined ? [`${head}/>`] : inside(`<system-out>${shown(verdict.said)}</system-out>`);
  }
  const { is, message, detail } = verdict;
  const element = is === 'failed' ? 'failure' : is;
  const opened = `${element}${attributes({ message: cutSentence(escapeLine(message)) })}`;
  const lines = detail.split('\n').map(shown);
  return inside(detail === '' ? `<${opened}/>` : `<${opened}>${lines.join('\n')}</${element}>`);
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
