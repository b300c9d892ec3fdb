/**
 * The model of a message to a chat: at most ten lines, the worst first, of typed spans. What turned off or failed is always named; anything
 * else that does not fit is counted.
 */

import { defined } from '../../base/optional.ts';
import { quoteShort } from '../escape.ts';
import type { RunFacts } from '../view.ts';

/** A string is words of ours. */
export type MessageSpan =
  | string
  /** Text of others, or a sentence with some. `isName`: readers copy it. */
  | { readonly data: string; readonly isName?: true; readonly limit?: number }
  /** An address of the run's own, never one from a flag. */
  | { readonly link: string; readonly url: string };

export type MessageLine = readonly MessageSpan[];

export interface Message {
  readonly head: MessageLine;
  /** A list below it. */
  readonly items: readonly MessageLine[];
  readonly notes: readonly MessageLine[];
  /** The run has nothing to tell: the message is its head. */
  readonly isQuiet: boolean;
}

/** What a report has to tell. */
export interface MessageFacts {
  readonly head: MessageLine;
  /** The gravest first. */
  readonly items: readonly MessageItem[];
  readonly steps?: readonly NextStep[];
  readonly approvers?: readonly string[];
}

export interface MessageItem {
  /** What happened to it, in words of ours. */
  readonly label: string;
  readonly name: string;
  readonly project?: string;
  /** It turned off or failed. */
  readonly isGrave?: true;
  /** Whom it concerns and how. */
  readonly text?: MessageLine;
  readonly owner?: string;
}

interface NextStep {
  readonly name: string;
  /** The value, such as `50%`. */
  readonly to: string;
  readonly at: string;
}

const MOST_LINES = 10;
/** The characters of the names in one line. */
const NAMES = 1_000;
const NAME = 80;
const SENTENCE = 240;

export function named(name: string): MessageSpan {
  return { data: name, isName: true, limit: NAME };
}

export function told(text: string): MessageSpan {
  return { data: text, limit: SENTENCE };
}

export function layOut({ head, items, steps = [], approvers = [] }: MessageFacts, run: RunFacts = {}): Message {
  // That a step comes some time is no news.
  const isQuiet = items.length === 0;
  if (isQuiet) return { head, items: [], notes: [], isQuiet };
  const notes = [...stepNote(steps), ...runNote(approvers, run)];
  const lines = fit(items, MOST_LINES - 1 - notes.length, run);
  // What is counted names the page already.
  const isLinked = lines.some((line) => line.some((span) => typeof span !== 'string' && 'link' in span));
  const { page: _page, ...others } = run;
  return { head, items: lines, notes: isLinked ? [...stepNote(steps), ...runNote(approvers, others)] : notes, isQuiet };
}

function fit(items: readonly MessageItem[], room: number, run: RunFacts): readonly MessageLine[] {
  if (items.length <= room) return items.map(itemLine);
  const grave = items.filter(({ isGrave }) => isGrave === true);
  const others = items.filter(({ isGrave }) => isGrave !== true);
  const first = grave.length < room ? grave.map(itemLine) : joinedLines(grave, room - (others.length > 0 ? 1 : 0));
  const left = room - first.length;
  if (others.length <= left) return [...first, ...others.map(itemLine)];
  const shown = others.slice(0, left - 1);
  const { page } = run;
  const where: MessageLine = page === undefined ? [] : [': ', { link: 'the run', url: page }];
  return [...first, ...shown.map(itemLine), [`and ${others.length - shown.length} more`, ...where]];
}

function itemLine({ label, text = [], owner, ...item }: MessageItem): MessageLine {
  return [
    `${label}: `,
    ...nameSpans(item),
    ...(text.length === 0 ? [] : [' – ', ...text]),
    ...(owner === undefined ? [] : [' (owner: ', { data: owner, limit: NAME }, ')']),
  ];
}

function nameSpans({ project, name }: Pick<MessageItem, 'project' | 'name'>): MessageLine {
  return project === undefined ? [named(name)] : [named(project), ' ', named(name)];
}

/** A line for each label; all labels that find no room share the last one. */
function joinedLines(items: readonly MessageItem[], room: number): readonly MessageLine[] {
  const labels = [...new Set(items.map(({ label }) => label))];
  const lines = labels.map((label) =>
    joinNames(
      label,
      items.filter((one) => one.label === label),
    ),
  );
  if (lines.length <= room) return lines;
  const last = lines.slice(room - 1).flatMap((line, index) => (index === 0 ? line : ['; ', ...line]));
  return [...lines.slice(0, room - 1), last];
}

/** One span, since Teams takes 28 KB. */
function joinNames(label: string, items: readonly MessageItem[]): MessageLine {
  const names = items.map(({ project, name }) =>
    [project, name].flatMap((one) => (one === undefined ? [] : quoteShort(one, NAME))).join(' '),
  );
  let used = 0;
  const shown = names.filter((name) => (used += name.length + 2) <= NAMES);
  const hidden = names.length - shown.length;
  return [
    `${label} (${items.length}): `,
    { data: shown.join(', '), limit: NAMES },
    ...(hidden === 0 ? [] : [` and ${hidden} more`]),
  ];
}

function stepNote(steps: readonly NextStep[]): readonly MessageLine[] {
  const [first, ...others] = steps.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  if (first === undefined) return [];
  const more = others.length === 0 ? [] : [`, and ${others.length} more`];
  return [['Next step: ', named(first.name), ' ', told(first.to), ' on ', told(first.at), ...more]];
}

function runNote(approvers: readonly string[], { actor, request, page }: RunFacts): readonly MessageLine[] {
  const parts: readonly MessageLine[] = [
    ...(approvers.length === 0 ? [] : [['Approved by ', told([...new Set(approvers)].join(', '))]]),
    ...(actor === undefined ? [] : [['Run by ', { data: actor, limit: NAME }]]),
    ...(request === undefined ? [] : [[{ link: request.name, url: request.url }]]),
    ...(page === undefined ? [] : [[{ link: 'The run', url: page }]]),
  ];
  return parts.length === 0 ? [] : [parts.flatMap((part, index) => (index === 0 ? part : [' · ', ...part]))];
}

/** The facts of several projects as one. */
export function joinFacts(
  head: MessageLine,
  parts: readonly { readonly project: string; readonly facts: MessageFacts }[],
): MessageFacts {
  const items = parts.flatMap(({ project, facts }) => facts.items.map((item) => ({ ...item, project })));
  const isGrave = (item: MessageItem): boolean => item.isGrave === true;
  return {
    head,
    items: [...items.filter(isGrave), ...items.filter((item) => !isGrave(item))],
    ...defined({
      steps: parts.flatMap(({ facts }) => facts.steps ?? []),
      approvers: parts.flatMap(({ facts }) => facts.approvers ?? []),
    }),
  };
}
