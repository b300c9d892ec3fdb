/** The words about where code reads flags. */

import type { ReferenceForm, SkippedFiles } from '../../references/reference.ts';
import type { Standing } from '../../references/standing.ts';
import type { FlagUse, Gap, JudgedFlag, OfRepository } from '../../references/use.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import type { ReferenceCounts } from '../reference-counts.ts';
import { count } from './amounts.ts';

/** What the flag is, and what code that reads it gets. */
export const STANDING_WORDS: Readonly<Record<Standing, { readonly is: string; readonly gets?: string }>> = {
  active: { is: 'active' },
  disabled: { is: 'disabled', gets: 'every read answers false' },
  rolled_out: { is: 'rolled out to everyone', gets: 'every read has the same answer' },
  deleted: { is: 'deleted', gets: 'every read answers false or nothing' },
  renamed: { is: 'renamed', gets: 'reads of its former key answer false or nothing' },
  undeclared: { is: 'not declared' },
};

export const FORM_WORDS: Readonly<Record<ReferenceForm, string>> = {
  call: 'call of the SDK',
  accessor: 'generated accessor',
  pattern: 'pattern of the configuration',
  string: 'string',
  constant: 'constant',
  text: 'text',
};

const SKIPPED_WORDS: Readonly<Record<keyof SkippedFiles, readonly [one: string, several: string]>> = {
  binary: ['binary file', 'binary files'],
  generated: ['generated or minified file', 'generated or minified files'],
  large: ['file of more than 10 MB', 'files of more than 10 MB'],
  unreadable: ['unreadable file', 'unreadable files'],
  submodules: ['submodule', 'submodules'],
};

/** `12 binary files, 1 submodule`; empty if every file was searched. */
export function skippedText(skipped: SkippedFiles): string {
  return (Object.keys(SKIPPED_WORDS) as (keyof SkippedFiles)[])
    .filter((why) => skipped[why].length > 0)
    .map((why) => count(skipped[why].length, ...SKIPPED_WORDS[why]))
    .join(', ');
}

export function gapText(gap: Gap): string {
  switch (gap.code) {
    case 'files_not_searched':
      return `${sourceText(gap)}${count(gap.files.length, ...SKIPPED_WORDS[gap.why])} not searched: ${filesText(gap.files)}`;
    case 'key_not_searched':
      return `${sourceText(gap)}the key was not searched for`;
    case 'code_hidden':
      return `${filesText(gap.files)} read it before, and not searched since`;
    case 'source_edited':
      return `${sourceText(gap)}${quoteShort(gap.file)} named it before, and was edited since`;
    case 'no_reader_found':
      return 'nothing that was searched reads any flag, so the code seems to be elsewhere';
    case 'repository_not_searched':
      return `this repository was not searched: ${escapeLine(gap.detail)}`;
    case 'source_missing':
      return `${sourceText(gap)}${quoteShort(gap.file)} does not exist`;
    case 'source_unreadable':
      return `${sourceText(gap)}${quoteShort(gap.file)} cannot be read: ${escapeLine(gap.detail)}`;
    case 'source_renamed':
      return `${sourceText(gap)}${quoteShort(gap.file)} has the references of ${quoteShort(gap.found)}`;
    case 'source_old':
      return `${sourceText(gap)}${quoteShort(gap.file)} is ${count(gap.days, 'day')} old; the limit is ${count(gap.max_days, 'day')}`;
  }
}

export function gapRemedy(gap: Gap): string {
  switch (gap.code) {
    case 'files_not_searched':
      return gap.why === 'submodules'
        ? 'If they do not read flags, add them to `refs.ignore`.'
        : 'If they are not code, add them to `refs.ignore`; otherwise make them readable.';
    case 'key_not_searched':
      return 'A key is searched for if it consists of letters, digits, `_` and `-`; in another repository, export again with the current keys.';
    case 'code_hidden':
      return 'Remove what reads the flag, or the files.';
    case 'no_reader_found':
      return 'Name the references of the repositories that have the code in `refs.sources`: `flagwright refs export` writes them there.';
    case 'repository_not_searched':
      return 'Make `git status` work in this folder.';
    case 'source_edited':
    case 'source_missing':
    case 'source_unreadable':
    case 'source_old':
      return 'Run `flagwright refs export` in that repository, and get its document.';
    case 'source_renamed':
      return 'If the repository was renamed, correct `refs.sources`.';
  }
}

export function filesText(files: readonly string[]): string {
  const shown = files.slice(0, MOST_FILES).map((file) => quoteShort(file));
  return [...shown, ...(files.length > MOST_FILES ? [`${files.length - MOST_FILES} more`] : [])].join(', ');
}

const MOST_FILES = 3;

export function sourceText({ repository }: OfRepository): string {
  return repository === undefined ? '' : `${escapeLine(repository)}: `;
}

/** Why it is not said that nothing reads the flag. The gaps that concern every key are warnings of the report. */
export function unclearText({ verdict, references, indirect, loose, gaps }: FlagUse): string {
  switch (verdict) {
    case 'unknown':
      return ['not all code was searched', ...gaps.filter((gap) => gap.code === 'key_not_searched').map(gapText)].join(
        '; ',
      );
    case 'possible':
      return references.length > 0
        ? `named in ${count(references.length, 'place')}, of which none reads it for certain`
        : `its key is an ordinary word, which occurs ${count(loose, 'time')} outside quotes`;
    case 'indirect':
      return `${count(indirect.length, 'place')} may make its key at run time`;
    case 'read':
    case 'not_found':
      return verdict;
  }
}

/** What the search cannot see. */
export const NOT_FOUND_HINT =
  'Keys that are encoded, cut inside a word or joined from single words are not found, nor those from a database: docs/references.md.';

/** `References: 30 of 38 flags read · 2 not found · 1 not known · 1 key read but not declared · 2 still read`. */
export function referencesSummary(flags: readonly JudgedFlag[], counts: ReferenceCounts): string {
  const { read, notFound, unclear, unknownReads, stillRead } = counts;
  const parts = [
    `${read} of ${count(flags.length, 'flag')} read`,
    ...(notFound === 0 ? [] : [`${notFound} not found`]),
    ...(unclear === 0 ? [] : [`${unclear} not known`]),
    ...(unknownReads === 0 ? [] : [`${count(unknownReads, 'key')} read but not declared`]),
    ...(stillRead === 0 ? [] : [`${stillRead} still read`]),
  ];
  return `References: ${parts.join(' · ')}`;
}
