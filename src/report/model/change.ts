/** One change as an entry: a head with sign, verb, key and details, and a line for each field below it. */

import type { Change, Action, DeleteFlag } from '../../posthog/plan.ts';
import { labelsOf } from '../words/kinds.ts';
import type { ReportEntry, ReportGroup, ReportLine, ChangeMark } from './report-model.ts';
import { escapeLine, placeText, quoteShort } from '../escape.ts';
import { plannedFields } from '../shown-fields.ts';
import { NO_NOTES, noteOfChange, type DivergenceNotes } from '../words/three-way.ts';
import { fieldLines } from './fields.ts';
import { toned, type Phrase, type Span } from './phrase.ts';
import { defined } from '../../base/optional.ts';

const MARKS: Readonly<Record<Action, readonly [sign: string, tone: ChangeMark['tone']]>> = {
  create: ['+', 'add'],
  update: ['~', 'change'],
  restore: ['↺', 'change'],
  delete: ['-', 'remove'],
  grant: ['»', 'add'],
  adjust: ['±', 'change'],
  revoke: ['«', 'remove'],
};

const DELETE_REASONS: Readonly<Record<DeleteFlag['reason'], string>> = {
  retired: 'deleted: true',
  pruned: 'in no manifest, --prune',
  undone: 'created or restored by the run',
};

const VERB_WIDTH = 7;

/** The layout of changes in text. */
export const CHANGES: Pick<ReportGroup, 'form' | 'indent' | 'spacing'> = {
  form: 'changes',
  indent: { head: 2, lines: 12 },
  spacing: 'around',
};

/** The layout of differences that a run leaves, and of outcomes. */
export const BLOCKS: Pick<ReportGroup, 'form' | 'indent'> = { form: 'blocks', indent: { head: 2, lines: 6 } };

export const LIST: Pick<ReportGroup, 'form' | 'indent'> = { form: 'list', indent: { head: 2, lines: 2 } };

interface ChangeOptions {
  readonly verbose: boolean;
  /** Whether the manifests ask for it, at a place. */
  readonly places: boolean;
  /** The notes about values that differ from the base. */
  readonly notes?: DivergenceNotes;
}

export function changeEntry(change: Change, options: ChangeOptions): ReportEntry {
  const note = options.notes === undefined ? '' : noteOfChange(change, options.notes);
  return {
    mark: markOf(change.action),
    head: [...nameSpans(change), ...factSpans(change, options.verbose), ...noteSpans(note)],
    lines: [
      ...valueLines(change, options),
      ...labelsOf(change)
        .consequences(change, quoteShort)
        .map((text) => ({ phrase: [toned('dim', text)] })),
    ],
  };
}

function valueLines(change: Change, { verbose, places, notes }: ChangeOptions): ReportLine[] {
  if (!('fields' in change) || change.action === 'delete') return [];
  const labels = labelsOf(change);
  return fieldLines(
    plannedFields(change),
    change.action === 'create'
      ? { labels, verbose, notes: NO_NOTES, places: false, onlyAfter: true }
      : { labels, verbose, places, headPlace: change.source, ...defined({ notes }) },
  );
}

function markOf(action: Action): ChangeMark {
  const [sign, tone] = MARKS[action];
  return { sign, verb: action.padEnd(VERB_WIDTH), tone };
}

/** The sign and the word of a drift report. */
export function driftMark(action: Action): ChangeMark {
  const [sign, verb, tone] = SEEN[action];
  return { sign, verb: verb.padEnd(VERB_WIDTH), tone };
}

const SEEN: Readonly<Record<Action, readonly [sign: string, verb: string, tone: ChangeMark['tone']]>> = {
  create: ['-', 'missing', 'remove'],
  update: ['~', 'differs', 'change'],
  restore: ['-', 'deleted', 'remove'],
  delete: ['+', 'live', 'add'],
  grant: ['-', 'role', 'remove'],
  adjust: ['~', 'level', 'change'],
  revoke: ['+', 'role', 'add'],
};

/** `+ create  new-checkout`, `» grant   new-checkout to engineering`: names a change in results. */
export function changeHead(change: Change): readonly Span[] {
  const { sign, verb, tone } = markOf(change.action);
  return [toned(tone, `${sign} ${verb}`), ' ', ...nameSpans(change)];
}

function nameSpans(change: Change): Span[] {
  return [toned('strong', escapeLine(change.key)), labelsOf(change).target(change, quoteShort)];
}

function factSpans(change: Change, verbose: boolean): Span[] {
  const facts = [...labelsOf(change).identity(change, verbose)];
  if (change.action === 'delete') facts.push(DELETE_REASONS[change.reason]);
  if (change.source !== undefined) facts.push(placeText(change.source));
  return facts.length === 0 ? [] : ['  ', toned('dim', facts.map(escapeLine).join(' · '))];
}

export function noteSpans(note: string): Span[] {
  return note === '' ? [] : ['  ', toned('warning', note)];
}

/** Lines that are not in a tone of their own. */
export function linesOf(phrases: readonly Phrase[]): ReportLine[] {
  return phrases.map((phrase) => ({ phrase }));
}
