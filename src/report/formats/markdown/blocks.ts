/** The groups of a report as blocks of code of a Markdown document. */

import { plainText, type Phrase } from '../../model/phrase.ts';
import {
  gravityOf,
  type ReportEntry,
  type ReportGroup,
  type ChangeMark,
  type GroupSort,
} from '../../model/report-model.ts';
import type { View } from '../../view.ts';
import { type MarkdownBlock } from './document.ts';
import { defined } from '../../../base/optional.ts';
import { shownLines } from '../../model/excerpt.ts';

/** A block of code for each sort of the entries. */
export function blocksOf(group: ReportGroup, view: View): MarkdownBlock[] {
  const { sorts, counted, title, isGrave, entries, form } = group;
  if (sorts === undefined) {
    const sort = { name: '', counted: counted ?? plainText(title), ...defined({ isGrave }) };
    return [toBlock(entries, { group, sort, view })];
  }
  return sorts
    .filter((sort) => sort.counted !== undefined)
    .map((sort) => {
      const alike = entries.filter((entry) => entry.sort === sort.name);
      const sorted = form === 'changes' ? alike.toSorted((a, b) => gravityOf(a) - gravityOf(b)) : alike;
      return toBlock(sorted, { group, sort, view });
    });
}

function toBlock(entries: readonly ReportEntry[], parts: BlockParts): MarkdownBlock {
  const { form, limit, more, hints = [] } = parts.group;
  const isLimited = limit?.inComments === true && entries.length > limit.entries;
  const shown = isLimited ? entries.slice(0, limit.entries) : entries;
  const rest = isLimited ? limit.more : more;
  return {
    title: parts.sort.counted ?? '',
    language: form === 'changes' ? 'diff' : 'text',
    entries: [
      // A long list may be cut.
      ...(entries.length === 0 ? [] : hints.map((hint) => [hint])),
      ...shown.flatMap((entry) => entriesOf(entry, parts)),
      ...(shown.length === 0 || rest === undefined ? [] : [[rest]]),
    ],
    ...defined({ isOpen: parts.sort.isGrave }),
  };
}

interface BlockParts {
  readonly group: ReportGroup;
  readonly sort: GroupSort;
  readonly view: View;
}

/** One for each change, so that what is left out is counted in changes. The reason of several is told with the first. */
function entriesOf(entry: ReportEntry, parts: BlockParts): MarkdownBlock['entries'] {
  const { named: [first, ...others] = [] } = entry;
  const lines = linesOf(entry, parts);
  if (first === undefined) return [lines];
  const name = (phrase: Phrase): string => `${' '.repeat(parts.group.indent.lines + 2)}${plainText(phrase)}`;
  return [{ name: name(first), lines: [...lines, name(first)] }, ...others.map((phrase) => [name(phrase)])];
}

/** The first character of a line decides its colour in a diff. */
const DIFF_MARKS: Readonly<Record<ChangeMark['tone'], string>> = { add: '+', change: '!', remove: '-' };
const DIFF_INDENT = 4;

function linesOf(entry: ReportEntry, { group, sort, view }: BlockParts): string[] {
  const { mark, subject } = entry;
  const isDiff = group.form === 'changes';
  const indent = isDiff ? { head: 0, lines: DIFF_INDENT } : indentOf(group);
  const verb = mark === undefined || sort.isVerb === true ? '' : `${mark.verb} `;
  const sign = mark === undefined ? '' : `${DIFF_MARKS[mark.tone]} ${verb}`;
  const above = subject === undefined ? '' : `${plainText(subject)}  `;
  return [
    `${' '.repeat(indent.head)}${above}${sign}${plainText(entry.head)}`,
    ...shownLines(entry, 'below', view).map(
      (line) => `${' '.repeat(indent.lines + (line.indent ?? 0))}${plainText(line.phrase)}`,
    ),
  ];
}

/** A block of code needs no indentation of a list. */
function indentOf({ form, indent, isAside }: ReportGroup): ReportGroup['indent'] {
  return form === 'list' || isAside === true ? { head: 0, lines: 0 } : indent;
}
