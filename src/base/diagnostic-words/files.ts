/** The words for problems of files and of YAML. */

import type { DiagnosticEntries } from './entry.ts';
import { ERROR, listed, quoted, shown } from './entry.ts';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  ELOOP: 'its symbolic links lead in a circle',
  EMFILE: 'too many files are open',
  EIO: 'the disk reports an error',
};

const KEYS: Readonly<Record<string, string>> = {
  null: 'empty',
  array: 'a list',
  object: 'a mapping',
  number: 'a number',
  boolean: 'true or false',
};

export const FILE_WORDS: DiagnosticEntries<
  | 'file-unreadable'
  | 'file-too-large'
  | 'file-not-utf8'
  | 'file-outside'
  | 'manifests-none'
  | 'yaml-syntax'
  | 'yaml-tab'
  | 'yaml-duplicate-key'
  | 'yaml-alias-bomb'
  | 'yaml-alias-unknown'
  | 'yaml-merge-not-mapping'
  | 'yaml-too-deep'
  | 'yaml-key-not-text'
  | 'number-imprecise'
  | 'character-forbidden'
> = {
  'file-unreadable': {
    title: 'A file or folder cannot be read',
    severities: ERROR,
    hint: 'Check that it exists and that you may read it.',
    message: ({ reason }) => `This file or folder cannot be read: ${REASONS[reason] ?? shown(reason)}.`,
  },
  'file-too-large': {
    title: 'A file is larger than flagwright reads',
    severities: ERROR,
    hint: 'Split it into several files, or check that it is a manifest.',
    message: ({ bytes, limit }) => `This file has ${bytes} bytes; at most ${limit} are read.`,
  },
  'file-not-utf8': {
    title: 'A file is not UTF-8 text',
    severities: ERROR,
    hint: 'Save it as UTF-8.',
    message: ({ offset, encoding }) =>
      encoding === undefined
        ? `This file is not UTF-8: byte ${offset} does not belong to any character.`
        : `This file is ${shown(encoding)}, not UTF-8.`,
  },
  'file-outside': {
    title: "A pattern or a symbolic link leaves the configuration's folder",
    severities: ERROR,
    hint: 'Keep manifests in or below the folder of flagwright.yaml.',
    message: ({ pattern }) => `${quoted(pattern)} leads out of the folder of the configuration.`,
  },
  'manifests-none': {
    title: 'No file matches `manifests`',
    severities: ERROR,
    hint: 'Correct `manifests` in flagwright.yaml, or write a first manifest with `flagwright init`.',
    message: ({ patterns }) => `No manifest matches ${listed(patterns)}.`,
  },
  'yaml-syntax': {
    title: 'The text is not YAML',
    severities: ERROR,
    hint: 'Mend the syntax; the checks of this document follow once it can be read.',
    message: ({ detail }) => `This is not valid YAML: ${shown(detail).replace(/\.$/, '')}.`,
  },
  'yaml-tab': {
    title: 'A line is indented with a tab',
    severities: ERROR,
    hint: 'Indent with spaces; YAML has no tabs there.',
    message: () => 'This line is indented with a tab.',
  },
  'yaml-duplicate-key': {
    title: 'A mapping has the same key twice',
    severities: ERROR,
    hint: 'Keep one of the two.',
    message: ({ key }) => `${quoted(key)} is already a key of this mapping.`,
  },
  'yaml-alias-bomb': {
    title: 'Aliases stand for too many values',
    severities: ERROR,
    hint: 'Use fewer aliases of aliases.',
    message: ({ limit }) => `The aliases of this file stand for more than ${limit} values.`,
  },
  'yaml-alias-unknown': {
    title: 'An alias has no anchor before it',
    severities: ERROR,
    hint: 'Write the anchor (`&name`) above the alias and not around it, in the same document.',
    message: ({ alias }) => `There is no anchor ${quoted(alias)} before this alias.`,
  },
  'yaml-merge-not-mapping': {
    title: 'A merge key has a value that is no mapping',
    severities: ERROR,
    hint: 'Give `<<` an alias of a mapping, or a list of such aliases.',
    message: () => 'Only mappings can be merged with `<<`.',
  },
  'yaml-too-deep': {
    title: 'Values nest too deeply',
    severities: ERROR,
    hint: 'Flatten the value; a payload can also be given as JSON text.',
    message: ({ limit }) => `This is nested more than ${limit} levels deep.`,
  },
  'yaml-key-not-text': {
    title: 'A key of a mapping is not text',
    severities: ERROR,
    hint: 'Use a text as the key.',
    message: ({ found }) => `A key must be text; this one is ${KEYS[found] ?? shown(found)}.`,
  },
  'number-imprecise': {
    title: 'A number has more digits than can be kept here',
    severities: ERROR,
    hint: 'Write it with fewer digits, or in quotes where a string will do.',
    message: ({ found }) => `${shown(found)} would be rounded.`,
  },
  'character-forbidden': {
    title: 'A string holds a character that the service cannot store',
    severities: ERROR,
    hint: 'Remove it; neither NUL nor half of a surrogate pair can be stored.',
    message: ({ character }) => `This string holds ${character}, which the service cannot store.`,
    remedy: ({ character }) =>
      character === 'U+0000' ? 'Remove it.' : 'Remove it, or write both halves of the surrogate pair.',
  },
};
