/** The models of edits of manifests: what `accept` and `promote` took over. */

import { defined } from '../../base/optional.ts';
import type { AcceptedFlag, LeftFlag, LeftPromotion } from '../../editing/edit.ts';
import type { BaseFacts } from '../../core/engine/base.ts';
import { escapeLine, placeText, quoteShort } from '../escape.ts';
import { joined, type Phrase, phraseOf, plainText, type Span, toned } from '../phrase.ts';
import { attributionsOf, authorsOf } from '../editing.ts';
import type { ReportOf } from '../report.ts';
import { filesGroup, sourceSpan } from './files.ts';
import { countNamed, keysText } from '../words/amounts.ts';
import { attributionText } from '../words/authors.ts';
import { ACCEPT_NOTES, baseText, noBaseNote } from '../words/base.ts';
import {
  acceptSummary,
  keptReason,
  labelsOfNamed,
  leftPromotionText,
  leftText,
  promoteSummary,
} from '../words/editing.ts';
import { CHANGES, linesOf, summed, withLines } from './change.ts';
import { fieldLines, type FieldOptions } from './fields.ts';
import type { GroupSort, Notice, ReportEntry, ReportGroup, ReportModel } from './report-model.ts';

export function acceptModel(report: ReportOf<'accept'>, verbose: boolean): ReportModel {
  const { project, left, pending, files, base } = report;
  // Changes of git wait for an apply.
  const waiting = `Not accepted, since git changed them after the last apply, which --pending would undo: ${keysText(pending.map(({ key }) => key))}.`;
  return {
    title: { words: 'Accept from', project },
    summary: acceptSummary(report),
    page: () => ({
      facts: [
        ...(pending.length === 0 ? [] : [{ place: 'rest', phrase: [toned('dim', waiting)] } as const]),
        ...(base === undefined ? [] : [summed('Base', [toned('dim', baseFact(base))])]),
      ],
      notices: [
        unwrittenNotice(left, (flag) => phraseOf((quote) => leftText(flag, quote))),
        {
          about: 'comment',
          title: 'Not accepted: git changed them after the last apply',
          statements: pending.map(({ key }) => ({ phrase: [{ value: key }] })),
        },
      ],
      groups: [acceptedGroup(report, verbose), filesGroup(files)],
    }),
  };
}

/** An edit in the service and an unapplied change of the manifests cannot be told apart without a base. */
function baseFact(base: BaseFacts): Phrase {
  if (base.kind === 'commit') return `Compared with ${baseText(base)}.`;
  const every = 'Every difference counts as an edit in PostHog, since changes in git cannot be told apart: ';
  return [every, { code: noBaseNote(base.reason) }, '.'];
}

/** A comment groups the flags by who changed them in the service. */
function acceptedGroup({ accepted, added, attributions }: ReportOf<'accept'>, verbose: boolean): ReportGroup {
  const authors = new Map<string, { readonly names: readonly Span[]; readonly keys: string[] }>();
  const entries = accepted.map((flag): ReportEntry => {
    // One author, or several in the order in which they changed the flag.
    const found = authorsOf(flag, attributions).map(({ by, via }): Span[] => [by === undefined ? via : { code: by }]);
    const names = found.length === 0 ? ['somebody unknown'] : joined(found);
    const sort = plainText(names);
    const own = authors.get(sort) ?? { names, keys: [] };
    own.keys.push(flag.key);
    authors.set(sort, own);
    const by = attributionsOf(flag, attributions).map((one) => [toned('dim', attributionText(one, quoteShort))]);
    return {
      ...withLines(editedEntry(flag, 'accept ', { verbose, notes: ACCEPT_NOTES }), linesOf(by)),
      sort,
    };
  });
  const sorts = [...authors].map(([name, { names, keys }], index): GroupSort => ({
    name,
    counted: `${index + 1}. ${countNamed(keys)} accepted`,
    intro: [`${countNamed(keys)} changed by `, ...names],
  }));
  const declared = added.map(({ key, place }): ReportEntry => ({
    sort: DECLARED,
    mark: { sign: '+', verb: 'declare', tone: 'add' },
    head: [toned('strong', escapeLine(key)), '  ', toned('dim', placeText(place))],
  }));
  return {
    title: 'Changes',
    ...CHANGES,
    entries: [...entries, ...declared],
    sorts: [...sorts, { name: DECLARED, counted: `${added.length} declared`, isVerb: true }],
  };
}

const DECLARED = 'declared';

function editedEntry(
  { key, changes }: AcceptedFlag,
  verb: string,
  options: Pick<FieldOptions, 'verbose' | 'notes'>,
): ReportEntry {
  const fields = changes.map(({ path, before, after, place, divergence, base }) => ({
    path,
    ...defined({ before, after, source: place, divergence, base }),
  }));
  return {
    mark: { sign: '~', verb, tone: 'change' },
    head: [toned('strong', escapeLine(key))],
    lines: fieldLines(fields, { ...options, labels: labelsOfNamed(key), places: true }),
  };
}

function unwrittenNotice<Left extends LeftFlag | LeftPromotion>(
  left: readonly Left[],
  write: (flag: Left) => Phrase,
): Notice {
  return {
    about: 'unwritten',
    title: 'Left as they are',
    statements: left.map((flag) => ({ phrase: write(flag), ...defined({ suggestion: flag.suggestion }) })),
  };
}

export function promoteModel(report: ReportOf<'promote'>, verbose: boolean): ReportModel {
  const { from, to, source, promoted, left, files, same, kept } = report;
  const name = (text: string): Span => toned('strong', escapeLine(text));
  // The keys that were named and have no difference.
  const named = verbose ? same : same.slice(0, MOST_NAMED);
  const more = same.length === named.length ? '' : `, and ${same.length - named.length} more`;
  const already = toned('dim', `= already the same in ${escapeLine(to)}:`);
  return {
    title: { words: ['Promote from ', name(from), ' to ', name(to), ' ', sourceSpan(source)] },
    summary: promoteSummary(report),
    page: () => ({
      facts:
        same.length === 0
          ? []
          : [{ place: 'left', phrase: ['  ', already, ' ', ...joined(named.map((key) => [name(key)])), more] }],
      notices: [unwrittenNotice(left, leftPromotionText)],
      groups: [
        {
          title: 'Changes',
          ...CHANGES,
          entries: promoted.map((flag) => editedEntry(flag, 'promote', { verbose })),
        },
        {
          title: 'Kept',
          form: 'list',
          indent: { head: 12, lines: 12 },
          // Each value, below the flag that it is of.
          entries: kept.map((value) => {
            const { key, path } = value;
            const field = escapeLine(verbose ? path : labelsOfNamed(key).field(path));
            return {
              subject: [toned('dim', '= keep'), ' ', name(key)],
              head: [`${field}  `, toned('dim', keptReason(value, report))],
            };
          }),
        },
        filesGroup(files),
      ],
    }),
  };
}

const MOST_NAMED = 10;
