/** Assembles a Markdown document within its limit: the head first, then as much of the lists as fits, then what was left out. */

import { GITHUB_COMMENT, type View } from '../../view.ts';
import { count } from '../../words/amounts.ts';
import { bullets, codeBlock, codeLine, folded } from './markup.ts';

/** A group, or a part of one. */
export interface MarkdownBlock {
  /** `3 to delete`; contains no string of others. */
  readonly title: string;
  readonly language: 'diff' | 'text';
  readonly entries: readonly (readonly string[] | Headed)[];
  /** Shown even if the document has many entries. */
  readonly isOpen?: boolean;
}

/** An entry that its first line does not name: a title of several entries stands before it. */
interface Headed {
  readonly name: string;
  /** Ends with the name. */
  readonly lines: readonly string[];
}

export interface DocumentHead {
  /** Parts that are always shown. */
  readonly parts: readonly string[];
  /** Sentences that need attention, each list below its title. */
  readonly notices: readonly { readonly title: string; readonly sentences: readonly NoticeLine[] }[];
}

export interface NoticeLine {
  readonly text: string;
  /** The depth of its list, which is below that of the line above it. */
  readonly depth: number;
  /** It sums up the lines below it, which are counted where they are left out. */
  readonly isHead: boolean;
}

/** A document with more entries folds its groups. */
const MOST_OPEN = 12;
/** The largest share of the limit for all notices. */
const SHARE_OF_NOTICES = 0.4;
/** The most bytes of the markup of a list, and of the note about what is left out. */
const MARKUP = 200;

export function assemble({ parts, notices }: DocumentHead, groups: readonly MarkdownBlock[], view: View): string {
  const limit = view.documentLimit ?? GITHUB_COMMENT;
  const listed = notices.filter(({ sentences }) => sentences.length > 0);
  const spaceOfNotice = (limit * SHARE_OF_NOTICES) / Math.max(1, listed.length) - MARKUP;
  const top = [...parts, ...listed.flatMap((notice) => noticeParts(notice, spaceOfNotice))];
  const shown = groups.filter(({ entries }) => entries.length > 0);
  const entries = shown.flatMap((group) => group.entries.map(toEntry));
  const space = limit - Buffer.byteLength(top.join('\n\n')) - MARKUP * (shown.length + 1);
  const fits = fitEntries(entries, space);
  const blocks = shown.map((group, index) => {
    const before = shown.slice(0, index).reduce((sum, earlier) => sum + earlier.entries.length, 0);
    const own = entries.slice(before, before + group.entries.length);
    return groupBlock(group, { entries: own, fits: fits.slice(before) }, entries.length > MOST_OPEN);
  });
  return `${[...top, ...blocks, ...leftOutNote(fits)].join('\n\n')}\n`;
}

function toEntry(entry: readonly string[] | Headed): FittedEntry {
  if ('name' in entry) return { brief: codeLine(entry.name), full: entry.lines.map(codeLine) };
  const full = entry.map(codeLine);
  return { brief: full[0] ?? '', full };
}

function noticeParts({ title, sentences }: DocumentHead['notices'][number], space: number): string[] {
  const items = bullets(sentences);
  const fits = fitEntries(
    items.map((item) => ({ brief: item, full: [item] })),
    space,
  );
  const hidden = sentences.filter(({ isHead }, index) => !isHead && fits[index] === 'hidden').length;
  const more = hidden === 0 ? [] : bullets([{ depth: 0, text: `… and ${hidden} more` }]);
  return [`**${title}**`, [...items.filter((_, index) => fits[index] !== 'hidden'), ...more].join('\n')];
}

/** `fits`: of the entries of the group and of those that follow. */
function groupBlock(
  { title, language, isOpen }: MarkdownBlock,
  { entries, fits }: { readonly entries: readonly FittedEntry[]; readonly fits: readonly Fit[] },
  isLong: boolean,
): string {
  const lines = entries.flatMap(({ brief, full }, index) => linesOf({ brief, full }, fits[index] ?? 'hidden'));
  if (lines.length === 0) return `**${title}** (not listed)`;
  const hidden = countOf(fits.slice(0, entries.length), 'hidden');
  const block = codeBlock([...lines, ...(hidden === 0 ? [] : [`  … and ${hidden} more`])], language);
  return isLong && isOpen !== true ? folded(title, block) : `**${title}**\n\n${block}`;
}

function linesOf({ brief, full }: FittedEntry, fit: Fit): readonly string[] {
  if (fit === 'hidden') return [];
  return fit === 'full' ? full : [brief];
}

function leftOutNote(fits: readonly Fit[]): string[] {
  const words: Readonly<Record<Fit, string>> = { full: '', brief: 'without details', hidden: 'not listed' };
  const facts = (['brief', 'hidden'] as const)
    .filter((fit) => fits.includes(fit))
    .map((fit) => `${count(countOf(fits, fit), 'entry is', 'entries are')} ${words[fit]}`);
  if (facts.length === 0) return [];
  return [
    `_Shortened to fit a comment: ${facts.join(', ')}. \`--format text\` and \`--format json\` leave nothing out._`,
  ];
}

function countOf(fits: readonly Fit[], wanted: Fit): number {
  return fits.filter((fit) => fit === wanted).length;
}

export interface FittedEntry {
  readonly full: readonly string[];
  readonly brief: string;
}

type Fit = 'full' | 'brief' | 'hidden';

/**
 * Fits entries into a number of bytes: as many as possible are named, then the first ones get their details.
 *
 * Chooses how each entry is shown; `space` counts line breaks too.
 */
export function fitEntries(entries: readonly FittedEntry[], space: number): readonly Fit[] {
  const named = countFitting(entries, space);
  let left = space - lengthOf(entries.slice(0, named).map(({ brief }) => brief));
  return entries.map(({ full, brief }, index): Fit => {
    if (index >= named) return 'hidden';
    const extra = lengthOf(full) - lengthOf([brief]);
    if (extra > left) return 'brief';
    left -= extra;
    return 'full';
  });
}

function countFitting(entries: readonly FittedEntry[], space: number): number {
  let used = 0;
  const beyond = entries.findIndex(({ brief }) => {
    used += lengthOf([brief]);
    return used > space;
  });
  return beyond === -1 ? entries.length : beyond;
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}
