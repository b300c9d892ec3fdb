/** The model of what `doctor` found: the results of the checks by section, then the values of the configuration. */

import { ifGiven } from '../../base/optional.ts';
import { CHECK_SECTIONS, type CheckResult, type CheckStatus, type ConfigurationValue } from '../check-result.ts';
import { escapeLine, placeText } from '../escape.ts';
import { type Phrase, type Tone, toned } from '../phrase.ts';
import type { ReportOf } from '../report.ts';
import { checkWords, doctorSummary, originText, SECTION_TITLES, valueText } from '../words/doctor.ts';
import type { ReportEntry, ReportGroup, ReportModel, RunStanding } from './report-model.ts';

export function doctorModel({ results, values }: ReportOf<'doctor'>, verbose: boolean): ReportModel {
  const shown = verbose ? values : values.filter(({ from }) => from.kind !== 'default');
  return {
    command: 'doctor',
    title: { words: 'Doctor', isCheck: true },
    summary: doctorSummary(results),
    standing: standingOf(results),
    page: () => ({
      facts: [],
      notices: [],
      groups: [
        ...CHECK_SECTIONS.map((section) => sectionGroup(section, results)).filter(({ entries }) => entries.length > 0),
        ...ifGiven(shown, valueGroup),
      ],
    }),
  };
}

function standingOf(results: readonly CheckResult[]): RunStanding {
  const has = (wanted: CheckStatus): boolean => results.some(({ status }) => status === wanted);
  if (has('problem')) return 'bad';
  return has('warning') ? 'warning' : 'good';
}

function sectionGroup(section: CheckResult['section'], results: readonly CheckResult[]): ReportGroup {
  return {
    about: `doctor_${section}`,
    title: SECTION_TITLES[section],
    prominence: 'open',
    form: 'blocks',
    indent: { head: 2, lines: WIDEST + 4 },
    entries: results.filter((result) => result.section === section).map(resultEntry),
  };
}

const TONES: Readonly<Record<CheckStatus, Tone>> = { ok: 'add', warning: 'warning', problem: 'error', skipped: 'dim' };
const WIDEST = 'problem'.length;

/** The status is a word, since not everyone sees its colour. */
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

function valueGroup(values: readonly ConfigurationValue[]): ReportGroup {
  return {
    about: 'doctor_values',
    title: 'Values of the configuration',
    prominence: 'headed',
    form: 'blocks',
    indent: { head: 2, lines: 4 },
    entries: values.map((value) => ({
      head: [`${escapeLine(value.name)}  `, valueText(value), '  ', toned('dim', originText(value))],
      lines: [],
    })),
  };
}
