/** The model of the flags that can go: one group for each next step, each flag with its evidence. */

import { SIGNALS, STEPS, TAKING, type NextStep, type StaleFlag } from '../../references/staleness.ts';
import { gapsOfAll } from '../../references/use.ts';
import { escapeLine, placeText } from '../escape.ts';
import type { StaleReport } from '../report.ts';
import { count } from '../words/amounts.ts';
import { gapRemedy, gapText, sourceText } from '../words/references.ts';
import { holderText, ownerText, signalText, staleSummary, STEP_WORDS, unaskedText } from '../words/stale.ts';
import { toned } from '../phrase.ts';
import type { Notice, ReportEntry, ReportFact, ReportGroup, ReportModel, Statement } from './report-model.ts';

export function staleModel(report: StaleReport, verbose: boolean): ReportModel {
  return {
    command: 'stale',
    title: { words: 'Stale flags', isCheck: true },
    summary: staleSummary(report),
    standing: report.flags.some(({ step }) => step !== 'none') ? 'open' : 'good',
    page: () => ({
      facts: factsOf(report),
      notices: noticesOf(report),
      groups: STEPS.map((step) => groupOf(report, step, verbose)).filter(({ entries }) => entries.length > 0),
    }),
    remarks: async () => (await import('./remarks/references.ts')).staleRemarks(report),
  };
}

function factsOf({ days, asked, unexplained }: StaleReport): readonly ReportFact[] {
  const why =
    unexplained === undefined
      ? ''
      : `; the service was not asked why ${count(unexplained, 'flag')} is stale, or did not say`;
  return [
    {
      about: 'note',
      phrase: `“Lately” means in the last ${count(days, 'day')}. Asked: ${asked.map(escapeLine).join(', ') || 'no service'}${why}`,
    },
  ];
}

function noticesOf(report: StaleReport): readonly Notice[] {
  const { code, unasked } = report;
  const gaps = gapsOfAll(code);
  const statements: Statement[] = [
    ...gaps.map((gap) => ({ phrase: gapText(gap), ways: [{ words: gapRemedy(gap) }] })),
    ...(unasked.length === 0 ? [] : [{ phrase: `not asked: ${unaskedText(report)}` }]),
  ];
  if (statements.length === 0) return [];
  return [{ about: 'warnings', title: 'Not everything is known, so some flags have no further step', statements }];
}

function groupOf({ flags }: StaleReport, step: NextStep, verbose: boolean): ReportGroup {
  const { title, what } = STEP_WORDS[step];
  const entries = flags.filter((flag) => flag.step === step).map((flag) => entryOf(flag, verbose));
  return {
    about: `stale_${step}`,
    title,
    counted: `${title} (${count(entries.length, 'flag')})`,
    form: 'blocks',
    isHeaded: true,
    indent: { head: 2, lines: 6 },
    entries,
    hints: [what],
    ...(TAKING.has(step) ? { isGrave: true as const } : {}),
  };
}

function entryOf(flag: StaleFlag, verbose: boolean): ReportEntry {
  const { key, place, use, holders, step } = flag;
  const certain = use.references.filter((reference) => reference.certain);
  const shown = verbose ? certain : certain.slice(0, MOST_PLACES);
  return {
    head: [toned('strong', escapeLine(key)), `  ${ownerText(flag)}${place === undefined ? ', not declared' : ''}`],
    lines: [
      ...SIGNALS.filter(
        (name) => flag.signals[name] !== 'unknown' || name === 'code' || name === 'calls' || step === 'none',
      ).map((name) => ({ phrase: signalText(flag, name) })),
      ...shown.map((reference) => ({ phrase: `${sourceText(reference)}${placeText(reference.place)}`, indent: 2 })),
      ...(shown.length < certain.length
        ? [{ phrase: toned('dim', `${certain.length - shown.length} more (--verbose)`), indent: 2 }]
        : []),
      ...holders.map((holder) => ({ phrase: `used by ${holderText(holder)}` })),
      ...(place === undefined ? [] : [{ phrase: toned('dim', `declared in ${placeText(place)}`) }]),
    ].map(({ phrase, ...line }) => ({ ...line, phrase: typeof phrase === 'string' ? phrase : [phrase] })),
  };
}

/** The limit in a list of flags; --verbose shows all. */
const MOST_PLACES = 3;
