/** The problems of a YAML file, its bytes and its syntax, and their words. */

import type { DiagnosticOf, NoArgs } from '../diagnostic.ts';
import { memberOf } from '../json.ts';
import type { ValueProblems } from '../shape/problems.ts';
import { withoutFullStop } from '../text.ts';
import { ERROR, quoted, shown, sizeText, type WordsFor } from '../wording.ts';

export interface YamlProblems {
  'file-unreadable': { readonly reason: string };
  'file-too-large': { readonly bytes: number; readonly limit: number };
  /** `encoding`: the actual one, when the first bytes of the file reveal it. */
  'file-not-utf8': { readonly offset: number; readonly encoding?: string };
  'yaml-syntax': { readonly detail: string };
  'yaml-tab': NoArgs;
  'yaml-merge-conflict': NoArgs;
  /** `first`: the line of the other one. */
  'yaml-duplicate-key': { readonly key: string; readonly first?: number };
  'yaml-alias-bomb': { readonly limit: number };
  'yaml-alias-unknown': { readonly alias: string };
  'yaml-merge-not-mapping': NoArgs;
  'yaml-too-deep': { readonly limit: number };
  'yaml-key-not-text': { readonly found: string };
  /** `name`: of the member, `-` for an element of a list. `comment`: the one that follows on the line. */
  'value-missing': { readonly name: string; readonly comment?: string };
}

export type YamlDiagnostic = DiagnosticOf<YamlProblems & ValueProblems>;

export const YAML_WORDS: WordsFor<YamlProblems> = {
  'file-unreadable': {
    title: 'A file or folder cannot be read',
    severities: ERROR,
    hint: 'Check that it exists and that you may read it.',
    message: ({ reason }) => `This file or folder cannot be read: ${unreadableText(reason)}.`,
  },
  'file-too-large': {
    title: 'A file is larger than the limit',
    severities: ERROR,
    hint: 'Split it into several files, or check that it is meant for flagwright.',
    message: ({ bytes, limit }) => `This file has ${sizeText(bytes)}; the limit is ${sizeText(limit)}.`,
  },
  'file-not-utf8': {
    title: 'A file is not UTF-8 text',
    severities: ERROR,
    hint: 'Save it as UTF-8.',
    message: ({ offset, encoding }) =>
      encoding === undefined
        ? `This file is not UTF-8: byte ${offset} is not part of a valid character.`
        : `This file is ${shown(encoding)}, not UTF-8.`,
    hidesSource: true,
  },
  'yaml-syntax': {
    title: 'The file is not valid YAML',
    severities: ERROR,
    hint: 'Fix the syntax; this document is checked further once it can be parsed.',
    message: ({ detail }) => `This is not valid YAML: ${withoutFullStop(shown(detail))}.`,
  },
  'yaml-tab': {
    title: 'A line is indented with a tab',
    severities: ERROR,
    hint: 'Indent with spaces; YAML does not allow tabs there.',
    message: () => 'This line is indented with a tab.',
  },
  'yaml-merge-conflict': {
    title: 'Git could not merge a part of the file',
    severities: ERROR,
    hint: 'Resolve the conflict, and remove the lines with <<<<<<<, ======= and >>>>>>>.',
    message: () => 'A merge conflict begins here.',
  },
  'yaml-duplicate-key': {
    title: 'A mapping has the same key twice',
    severities: ERROR,
    hint: 'Remove one of the two.',
    message: ({ key, first }) =>
      `This mapping already has the key ${quoted(key)}${first === undefined ? '' : `, on line ${first}`}.`,
  },
  'yaml-alias-bomb': {
    title: 'Aliases expand to too many values',
    severities: ERROR,
    hint: 'Use fewer aliases of aliases.',
    message: ({ limit }) => `The aliases of this file expand to more than ${limit} values.`,
  },
  'yaml-alias-unknown': {
    title: 'An alias has no anchor before it',
    severities: ERROR,
    hint: 'Define the anchor (`&name`) earlier in the same document, and not around the alias.',
    message: ({ alias }) => `No anchor ${quoted(alias)} is defined before this alias.`,
  },
  'yaml-merge-not-mapping': {
    title: 'A merge key has a value that is not a mapping',
    severities: ERROR,
    hint: 'Give `<<` an alias of a mapping, or a list of such aliases.',
    message: () => 'Only mappings can be merged with `<<`.',
  },
  'yaml-too-deep': {
    title: 'Values are nested too deeply',
    severities: ERROR,
    hint: 'Flatten the value; a payload can also be written as JSON text.',
    message: ({ limit }) => `This is nested more than ${limit} levels deep.`,
  },
  'yaml-key-not-text': {
    title: 'A key of a mapping is not a string',
    severities: ERROR,
    hint: 'Use a string as the key.',
    message: ({ found }) => `A key must be a string; this one is ${memberOf(KEYS, found) ?? shown(found)}.`,
  },
  'value-missing': {
    title: 'A member has no value',
    severities: ERROR,
    hint: 'Write the value, or remove the name; `null` in an overlay removes the value declared for all projects.',
    message: ({ name, comment }) =>
      `${name === '-' ? 'This dash' : quoted(name)} has no value${comment === undefined ? '' : ': ` #` begins a comment'}.`,
    remedy: ({ name, comment }) =>
      comment === undefined || /^[ #]|^$/.test(comment)
        ? `Write ${name === '-' ? 'the element, or remove the dash' : 'the value, or remove the name'}; \`{}\`, \`[]\` and \`null\` are values.`
        : `Put the value in quotes, "${shown(`#${comment.trim()}`)}", or remove the name.`,
  },
};

/** `reason`: the code of a system error, or of another problem of a file. */
export function unreadableText(reason: string): string {
  return memberOf(REASONS, reason) ?? shown(reason);
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'it does not exist',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  ELOOP: 'its symbolic links form a loop',
  EMFILE: 'too many files are open',
  EIO: 'the disk reports an error',
  'file-outside': 'it is outside the folder of the configuration',
  'file-too-large': 'it is too large',
  'file-not-utf8': 'it is not UTF-8',
};

const KEYS: Readonly<Record<string, string>> = {
  null: 'empty',
  array: 'a list',
  object: 'a mapping',
  number: 'a number',
  boolean: 'true or false',
};
