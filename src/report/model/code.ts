/** The models of where code reads flags, and of flags that may go, with their remarks. */

import { compareStrings } from '../../base/compare-strings.ts';
import { groupBy } from '../../base/group.ts';
import { defined } from '../../base/optional.ts';
import type { Place } from '../../base/place.ts';
import {
  isStillRead,
  type JudgedFlag,
  SIGNALS,
  type StaleFlag,
  STEPS,
  TAKING,
} from '../../code/references/staleness.ts';
import {
  countReferences,
  meantKey,
  type RefsReport,
  type StaleReport,
  unknownReadsOf,
} from '../../code/references/reports.ts';
import { gapsOfAll } from '../../code/references/use.ts';
import { escapeLine, placeText, quoteShort } from '../escape.ts';
import { type Phrase, spansOf, toned } from '../phrase.ts';
import { count, keysText } from '../words/amounts.ts';
import {
  FORM_WORDS,
  gapRemedy,
  gapText,
  holderText,
  NOT_FOUND_HINT,
  ownerText,
  referencesSummary,
  SIGNAL_WORDS,
  signalText,
  skippedText,
  sourceText,
  staleSummary,
  STANDING_WORDS,
  STEP_WORDS,
  unaskedText,
  unclearText,
} from '../words/code.ts';
import { BLOCKS } from './change.ts';
import type { Remark } from './remark.ts';
import type {
  Notice,
  Prominence,
  ReportEntry,
  ReportFact,
  ReportGroup,
  ReportLine,
  ReportModel,
  Statement,
} from './report-model.ts';

export function referencesModel(report: RefsReport, verbose: boolean): ReportModel {
  const { flags, listed, code } = report;
  const counts = countReferences(report);
  const isAll = verbose || listed;
  return {
    command: 'refs',
    title: { words: 'References of flags in code', isCheck: true },
    summary: referencesSummary(flags, counts),
    standing: counts.stillRead + counts.unknownReads > 0 ? 'warning' : counts.notFound > 0 ? 'open' : 'good',
    page: () => ({
      facts: code.repositories.map(({ name, commit, at, code: { files, lines, skipped } }): ReportFact => {
        const checkout = commit === undefined ? 'the files on disk' : `commit ${commit.slice(0, 12)}`;
        const where =
          name === undefined ? checkout : `${escapeLine(name)}${at === undefined ? '' : ` on ${at.slice(0, 10)}`}`;
        const rest = skippedText(skipped);
        return {
          place: 'note',
          phrase: `Searched ${where}: ${count(files, 'file')}, ${count(lines, 'line')}${rest === '' ? '' : `; skipped ${rest}`}`,
        };
      }),
      notices: noticesOf(report, 'Not all code was searched, so it is not known of any flag that no code reads it', []),
      groups: flagGroups(report, isAll).filter(({ entries }) => entries.length > 0),
    }),
    remarks: () => referenceRemarks(report),
  };
}

/** Why no flag is said to be found nowhere, or to have a further step. */
function noticesOf({ code }: RefsReport | StaleReport, title: string, others: readonly Statement[]): readonly Notice[] {
  const gaps = gapsOfAll(code).map((gap) => ({ phrase: `${gapText(gap)}.`, ways: [{ words: gapRemedy(gap) }] }));
  const statements = [...gaps, ...others];
  return statements.length === 0 ? [] : [{ about: 'warnings', title, statements }];
}

/** Flags by what is known of their reads, and keys that are no flags: the gravest last. */
function flagGroups(report: RefsReport, isAll: boolean): ReportGroup[] {
  const { flags, listed } = report;
  const groupOf = (
    [title, noun, what]: readonly [title: string, noun: string, what: string],
    prominence: Prominence,
    entries: readonly ReportEntry[],
  ): ReportGroup => ({ ...BLOCKS, title, counted: `${count(entries.length, noun)} ${what}`, prominence, entries });
  const read = flags.filter((flag) => flag.use.verdict === 'read' && !isStillRead(flag));
  const unclear = flags.filter(({ use: { verdict } }) => verdict !== 'read' && verdict !== 'not_found');
  const notFound = flags.filter(({ use }) => use.verdict === 'not_found');
  const still = flags.filter(isStillRead);
  const indirect = listed ? [] : indirectEntries(report);
  return [
    groupOf(
      ['Read', 'flag', 'read'],
      'rest',
      read.map((flag) => entryOf(flag, amountText(flag), isAll)),
    ),
    {
      ...groupOf(['Keys made at run time', 'key', 'made at run time'], 'rest', indirect),
      ...(isAll
        ? {}
        : { limit: { entries: MOST_INDIRECT, more: `${indirect.length - MOST_INDIRECT} more (--verbose)` } }),
      hints: ['A file whose functions pass on keys that their callers write belongs in `refs.wrappers`.'],
    },
    groupOf(
      ['Not known whether read', 'flag', 'not known'],
      'headed',
      isAll || unclear.length <= MOST_IN_FULL
        ? unclear.map((flag) => entryOf(flag, unclearText(flag.use), isAll))
        : entriesByReason(unclear, ({ use }) => unclearText(use)),
    ),
    {
      ...groupOf(
        ['Found nowhere in the code', 'flag', 'not found'],
        'headed',
        notFound.map((flag) => entryOf(flag, standingPhrase(flag), false)),
      ),
      hints: [NOT_FOUND_HINT],
    },
    groupOf(['Read but not declared', 'key', 'read but not declared'], 'warning', unknownEntries(report)),
    groupOf(
      ['Still read', 'flag', 'still read'],
      'warning',
      still.map((flag) => ({ ...entryOf(flag, standingPhrase(flag), isAll), kinds: ['warning'] })),
    ),
  ];
}

/** More flags are summed up: one entry for each reason. */
const MOST_IN_FULL = 5;

function entriesByReason<Flag extends { readonly key: string }>(
  flags: readonly Flag[],
  reasonOf: (flag: Flag) => string,
): ReportEntry[] {
  const groups = [...groupBy(flags, reasonOf)].toSorted(([, one], [, other]) => other.length - one.length);
  return groups.map(([reason, own]) => ({
    head: [toned('strong', count(own.length, 'flag')), `  ${reason}`],
    lines: [
      {
        phrase: keysText(
          own.map(({ key }) => key),
          escapeLine,
          MOST_NAMED,
        ),
      },
    ],
  }));
}

const MOST_NAMED = 20;

function standingPhrase({ standing, to, place }: JudgedFlag): Phrase {
  const { is, gets } = STANDING_WORDS[standing];
  const where = place === undefined ? '' : ` in ${placeText(place)}`;
  return `${is}${to === undefined ? '' : ` to ${escapeLine(to)}`}${where}${gets === undefined ? '' : `: ${gets}`}`;
}

function unknownEntries(report: RefsReport): ReportEntry[] {
  const reads = unknownReadsOf(report);
  const keys = [...new Set(reads.map(({ key }) => key))].toSorted(compareStrings);
  return keys.map((key): ReportEntry => {
    const meant = meantKey(report, key);
    const hint = meant === undefined ? [] : [`  did you mean ${escapeLine(meant)}?`];
    const own = reads.filter((read) => read.key === key);
    return {
      head: [toned('strong', escapeLine(key)), ...hint],
      kinds: ['warning'],
      lines: own.map((read) => ({ phrase: `${sourceText(read)}${placeText(read.place)}` })),
    };
  });
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
  const lineOf = (read: Parameters<typeof sourceText>[0] & { readonly place: Place }, how: string): ReportLine => ({
    phrase: [sourceText(read), placeText(read.place), '  ', toned('dim', how)],
  });
  return {
    head: [toned('strong', escapeLine(key)), '  ', ...spansOf(about)],
    lines: [
      ...shown.map((one) => lineOf(one, `${FORM_WORDS[one.form]}${one.certain ? '' : ', not certain'}`)),
      ...(isAll ? use.indirect : []).map((read) => lineOf(read, 'made at run time')),
      ...(hidden === 0 ? [] : [{ phrase: [toned('dim', `${hidden} more (--verbose)`)] }]),
    ],
  };
}

/** The limit in a list of flags; --verbose and, of references, --target show all. */
const MOST_PLACES = 3;

function indirectEntries({ code }: RefsReport): ReportEntry[] {
  return code.repositories.flatMap(({ name: repository, code: { indirectReads } }) =>
    indirectReads.map(({ place, prefix = '', part, suffix = '' }): ReportEntry => {
      const like = `${prefix}*${part === undefined ? '' : `${part}*`}${suffix}`;
      const keys = like === '*' ? 'any key' : `keys like ${escapeLine(like)}`;
      return { head: [sourceText(defined({ repository })), placeText(place), '  ', toned('dim', keys)] };
    }),
  );
}

const MOST_INDIRECT = 10;

export function staleModel(report: StaleReport, verbose: boolean): ReportModel {
  const { flags, days, asked, unasked, unexplained } = report;
  const isInFull = verbose || report.listed || flags.length <= MOST_IN_FULL;
  const why =
    unexplained === undefined
      ? ''
      : `; the service was not asked why ${count(unexplained, 'flag')} ${unexplained === 1 ? 'is' : 'are'} stale, or did not say`;
  const steps = STEPS.map((step) => ({ step, own: flags.filter((flag) => flag.step === step) }));
  return {
    command: 'stale',
    title: { words: 'Stale flags', isCheck: true },
    summary: staleSummary(report),
    standing: flags.some(({ step }) => step !== 'none') ? 'open' : 'good',
    page: () => ({
      facts: [
        {
          place: 'note',
          phrase: `“Lately” means in the last ${count(days, 'day')}. Asked: ${asked.map(escapeLine).join(', ') || 'no service'}${why}`,
        },
        ...(isInFull
          ? []
          : [{ place: 'note' as const, phrase: 'Name flags, or add --verbose, to see their evidence and owners.' }]),
      ],
      notices: noticesOf(
        report,
        'Not everything is known, so some flags have no further step',
        unasked.length === 0 ? [] : [{ phrase: `not asked: ${unaskedText(report)}.` }],
      ),
      groups: steps
        .filter(({ own }) => own.length > 0)
        .map(({ step, own }): ReportGroup => {
          const { title, what } = STEP_WORDS[step];
          return {
            title,
            counted: `${title} (${count(own.length, 'flag')})`,
            ...BLOCKS,
            prominence: TAKING.has(step) ? 'open' : 'headed',
            entries: isInFull ? own.map((flag) => entryOfStale(flag, verbose)) : entriesByReason(own, reasonText),
            hints: [what],
          };
        }),
    }),
    remarks: () =>
      flags
        .filter(({ step }) => step !== 'none')
        .map((flag): Remark => {
          const evidence = SIGNALS.filter((name) => flag.signals[name] !== 'unknown').map((name) =>
            signalText(flag, name),
          );
          return {
            family: 'refs',
            rule: 'stale',
            level: 'note',
            text: `The flag ${quoteShort(flag.key)} may go: ${evidence.join('; ')}.`,
            remedy: STEP_WORDS[flag.step].what,
            name: flag.key,
            ...defined({ place: flag.place }),
          };
        }),
  };
}

function reasonText({ signals }: StaleFlag): string {
  const known = SIGNALS.filter((name) => signals[name] !== 'unknown');
  return known.map((name) => SIGNAL_WORDS[name][signals[name]]).join('; ') || 'nothing is known';
}

function entryOfStale(flag: StaleFlag, verbose: boolean): ReportEntry {
  const { key, place, use, holders, step } = flag;
  const certain = use.references.filter((reference) => reference.certain);
  const shown = verbose ? certain : certain.slice(0, MOST_PLACES);
  const hidden = certain.length - shown.length;
  const signals = SIGNALS.filter(
    (name) => flag.signals[name] !== 'unknown' || name === 'code' || name === 'calls' || step === 'none',
  );
  return {
    head: [toned('strong', escapeLine(key)), `  ${ownerText(flag)}${place === undefined ? ', not declared' : ''}`],
    lines: [
      ...signals.map((name) => ({ phrase: signalText(flag, name) })),
      ...shown.map((reference) => ({ phrase: `${sourceText(reference)}${placeText(reference.place)}`, indent: 2 })),
      ...(hidden === 0 ? [] : [{ phrase: [toned('dim', `${hidden} more (--verbose)`)], indent: 2 }]),
      ...holders.map((holder) => ({ phrase: `used by ${holderText(holder)}` })),
      ...(place === undefined ? [] : [{ phrase: [toned('dim', `declared in ${placeText(place)}`)] }]),
    ],
  };
}

/** Places of other repositories have no line here. */
function referenceRemarks(report: RefsReport): Remark[] {
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
