/** The models of what `test` and `doctor` found: each expectation that does not hold, and the result of each check by section. */

import type { ExpectationCase, ExpectationVerdict } from '../../review/expectations/expectation.ts';
import { escapeLine, placeText } from '../escape.ts';
import type { ReportOf } from '../report.ts';
import { count } from '../words/amounts.ts';
import {
  answerText,
  attemptText,
  caseTitle,
  expectedText,
  undecidedRemedy,
  undecidedText,
  unmet,
} from '../words/answers.ts';
import { countOutcome, testedText } from '../words/diagnostics.ts';
import { toned, type Phrase, type Tone } from '../phrase.ts';
import type { ReportEntry, ReportGroup, ReportModel } from './report-model.ts';
import { upperFirst } from '../../base/text.ts';
import { CHECK_SECTIONS, type CheckResult, type CheckStatus } from '../check-result.ts';
import { checkWords, doctorSummary, originText, SECTION_TITLES, valueText } from '../words/doctor.ts';

export function testModel(report: ReportOf<'test'>, verbose: boolean): ReportModel {
  const { cases } = report;
  const found = verbose ? cases : unmet(cases);
  const more = `… and ${found.length - MOST_SHOWN} more (--verbose lists all, --format json has all)`;
  return {
    command: 'test',
    title: { words: 'Tests', isCheck: true },
    summary: testedText(report),
    standing: unmet(cases).length > 0 ? 'bad' : 'good',
    page: () => ({
      groups: [
        {
          title: 'Cases',
          form: 'blocks',
          indent: { head: 0, lines: 2 },
          spacing: 'always',
          entries: found.map(caseEntry),
          sorts: (['failed', 'undecided', 'passed'] as const).map((name) => ({
            name,
            title: upperFirst(name),
            prominence: 'grave',
            ...(name === 'passed' ? {} : { counted: `${countOutcome(cases, name)} ${name}` }),
          })),
          ...(verbose ? {} : { limit: { entries: MOST_SHOWN, more } }),
        },
      ],
    }),
    remarks: async () => (await import('./remark.ts')).testRemarks(report),
  };
}

const MOST_SHOWN = 100;

/** The place of the expectation, what was expected, and the answer with the condition that decided. */
export function caseEntry(one: ExpectationCase): ReportEntry {
  const { project, place, expected, verdict } = one;
  const { outcome } = verdict;
  const line = (phrase: Phrase): { readonly phrase: Phrase } => ({ phrase });
  const entry = {
    sort: outcome,
    kinds: [outcome],
    head: [
      toned('strong', placeText(place)),
      '  ',
      toned(outcome === 'passed' ? 'add' : 'error', outcome),
      `  ${caseTitle(one)}  `,
      toned('dim', escapeLine(project)),
    ],
  };
  const wanted = line(`expected  ${expectedText(expected)}`);
  if (verdict.outcome === 'undecided') {
    const { why } = verdict;
    const remedy = line([toned('dim', '→'), ` ${undecidedRemedy(why)}`]);
    const at = why.code === 'filter_unknown' ? ['  ', toned('dim', placeText(why.condition.place))] : [];
    return { ...entry, lines: [wanted, line([`unknown   ${undecidedText(why)}`, ...at]), remedy] };
  }
  const { answer } = verdict;
  const at = answer.condition === undefined ? [] : ['  ', toned('dim', placeText(answer.condition.place))];
  const got = line([`got       ${answerText(answer, expected)}`, ...at]);
  return { ...entry, lines: [wanted, got, ...reasonPhrases(verdict).map((phrase) => ({ phrase, indent: 10 }))] };
}

function reasonPhrases(verdict: Exclude<ExpectationVerdict, { readonly outcome: 'undecided' }>): Phrase[] {
  if (verdict.outcome === 'passed') return [];
  const { answer } = verdict;
  // The text already says that a condition without variants matched.
  const attempts = verdict.attempts.filter(({ result }) => result.kind !== 'matched' || result.variant !== undefined);
  const shown = attempts.slice(0, MOST_ATTEMPTS).map((attempt): Phrase => {
    const isDecisive = attempt.condition.number === answer.condition?.number;
    const at = isDecisive ? [] : ['  ', toned('dim', placeText(attempt.condition.place))];
    return [attemptText(attempt, answer.condition), ...at];
  });
  const rest = attempts.length - shown.length;
  return rest === 0 ? shown : [...shown, `… and ${count(rest, 'more condition')}`];
}

const MOST_ATTEMPTS = 10;

export function doctorModel({ results, values }: ReportOf<'doctor'>, verbose: boolean): ReportModel {
  const shown = verbose ? values : values.filter(({ from }) => from.kind !== 'default');
  const has = (wanted: CheckStatus): boolean => results.some(({ status }) => status === wanted);
  const sections = CHECK_SECTIONS.map((section): ReportGroup => ({
    title: SECTION_TITLES[section],
    prominence: 'open',
    form: 'blocks',
    indent: { head: 2, lines: WIDEST + 4 },
    entries: results.filter((result) => result.section === section).map(resultEntry),
  }));
  return {
    command: 'doctor',
    title: { words: 'Doctor', isCheck: true },
    summary: doctorSummary(results),
    standing: has('problem') ? 'bad' : has('warning') ? 'warning' : 'good',
    page: () => ({
      groups: [
        ...sections.filter(({ entries }) => entries.length > 0),
        {
          title: 'Values of the configuration',
          prominence: 'headed',
          form: 'blocks',
          indent: { head: 2, lines: 4 },
          entries: shown.map((value) => ({
            head: [`${escapeLine(value.name)}  `, valueText(value), '  ', toned('dim', originText(value))],
          })),
        },
      ],
    }),
  };
}

const TONES: Readonly<Record<CheckStatus, Tone>> = { ok: 'add', warning: 'warning', problem: 'error', skipped: 'dim' };
const WIDEST = 'problem'.length;

/** The status is a word, since not everyone sees its color. */
function resultEntry(result: CheckResult): ReportEntry {
  const { status, project, host, place } = result;
  const { message, remedy } = checkWords(result);
  const about = project ?? host;
  const head: Phrase = [
    toned(TONES[status], status.padEnd(WIDEST)),
    '  ',
    ...(about === undefined ? [] : [toned('strong', escapeLine(about)), ': ']),
    message,
    ...(place === undefined ? [] : ['  ', toned('dim', placeText(place))]),
  ];
  return { head, lines: remedy === undefined ? [] : [{ phrase: [toned('dim', '→'), ` ${remedy}`] }] };
}
