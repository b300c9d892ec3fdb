/** The models of where code reads flags, and of flags that may go, with their remarks. */

import { compareStrings } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import {
  type NextStep,
  SIGNALS,
  type StaleFlag,
  STEPS,
  TAKING,
  isStillRead,
  type JudgedFlag,
} from '../../references/staleness.ts';
import { gapsOfAll } from '../../references/use.ts';
import { escapeLine, placeText, quoteShort } from '../escape.ts';
import { type Phrase, spansOf, toned } from '../phrase.ts';
import { countReferences, meantKey, unknownReadsOf } from '../report-facts.ts';
import type { ReportOf, StaleReport } from '../report.ts';
import { count } from '../words/amounts.ts';
import {
  FORM_WORDS,
  gapRemedy,
  gapText,
  holderText,
  NOT_FOUND_HINT,
  ownerText,
  referencesSummary,
  signalText,
  skippedText,
  sourceText,
  staleSummary,
  STANDING_WORDS,
  STEP_WORDS,
  unaskedText,
  unclearText,
} from '../words/references.ts';
import { BLOCKS } from './change.ts';
import type { Remark } from './remark.ts';
import type { Notice, ReportEntry, ReportFact, ReportGroup, ReportModel, Statement } from './report-model.ts';

type RefsReport = ReportOf<'refs'>;

export function referencesModel(report: RefsReport, verbose: boolean): ReportModel {
  const counts = countReferences(report);
  const isAll = verbose || report.listed;
  return {
    command: 'refs',
    title: { words: 'References of flags in code', isCheck: true },
    summary: referencesSummary(report.flags, counts),
    standing: counts.stillRead + counts.unknownReads > 0 ? 'warning' : counts.notFound > 0 ? 'open' : 'good',
    page: () => ({
      facts: factsOf(report),
      notices: noticesOf(report, 'Not all code was searched, so it is not known of any flag that no code reads it', []),
      groups: [...flagGroups(report, isAll), unknownGroup(report), stillReadGroup(report, isAll)].filter(
        ({ entries }) => entries.length > 0,
      ),
    }),
    remarks: () => referenceRemarks(report),
  };
}

function factsOf({ code }: RefsReport): readonly ReportFact[] {
  return code.repositories.map(({ name, commit, at, code: { files, lines, skipped } }): ReportFact => {
    const where = commit === undefined ? 'the files on disk' : `commit ${commit.slice(0, 12)}`;
    const rest = skippedText(skipped);
    return {
      about: 'note',
      phrase: [
        `Searched ${name === undefined ? where : `${escapeLine(name)}${at === undefined ? '' : ` on ${at.slice(0, 10)}`}`}: ${count(files, 'file')}, ${count(lines, 'line')}`,
        ...(rest === '' ? [] : [`; skipped ${rest}`]),
      ],
    };
  });
}

/** Why no flag is said to be found nowhere, or to have a further step. */
function noticesOf({ code }: RefsReport | StaleReport, title: string, others: readonly Statement[]): readonly Notice[] {
  const gaps = gapsOfAll(code).map((gap) => ({ phrase: gapText(gap), ways: [{ words: gapRemedy(gap) }] }));
  const statements = [...gaps, ...others];
  return statements.length === 0 ? [] : [{ about: 'warnings', title, statements }];
}

function stillReadGroup({ flags }: RefsReport, isAll: boolean): ReportGroup {
  const entries = flags
    .filter(isStillRead)
    .map((flag) => ({ ...entryOf(flag, standingPhrase(flag), isAll), kinds: ['warning' as const] }));
  return {
    ...BLOCKS,
    title: 'Still read',
    counted: `${count(entries.length, 'flag')} still read`,
    prominence: 'warning',
    entries,
  };
}

function standingPhrase({ standing, to, place }: JudgedFlag): Phrase {
  const { is, gets } = STANDING_WORDS[standing];
  const where = place === undefined ? '' : ` in ${placeText(place)}`;
  return [
    `${is}${to === undefined ? '' : ` to ${escapeLine(to)}`}${where}`,
    ...(gets === undefined ? [] : [`: ${gets}`]),
  ];
}

function unknownGroup(report: RefsReport): ReportGroup {
  const reads = unknownReadsOf(report);
  const keys = [...new Set(reads.map(({ key }) => key))].toSorted(compareStrings);
  const entries = keys.map((key): ReportEntry => {
    const meant = meantKey(report, key);
    return {
      head: [
        toned('strong', escapeLine(key)),
        ...(meant === undefined ? [] : [`  did you mean ${escapeLine(meant)}?`]),
      ],
      kinds: ['warning'],
      lines: reads
        .filter((read) => read.key === key)
        .map((read) => ({ phrase: [sourceText(read), placeText(read.place)] })),
    };
  });
  return {
    ...BLOCKS,
    title: 'Read but not declared',
    counted: `${count(entries.length, 'key')} read but not declared`,
    prominence: 'warning',
    entries,
  };
}

/** Flags by what is known of their reads, the gravest last. */
function flagGroups(report: RefsReport, isAll: boolean): ReportGroup[] {
  const { flags, listed } = report;
  const read = flags.filter((flag) => flag.use.verdict === 'read' && !isStillRead(flag));
  const unclear = flags.filter(({ use: { verdict } }) => verdict !== 'read' && verdict !== 'not_found');
  const notFound = flags.filter(({ use }) => use.verdict === 'not_found');
  return [
    {
      ...BLOCKS,
      title: 'Read',
      counted: `${count(read.length, 'flag')} read`,
      prominence: 'rest',
      entries: read.map((flag) => entryOf(flag, amountText(flag), isAll)),
    },
    ...(listed ? [] : [indirectGroup(report, isAll)]),
    {
      ...BLOCKS,
      title: 'Not known whether read',
      counted: `${count(unclear.length, 'flag')} not known`,
      prominence: 'headed',
      entries: unclear.map((flag) => entryOf(flag, unclearText(flag.use), isAll)),
    },
    {
      ...BLOCKS,
      title: 'Found nowhere in the code',
      counted: `${count(notFound.length, 'flag')} not found`,
      prominence: 'headed',
      entries: notFound.map((flag) => entryOf(flag, standingPhrase(flag), false)),
      hints: [NOT_FOUND_HINT],
    },
  ];
}

function amountText({ standing, use: { references } }: JudgedFlag): string {
  const certain = references.filter((reference) => reference.certain).length;
  return `${count(certain, 'place')}${standing === 'undeclared' ? ', not declared' : ''}`;
}

/** `isAll`: each place, certain or not. */
function entryOf({ key, use }: JudgedFlag, about: Phrase, isAll: boolean): ReportEntry {
  const places = use.references.filter(({ certain }) => isAll || certain);
  const shown = isAll ? places : places.slice(0, MOST_PLACES);
  const hidden = places.length - shown.length;
  const indirect = isAll ? use.indirect : [];
  return {
    head: [toned('strong', escapeLine(key)), '  ', ...spansOf(about)],
    lines: [
      ...shown.map((reference) => ({
        phrase: [
          sourceText(reference),
          placeText(reference.place),
          '  ',
          toned('dim', `${FORM_WORDS[reference.form]}${reference.certain ? '' : ', not certain'}`),
        ],
      })),
      ...indirect.map((read) => ({
        phrase: [sourceText(read), placeText(read.place), '  ', toned('dim', 'made at run time')],
      })),
      ...(hidden === 0 ? [] : [{ phrase: [toned('dim', `${hidden} more (--verbose)`)] }]),
    ],
  };
}

/** The limit in a list of flags; --verbose and, of references, --target show all. */
const MOST_PLACES = 3;

function indirectGroup({ code }: RefsReport, isAll: boolean): ReportGroup {
  const entries = code.repositories.flatMap(({ name, code: { indirectReads } }) =>
    indirectReads.map(({ place, prefix = '', part, suffix = '' }): ReportEntry => {
      const like = `${prefix}*${part === undefined ? '' : `${part}*`}${suffix}`;
      const keys = like === '*' ? 'any key' : `keys like ${escapeLine(like)}`;
      return {
        head: [sourceText(name === undefined ? {} : { repository: name }), placeText(place), '  ', toned('dim', keys)],
      };
    }),
  );
  return {
    ...BLOCKS,
    title: 'Keys made at run time',
    counted: `${count(entries.length, 'key')} made at run time`,
    prominence: 'rest',
    entries,
    ...(isAll ? {} : { limit: { entries: MOST_INDIRECT, more: `${entries.length - MOST_INDIRECT} more (--verbose)` } }),
    hints: ['A file whose functions pass on keys that their callers write belongs in `refs.wrappers`.'],
  };
}

const MOST_INDIRECT = 10;

export function staleModel(report: StaleReport, verbose: boolean): ReportModel {
  const { flags, days, asked, unasked, unexplained } = report;
  const why =
    unexplained === undefined
      ? ''
      : `; the service was not asked why ${count(unexplained, 'flag')} is stale, or did not say`;
  return {
    command: 'stale',
    title: { words: 'Stale flags', isCheck: true },
    summary: staleSummary(report),
    standing: flags.some(({ step }) => step !== 'none') ? 'open' : 'good',
    page: () => ({
      facts: [
        {
          about: 'note',
          phrase: `“Lately” means in the last ${count(days, 'day')}. Asked: ${asked.map(escapeLine).join(', ') || 'no service'}${why}`,
        },
      ],
      notices: noticesOf(
        report,
        'Not everything is known, so some flags have no further step',
        unasked.length === 0 ? [] : [{ phrase: `not asked: ${unaskedText(report)}` }],
      ),
      groups: STEPS.map((step) => groupOf(report, step, verbose)).filter(({ entries }) => entries.length > 0),
    }),
    remarks: () => staleRemarks(report),
  };
}

function groupOf({ flags }: StaleReport, step: NextStep, verbose: boolean): ReportGroup {
  const { title, what } = STEP_WORDS[step];
  const entries = flags.filter((flag) => flag.step === step).map((flag) => entryOfStale(flag, verbose));
  return {
    title,
    counted: `${title} (${count(entries.length, 'flag')})`,
    ...BLOCKS,
    prominence: TAKING.has(step) ? 'open' : 'headed',
    entries,
    hints: [what],
  };
}

function entryOfStale(flag: StaleFlag, verbose: boolean): ReportEntry {
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

/** Places of other repositories have no line here. */
function referenceRemarks(report: ReportOf<'refs'>): Remark[] {
  const unknown = unknownReadsOf(report).map(({ key, place, repository }): Remark => {
    const meant = meantKey(report, key);
    return {
      family: 'refs',
      rule: 'not-declared',
      level: 'warning',
      text: `Code reads the flag ${quoteShort(key)}${inRepository(repository)}, which no manifest declares.`,
      remedy: meant === undefined ? 'Declare it, or correct the key.' : `Did you mean ${quoteShort(meant)}?`,
      name: key,
      ...defined({ place: repository === undefined ? place : undefined }),
    };
  });
  return [...report.flags.flatMap(flagRemarks), ...unknown];
}

function flagRemarks(flag: JudgedFlag): readonly Remark[] {
  const { key, place, use, standing, to } = flag;
  if (isStillRead(flag)) {
    const { is, gets } = STANDING_WORDS[standing];
    return use.references
      .filter(({ certain }) => certain)
      .map(({ place: at, repository }) => ({
        family: 'refs',
        rule: standing === 'rolled_out' ? 'rolled-out' : standing,
        level: 'warning',
        text: `Code reads the flag ${quoteShort(key)}${inRepository(repository)}, which is ${is}${to === undefined ? '' : ` to ${quoteShort(to)}`}${gets === undefined ? '' : `: ${gets}`}.`,
        name: key,
        ...defined({ place: repository === undefined ? at : undefined }),
      }));
  }
  if (use.verdict !== 'not_found' || standing === 'deleted' || standing === 'renamed') return [];
  const text = `The flag ${quoteShort(key)} was found nowhere in the code.`;
  return [{ family: 'refs', rule: 'not-found', level: 'note', text, name: key, ...defined({ place }) }];
}

function inRepository(repository: string | undefined): string {
  return repository === undefined ? '' : ` in ${quoteShort(repository)}`;
}

function staleRemarks({ flags }: StaleReport): Remark[] {
  return flags
    .filter(({ step }) => step !== 'none')
    .map((flag) => {
      const evidence = SIGNALS.filter((name) => flag.signals[name] !== 'unknown').map((name) => signalText(flag, name));
      return {
        family: 'refs',
        rule: 'stale',
        level: 'note',
        text: `The flag ${quoteShort(flag.key)} may go: ${evidence.join('; ')}.`,
        remedy: STEP_WORDS[flag.step].what,
        name: flag.key,
        ...defined({ place: flag.place }),
      };
    });
}
