/** One change of a plan as text: a line with glyph, verb, key and details, and a line for each field below it. */

import type { Action, Change, DeleteFlag } from '../../../posthog/plan.ts';
import { escapeLine, quoteShort } from '../../escape.ts';
import { fieldLines, type FieldTextOptions } from './fields.ts';
import { placeText } from './place.ts';
import type { Paint, Palette } from '../../view.ts';
import { plannedFields } from '../../shown-fields.ts';
import { labelsOf } from '../../words/kinds.ts';
import { NO_NOTES, noteOfChange } from '../../words/three-way.ts';

const GLYPHS: Readonly<Record<Action, string>> = {
  create: '+',
  update: '~',
  restore: '↺',
  delete: '-',
  grant: '»',
  adjust: '±',
  revoke: '«',
};

const DELETE_REASONS: Readonly<Record<DeleteFlag['reason'], string>> = {
  retired: 'deleted: true',
  pruned: 'in no manifest, --prune',
  undone: 'created or restored by the run',
};

/** The labels of fields are those of the change's own kind. */
type ChangeTextOptions = Omit<FieldTextOptions, 'labels'>;

const VERB_WIDTH = 7;
/** Of the lines below the head of a change. */
export const INDENT: string = ' '.repeat(12);

/** Several changes, with a blank line around each that has more than one line. */
export function changeListLines(blocks: readonly (readonly string[])[]): string[] {
  return blocks.flatMap((lines, index) => {
    const previous = blocks[index - 1];
    const apart = previous !== undefined && (previous.length > 1 || lines.length > 1);
    return apart ? ['', ...lines] : [...lines];
  });
}

export function changeLines(change: Change, options: ChangeTextOptions): string[] {
  const note = options.notes === undefined ? '' : noteOfChange(change, options.notes);
  const noted = note === '' ? '' : `  ${options.palette.warning(note)}`;
  const head = `  ${changeHead(change, options.palette)}${factsText(change, options)}${noted}`;
  const labels = labelsOf(change);
  const consequences = labels.consequences(change, quoteShort).map((text) => INDENT + options.palette.dim(text));
  if (!('fields' in change) || change.action === 'delete') return [head, ...consequences];
  const fieldOptions =
    change.action === 'create'
      ? { ...options, notes: NO_NOTES, labels, places: false, onlyAfter: true }
      : { ...options, labels, headPlace: change.source };
  return [head, ...fieldLines(plannedFields(change), fieldOptions).map((line) => INDENT + line), ...consequences];
}

/** `+ create  new-checkout`, `» grant   new-checkout to engineering`: names a change in plans and results. */
export function changeHead(change: Change, palette: Palette): string {
  const paint = actionPaint(change.action, palette);
  const verb = change.action.padEnd(VERB_WIDTH);
  const target = labelsOf(change).target(change, quoteShort);
  return `${paint(`${GLYPHS[change.action]} ${verb}`)} ${palette.strong(escapeLine(change.key))}${target}`;
}

function factsText(change: Change, { palette, verbose }: ChangeTextOptions): string {
  const facts = [...labelsOf(change).identity(change, verbose)];
  if (change.action === 'delete') facts.push(DELETE_REASONS[change.reason]);
  if (change.source !== undefined) facts.push(placeText(change.source));
  return facts.length === 0 ? '' : `  ${palette.dim(facts.map(escapeLine).join(' · '))}`;
}

function actionPaint(action: Action, palette: Palette): Paint {
  switch (action) {
    case 'create':
    case 'grant':
      return palette.add;
    case 'update':
    case 'restore':
    case 'adjust':
      return palette.change;
    case 'delete':
    case 'revoke':
      return palette.remove;
  }
}
