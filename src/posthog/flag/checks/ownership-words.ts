/** The words for the problems of `ownership`. */

import { ERROR, quoted, WARNING, type WordsFor } from '../../../base/wording.ts';
import { placeText } from '../../../manifest/problems.ts';
import { explainFieldPath } from '../../names/field-path-words.ts';
import type { OwnershipProblems } from './problems.ts';

export const OWNERSHIP_WORDS: WordsFor<OwnershipProblems> = {
  'ownership-path-invalid': {
    title: 'A path in `ownership` names no field',
    severities: ERROR,
    hint: 'Write a path such as `active` or `conditions.2.rollout_percentage`, or a JSON pointer in the names of the API.',
    message: ({ path, problem }) => explainFieldPath(path, problem).message,
    remedy: ({ path, problem }) => explainFieldPath(path, problem).remedy,
  },
  'ownership-fixed': {
    title: 'A path in `ownership` names what only git decides',
    severities: ERROR,
    hint: 'Remove the path: the key of a flag, and whether the flag exists, are always managed.',
    message: ({ path }) => `${quoted(path)} is always managed.`,
  },
  'ownership-names-nothing': {
    title: 'A path in `ownership` names no part of the flag',
    severities: ERROR,
    hint: 'Correct the path: conditions are named by number, counted from 1, or by description, and variants by key.',
    message: ({ path }) => `The flag has nothing at ${quoted(path)}.`,
  },
  'ownership-unmanaged': {
    title: '`ownership` names a field that is not managed',
    severities: WARNING,
    hint: 'Remove the path, or declare the field: without a declared value it is neither compared nor written anyway.',
    message: ({ path, field }) => `${quoted(path)} has no effect: the manifest does not declare ${quoted(field)}.`,
  },
  'ownership-bounds-order': {
    title: 'The bounds of `between` are in the wrong order',
    severities: ERROR,
    hint: 'Write the lower bound first.',
    message: ({ low, high }) => `The lower bound ${low} is greater than the upper bound ${high}.`,
    remedy: ({ low, high }) => `Write \`between: [${high}, ${low}]\`.`,
  },
  'ownership-between-unfit': {
    title: '`between` is used for a value that is not a number',
    severities: ERROR,
    hint: 'Use `observed` or `initial`, or name a number such as `conditions.1.rollout_percentage`.',
    message: ({ path, found }) => `${quoted(path)} is not a number (${found}), so it has no bounds.`,
  },
  'ownership-value-outside': {
    title: 'A declared value is outside the bounds of its `ownership`',
    severities: ERROR,
    hint: 'Declare a value inside the bounds, or widen them.',
    message: ({ path, value, low, high }) => `${value} is outside the bounds ${low} to ${high} of ${quoted(path)}.`,
    remedy: ({ rule }) => `Declare a value inside the bounds, or widen them at ${placeText(rule)}.`,
  },
};
