/** The models of where code reads flags, and of flags that may go, with their remarks. */

import { compareStrings } from '../../base/compare-strings.ts';
import { defined } from '../../base/optional.ts';
import type { Reference } from '../../references/reference.ts';
import { type NextStep, SIGNALS, type StaleFlag, STEPS, TAKING } from '../../references/staleness.ts';
import { gapsOfAll, isStillRead, type JudgedFlag, type OfRepository } from '../../references/use.ts';
import { escapeLine, placeText, quoteShort } from '../escape.ts';
import { type Phrase, toned } from '../phrase.ts';
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
import type { Remark } from './remark.ts';
import type {
  Notice,
  ReportEntry,
  ReportFact,
  ReportGroup,
  ReportLine,
  ReportModel,
  ReportPage,
  RunStanding,
  Statement,
} from './report-model.ts';

type RefsReport = ReportOf<'refs'>;

export function referencesModel(report: RefsReport, verbose: boolean): ReportModel {
  return {
    command: 'refs',
    title: { words: 'References of flags in code', isCheck: true },
    summary: referencesSummary(report.flags, countReferences(report)),
    standing: standingOf(report),
    page: () => pageOf(report, verbose),
    remarks: () => referenceRemarks(report),
  };
}

function standingOf(report: RefsReport): RunStanding {
  const { stillRead, unknownReads, notFound } = countReferences(report);
  if (stillRead + unknownReads > 0) return 'warning';
  return notFound > 0 ? 'open' : 'good';
}

function pageOf(report: RefsReport, verbose: boolean): ReportPage {
  const isAll = verbose || report.listed;
  const groups = [
    readGroup(report, isAll),
    ...(report.listed ? [] : [indirectGroup(report, isAll)]),
    unclearGroup(report, isAll),
    notFoundGroup(report),
    unknownGroup(report),
    stillReadGroup(report, isAll),
  ];
  return {
    facts: factsOf(report),
    notices: noticesOf(report),
    groups: groups.filter(({ entries }) => entries.length > 0),
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

/** Why no flag is said to be found nowhere. */
function noticesOf({ code }: RefsReport): readonly Notice[] {
  const gaps = gapsOfAll(code);
  if (gaps.length === 0) return [];
  const statements = gaps.map((gap) => ({ phrase: gapText(gap), ways: [{ words: gapRemedy(gap) }] }));
  return [
    {
      about: 'warnings',
      title: 'Not all code was searched, so it is not known of any flag that no code reads it',
      statements,
    },
  ];
}

const BLOCK = { form: 'blocks', isHeaded: true, indent: { head: 2, lines: 6 } } as const;

function stillReadGroup({ flags }: RefsReport, isAll: boolean): ReportGroup {
  const entries = flags
    .filter(isStillRead)
    .map((flag) => ({ ...entryOf(flag, standingPhrase(flag), isAll), kinds: ['warning' as const] }));
  return {
    ...BLOCK,
    about: 'still_read',
    title: 'Still read',
    counted: `${count(entries.length, 'flag')} still read`,
    isGrave: true,
    tone: 'warning',
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
    ...BLOCK,
    about: 'unknown_reads',
    title: 'Read but not declared',
    counted: `${count(entries.length, 'key')} read but not declared`,
    isGrave: true,
    tone: 'warning',
    entries,
  };
}

function notFoundGroup({ flags }: RefsReport): ReportGroup {
  const entries = flags
    .filter(({ use }) => use.verdict === 'not_found')
    .map((flag) => entryOf(flag, standingPhrase(flag), false));
  return {
    ...BLOCK,
    about: 'not_found',
    title: 'Found nowhere in the code',
    counted: `${count(entries.length, 'flag')} not found`,
    entries,
    hints: [NOT_FOUND_HINT],
  };
}

function unclearGroup({ flags }: RefsReport, isAll: boolean): ReportGroup {
  const unclear = flags.filter(({ use: { verdict } }) => verdict !== 'read' && verdict !== 'not_found');
  const entries = unclear.map((flag) => entryOf(flag, unclearText(flag.use), isAll));
  return {
    ...BLOCK,
    about: 'unclear',
    title: 'Not known whether read',
    counted: `${count(entries.length, 'flag')} not known`,
    entries,
  };
}

function readGroup({ flags }: RefsReport, isAll: boolean): ReportGroup {
  const read = flags.filter((flag) => flag.use.verdict === 'read' && !isStillRead(flag));
  const entries = read.map((flag) => entryOf(flag, amountText(flag), isAll));
  return {
    ...BLOCK,
    about: 'read',
    title: 'Read',
    counted: `${count(entries.length, 'flag')} read`,
    isRest: true,
    entries,
  };
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
    head: [toned('strong', escapeLine(key)), '  ', ...(typeof about === 'string' ? [about] : about)],
    lines: [
      ...shown.map((reference) => ({ phrase: referencePhrase(reference) })),
      ...indirect.map((read): ReportLine => ({
        phrase: [sourceText(read), placeText(read.place), '  ', toned('dim', 'made at run time')],
      })),
      ...(hidden === 0 ? [] : [{ phrase: [toned('dim', `${hidden} more (--verbose)`)] }]),
    ],
  };
}

/** The limit in a list of flags; --verbose and --target show all. */
const MOST_PLACES = 3;

function referencePhrase(reference: Reference & OfRepository): Phrase {
  const { place, form, certain } = reference;
  return [
    sourceText(reference),
    placeText(place),
    '  ',
    toned('dim', `${FORM_WORDS[form]}${certain ? '' : ', not certain'}`),
  ];
}

function indirectGroup({ code }: RefsReport, isAll: boolean): ReportGroup {
  const entries = code.repositories.flatMap(({ name, code: { indirectReads } }) =>
    indirectReads.map(({ place, prefix = '', part, suffix = '' }): ReportEntry => {
      const like = `${prefix}*${part === undefined ? '' : `${part}*`}${suffix}`;
      const keys = like === '*' ? 'any key' : `keys like ${escapeLine(like)}`;
      return {
        head: [sourceText(name === undefined ? {} : { repository: name }), placeText(place), '  ', toned('dim', keys)],
        lines: [],
      };
    }),
  );
  return {
    ...BLOCK,
    about: 'indirect_reads',
    title: 'Keys made at run time',
    counted: `${count(entries.length, 'key')} made at run time`,
    isRest: true,
    entries,
    ...(isAll ? {} : { limit: { entries: MOST_INDIRECT, more: `${entries.length - MOST_INDIRECT} more (--verbose)` } }),
    hints: ['A file whose functions pass on keys that their callers write belongs in `refs.wrappers`.'],
  };
}

const MOST_INDIRECT = 10;

export function staleModel(report: StaleReport, verbose: boolean): ReportModel {
  return {
    command: 'stale',
    title: { words: 'Stale flags', isCheck: true },
    summary: staleSummary(report),
    standing: report.flags.some(({ step }) => step !== 'none') ? 'open' : 'good',
    page: () => ({
      facts: factsOfStale(report),
      notices: noticesOfStale(report),
      groups: STEPS.map((step) => groupOf(report, step, verbose)).filter(({ entries }) => entries.length > 0),
    }),
    remarks: () => staleRemarks(report),
  };
}

function factsOfStale({ days, asked, unexplained }: StaleReport): readonly ReportFact[] {
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

function noticesOfStale(report: StaleReport): readonly Notice[] {
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
  const entries = flags.filter((flag) => flag.step === step).map((flag) => entryOfStale(flag, verbose));
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

function entryOfStale(flag: StaleFlag, verbose: boolean): ReportEntry {
  const { key, place, use, holders, step } = flag;
  const certain = use.references.filter((reference) => reference.certain);
  const shown = verbose ? certain : certain.slice(0, MOST_STALE_PLACES);
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
const MOST_STALE_PLACES = 3;

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
  if (isStillRead(flag)) return stillReadRemarks(flag);
  const { key, place, use } = flag;
  if (use.verdict !== 'not_found' || flag.standing === 'deleted' || flag.standing === 'renamed') return [];
  const text = `The flag ${quoteShort(key)} was found nowhere in the code.`;
  return [{ family: 'refs', rule: 'not-found', level: 'note', text, name: key, ...defined({ place }) }];
}

function stillReadRemarks({ key, standing, to, use }: JudgedFlag): readonly Remark[] {
  const { is, gets } = STANDING_WORDS[standing];
  return use.references
    .filter(({ certain }) => certain)
    .map(({ place, repository }) => ({
      family: 'refs',
      rule: RULES[standing] ?? standing,
      level: 'warning',
      text: `Code reads the flag ${quoteShort(key)}${inRepository(repository)}, which is ${is}${to === undefined ? '' : ` to ${quoteShort(to)}`}${gets === undefined ? '' : `: ${gets}`}.`,
      name: key,
      ...defined({ place: repository === undefined ? place : undefined }),
    }));
}

const RULES: Partial<Readonly<Record<JudgedFlag['standing'], string>>> = { rolled_out: 'rolled-out' };

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
