/** A group of a report as text: its heading, and its entries below each other. */

import { cut } from '../../display-width.ts';
import { shownLines } from '../../model/excerpt.ts';
import { plainText, type Phrase } from '../../phrase.ts';
import type { ReportEntry, ReportFact, ReportGroup, ReportLine, ChangeMark } from '../../model/report-model.ts';
import type { Palette, View } from '../../view.ts';
import { phraseText } from './phrase-text.ts';

/** One section, or one for each entry. */
export function groupSections(group: ReportGroup, facts: readonly ReportFact[], view: View): string[][] {
  const { entries, limit, brief, spacing } = group;
  // A sentence about all of them is their heading.
  const lead = facts.filter(({ about }) => about === group.about && about === 'named');
  const heading = [
    ...lead.map(({ phrase }) => phraseText(phrase, view)),
    ...(group.isHeaded === true ? [paintedHeading(group, view)] : []),
  ];
  if (entries.length === 0) return [[...lead.map(({ phrase }) => phraseText(phrase, view))]];
  if (brief !== undefined) return [[view.palette.dim(brief)]];
  const shown = entries.slice(0, limit?.entries);
  const more = shown.length < entries.length ? limit?.more : group.more;
  const blocks = shown.map((entry, index) => entryLines(entry, { group, before: shown[index - 1] }, view));
  if (spacing === 'always') return [...blocks, ...(more === undefined ? [] : [[more]])];
  const lines = spacing === 'around' ? apart(blocks) : blocks.flat();
  const last = [...(group.hints ?? []), ...(more === undefined ? [] : [more])];
  return [[...heading, ...lines, ...last.map((text) => view.palette.dim(`  ${text}`))]];
}

/** A heading of text ends with a colon. */
export function headingOf(title: Phrase, view: Pick<View, 'palette'>): string {
  return `${phraseText(title, view)}:`;
}

function paintedHeading({ title, tone }: ReportGroup, view: View): string {
  const heading = headingOf(title, view);
  return tone === undefined ? heading : view.palette[tone](heading);
}

/** Puts an empty line around each block of several lines. */
function apart(blocks: readonly (readonly string[])[]): string[] {
  return blocks.flatMap((lines, index) => {
    const previous = blocks[index - 1];
    const isApart = previous !== undefined && (previous.length > 1 || lines.length > 1);
    return isApart ? ['', ...lines] : [...lines];
  });
}

/** An entry alone, without colours. */
export function entryText(entry: ReportEntry, indent: ReportGroup['indent']): string {
  const lines = shownLines(entry, 'comment', {}).map(
    ({ phrase, indent: own = 0 }) => `${' '.repeat(indent.lines + own)}${plainText(phrase)}`,
  );
  return [plainText(entry.head), ...lines].join('\n');
}

interface EntryContext {
  readonly group: ReportGroup;
  readonly before: ReportEntry | undefined;
}

function entryLines(entry: ReportEntry, { group: { indent, isAside }, before }: EntryContext, view: View): string[] {
  const subject = entry.subject === undefined ? undefined : `  ${phraseText(entry.subject, view)}`;
  const isNew =
    subject !== undefined && (before?.subject === undefined || subject !== `  ${phraseText(before.subject, view)}`);
  const lines = [
    `${' '.repeat(indent.head)}${headText(entry, view)}`,
    ...shownLines(entry, 'comment', view).map((line) => lineText(line, indent.lines, view)),
    ...(entry.named ?? []).map((name) => `${' '.repeat(indent.lines + 2)}${phraseText(name, view)}`),
  ];
  const painted = isAside === true ? lines.map(view.palette.dim) : lines;
  return isNew ? [subject, ...painted] : painted;
}

/** The sign and the word in front of it have one colour. */
function headText({ mark, head }: ReportEntry, view: Pick<View, 'palette'>): string {
  const text = phraseText(head, view);
  return mark === undefined ? text : `${markText(mark, view.palette)} ${text}`;
}

function markText({ sign, verb, tone }: ChangeMark, palette: Palette): string {
  return palette[tone](`${sign} ${verb}`);
}

function lineText({ phrase, indent = 0, isCut }: ReportLine, base: number, view: View): string {
  const text = `${' '.repeat(base + indent)}${phraseText(phrase, view)}`;
  return isCut !== true || view.width === undefined || view.verbose ? text : cut(text, view.width);
}
