/** The words for a text that names no place in a flag or cohort. */

import { nearestFirst } from '../../base/text.ts';
import { listed, quoted, docsPage } from '../../base/wording.ts';
import type { OwnKind } from '../kind-types.ts';
import type { FieldPathProblem } from '../../core/engine/field-path.ts';

/** `message` says what is wrong, `remedy` what to write. */
export function explainFieldPath(
  text: string,
  problem: FieldPathProblem,
  of: OwnKind = 'flag',
): { readonly message: string; readonly remedy: string } {
  switch (problem.kind) {
    case 'empty':
      return { message: 'The name of a field is empty.', remedy: `Write a name such as ${WORDS[of].example}.` };
    case 'empty_part':
      return { message: `A part of ${quoted(text)} is empty.`, remedy: 'Write one dot between two parts.' };
    case 'quotation':
      return {
        message: `The quotation marks in ${quoted(text)} are not around a whole part.`,
        remedy: 'Write a part that has a dot in it as `"…"`, between dots.',
      };
    case 'zero':
      return {
        message: `${quoted(text)} names element 0 of ${problem.outer}; elements are counted from 1.`,
        remedy: 'Write 1 for the first.',
      };
    case 'too_deep':
      return {
        message: `${quoted(problem.outer)} has no parts, so ${quoted(text)} names nothing.`,
        remedy: `Leave out ${quoted(problem.part)} and what follows.`,
      };
    case 'number':
      return {
        message: `${quoted(problem.outer)} is sent as it is, so ${quoted(problem.part)} in ${quoted(text)} may be a name or a number.`,
        remedy: `Write a JSON pointer in the names of the API, such as \`${WORDS[of].pointer}\`.`,
      };
    case 'computed':
      return {
        message: `The service computes ${quoted(problem.field)}, so it is never compared.`,
        remedy: `Write a field that a manifest may declare, such as ${WORDS[of].example}.`,
      };
    case 'unknown':
      return explainUnknown(text, problem, of);
  }
}

/** The words of each kind: an example of a name and of a pointer, and what lacks an unknown part. */
const WORDS: Readonly<Record<OwnKind, { readonly example: string; readonly pointer: string; readonly noun: string }>> =
  {
    flag: {
      example: '`active` or `conditions.2.rollout_percentage`',
      pointer: '/filters/holdout_groups/0',
      noun: 'A flag',
    },
    cohort: {
      example: '`name` or `definition.1.2.value`',
      pointer: '/filters/properties/values/0/value/0',
      noun: 'A cohort',
    },
    early_access: { example: '`stage`', pointer: '/stage', noun: 'An early access feature' },
  };

function explainUnknown(
  text: string,
  { part, outer, known, suggestion }: Extract<FieldPathProblem, { readonly kind: 'unknown' }>,
  of: OwnKind,
): { readonly message: string; readonly remedy: string } {
  const where = outer === '' ? WORDS[of].noun : quoted(outer);
  const message =
    part === ''
      ? `${quoted(text)} names no field.`
      : `${where} has no part ${quoted(part)}${part === text ? '' : ` (in ${quoted(text)})`}.`;
  if (suggestion !== undefined) return { message, remedy: `Did you mean ${quoted(suggestion)}?` };
  return { message, remedy: `Write ${namesText(part, known)}, or a JSON pointer in the names of the API.` };
}

const MOST_NAMES = 5;

/** The names, or of many those most like what was written. */
function namesText(written: string, names: readonly string[]): string {
  if (names.length <= MOST_NAMES + 1) return listed(names);
  const near = nearestFirst(written, names).slice(0, MOST_NAMES);
  const more = `one of ${names.length - MOST_NAMES} more (${docsPage('ownership#paths')})`;
  return `${near.map((name) => quoted(name)).join(', ')} or ${more}`;
}
