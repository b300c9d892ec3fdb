/**
 * The common model of every report: a summary, facts about the whole, notices, and groups of entries; and remarks, for lists next to the
 * lines of files. A report has one function that makes its model, a format one that renders any model.
 */

import type { OutcomeKind } from '../../loop/apply/result.ts';
import { maskKeys } from '../../base/api-key.ts';
import type { Place } from '../../base/place.ts';
import { EFFECT_CLASSES, type EffectClass } from '../../review/effects/effect.ts';
import type { ProjectIdentity } from '../../core/engine/project.ts';
import type { ExpectationOutcome } from '../../review/expectations/expectation.ts';
import { escapeLine } from '../escape.ts';
import { type Phrase, spansOf, toned } from '../phrase.ts';
import type { View } from '../view.ts';
import type { Remark } from './remark.ts';

export interface ReportModel {
  /** The command of the report; absent for a failure, which any command may have. */
  readonly command?: string;
  /** Absent if a report has none, such as warnings about scheduled changes. */
  readonly title?: {
    readonly words: Phrase;
    readonly project?: ProjectIdentity;
    /** Only a page says it: a comment stands beside its commit, and is the same for the same plan. */
    readonly origin?: Phrase;
    /** A check is named by its findings in a terminal. */
    readonly isCheck?: true;
  };
  readonly summary?: string;
  /** How the run stands by its facts; absent where a report judges nothing. */
  readonly standing?: RunStanding;
  /** Present for a failure, which is named by its code. */
  readonly failure?: RunFailure;
  /** The content of pages and terminals; made when it is first asked for. */
  readonly page: () => ReportPage;
  /** The reports of the projects of a run over several, below its own page. */
  readonly parts?: readonly { readonly name: string; readonly model: ReportModel }[];
  readonly remarks?: () => readonly Remark[] | Promise<readonly Remark[]>;
}

/** `bad`: refused, or something failed; `warning`: somebody should look; `open`: something is to do; `good`: nothing is. */
export type RunStanding = 'bad' | 'warning' | 'open' | 'good';

export interface RunFailure {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
  /** A diagnostic says the same. */
  readonly isRepeated: boolean;
  /** The place in the program, with `--verbose`. */
  readonly stack?: string;
}

/** Each format shows a list in its order, but a terminal by places (`formats/text/page.ts`). */
export interface ReportPage {
  readonly facts?: readonly ReportFact[];
  readonly notices?: readonly Notice[];
  readonly groups?: readonly ReportGroup[];
  /** Below the title. */
  readonly table?: ReportTable;
}

export interface ReportTable {
  readonly columns: readonly Phrase[];
  /** A cell for each column. */
  readonly rows: readonly (readonly Phrase[])[];
  /** What a terminal shows instead where the table is wider; absent: it shows the table. */
  readonly narrow?: readonly ReportGroup[];
}

/** A statement about the whole report. */
export interface ReportFact {
  /** Where a terminal shows it; absent: it does not. */
  readonly place?: FactPlace;
  /** Comments and pages show only facts with a label. */
  readonly label?: string;
  /** With a label, what follows it. */
  readonly phrase: Phrase;
  /** The phrase says what the label says, so a line begins without it. */
  readonly isSentence?: true;
  /** The name of the project that it is of, in a report about several. */
  readonly of?: string;
}

/** `title`: it qualifies all that follows. `head`: below it; comments say it with the other facts. `left` and `rest`: above the groups there. */
export type FactPlace = 'title' | 'head' | 'left' | 'rest' | 'note' | 'summary';

export function wholeFact({ label, phrase, isSentence }: ReportFact): Phrase {
  return label === undefined || isSentence === true ? phrase : [`${label}: `, ...spansOf(phrase)];
}

/** Statements that need attention. */
export interface Notice {
  readonly about: NoticeKind;
  readonly title: Phrase;
  /** The title in a comment, if it differs. */
  readonly commentTitle?: Phrase;
  /** What is above the statements where the title is the verdict on the whole, at the top of pages and comments. */
  readonly listTitle?: Phrase;
  /** The name of the project that it is of, in a report about several. */
  readonly of?: string;
  readonly statements: readonly Statement[];
}

/** `comment`: what pages and terminals show elsewhere, such as below each change. */
type NoticeKind = 'refusals' | 'lifted' | 'policies' | 'warnings' | 'unwritten' | 'comment';

export interface Statement {
  readonly phrase: Phrase;
  readonly place?: Place;
  readonly ways?: readonly Way[];
  readonly source?: Phrase;
  /** The permission that lifts it. */
  readonly lifted?: Phrase;
  /** `lifted`: it would refuse the run. `note`: it is about all the others. */
  readonly level?: 'lifted' | 'note';
  /** YAML to write by hand. */
  readonly suggestion?: string;
  /** What it is said of, or the statements that it sums up: below it. */
  readonly parts?: readonly Statement[];
}

/** A sentence; or its beginning, and the command or text to write. */
export interface Way {
  readonly words: Phrase;
  readonly text?: string;
}

export interface ReportGroup {
  readonly title: Phrase;
  /** The title with the number, for comments; absent: the title says it. */
  readonly counted?: string;
  readonly entries: readonly ReportEntry[];
  /** `changes`: outcomes of resources; `blocks`: entries with lines; `list`: names. */
  readonly form: 'changes' | 'blocks' | 'list';
  /** Absent for the subject of the report, which needs no title in a terminal. */
  readonly prominence?: Prominence;
  /** Where a terminal shows it; absent for a part of the subject. */
  readonly place?: 'left' | 'rest';
  /** The indentation in text of each entry and of the lines below it. */
  readonly indent: { readonly head: number; readonly lines: number };
  /** The empty lines between entries in text: around those with several lines, always, or never. */
  readonly spacing?: 'around' | 'always';
  /** The sorts of entries, by which a comment, or a page if it has a title, divides the group. None: a comment does not show it. */
  readonly sorts?: readonly GroupSort[];
  /** The number to show, if it is not the number of entries. */
  readonly amount?: number;
  /** Pictures of shares over time, below the entries; only a page shows them. */
  readonly plots?: readonly Plot[];
  readonly hints?: readonly string[];
  /** The most entries in a terminal, and the text about the others. */
  readonly limit?: { readonly entries: number; readonly more: string; readonly inComments?: true };
  /** The text about entries that are not listed here. */
  readonly more?: string;
  /** The text instead of the entries, if a terminal shows only their number. */
  readonly brief?: string;
}

/**
 * `grave`: a part of the subject that a comment shows even if it is long, and a terminal last. The others have their title above them in a
 * terminal: `headed` no more than that; `open` is shown by a comment even if it is long; `warning`, too, in that tone; `notice`, too, and a
 * page shows it as a notice; `rest` is not the subject of the run, so a page folds it if it is long; `aside` is in the background.
 */
export type Prominence = 'grave' | 'headed' | 'open' | 'warning' | 'notice' | 'rest' | 'aside';

export interface Plot {
  readonly title: string;
  /** The points in order of time, in percent; each holds until the next. */
  readonly points: readonly { readonly at: number; readonly least: number; readonly most: number }[];
}

export interface GroupSort {
  readonly name: string;
  /** The title on a page; absent if a page does not divide the group. */
  readonly title?: string;
  /** The title in a comment: `3 to delete`. Absent: a comment has no such entries. */
  readonly counted?: string;
  /** Listed above all groups of a comment. */
  readonly intro?: Phrase;
  /** The title says what the verbs of the entries say. */
  readonly isVerb?: true;
  readonly prominence?: Prominence;
}

export interface ReportEntry {
  readonly mark?: ChangeMark;
  readonly head: Phrase;
  readonly lines?: readonly ReportLine[];
  /** The subject that neighboring entries share: shown above them. */
  readonly subject?: Phrase;
  readonly sort?: string;
  /** The kinds by which a page filters and sorts. */
  readonly kinds?: readonly EntryKind[];
  /** The names of all changes with the same outcome: below the lines. */
  readonly named?: readonly Phrase[];
}

export interface ChangeMark {
  readonly sign: string;
  readonly verb: string;
  readonly tone: 'add' | 'change' | 'remove';
}

export interface ReportLine {
  readonly phrase: Phrase;
  /** The indentation in addition to that of the group's lines. */
  readonly indent?: number;
  /** `below`: a comment has it in its notices. `comment`: only there. */
  readonly only?: 'below' | 'comment';
  /** A terminal cuts it at the edge. */
  readonly isCut?: true;
  /** The line of a file to show instead, if it can be shown, and a caret below it. */
  readonly excerpt?: Place;
}

/** The kinds by which entries can be filtered: effect on people, outcome, or severity. */
export type EntryKind = EffectClass | OutcomeKind | ExpectationOutcome | 'error' | 'warning';

/** The gravest first. */
export const ENTRY_KINDS: readonly EntryKind[] = [
  ...EFFECT_CLASSES,
  'error',
  'warning',
  'failed',
  'unknown',
  'undecided',
  'skipped',
  'pending',
  'applied',
  'passed',
];

/** The lower, the graver. */
export function gravityOf({ kinds = [] }: Pick<ReportEntry, 'kinds'>): number {
  return kinds.reduce((least, kind) => Math.min(least, ENTRY_KINDS.indexOf(kind)), ENTRY_KINDS.length);
}

const SIGNS: Readonly<Record<RunStanding, string>> = { bad: '✗', warning: '!', open: '~', good: '✓' };

export function verdictOf(
  model: ReportModel,
): { readonly phrase: Phrase; readonly standing?: RunStanding; readonly sign: string } | undefined {
  const { failure, summary, standing } = model;
  const { notices = [] } = model.page();
  const refusal = notices.find(({ listTitle, statements }) => listTitle !== undefined && statements.length > 0);
  const bad = { standing: 'bad', sign: SIGNS.bad } as const;
  if (failure !== undefined) {
    const { code, message, isRepeated } = failure;
    const phrase: Phrase = isRepeated ? [{ code }] : [{ code: message }, ' (', { value: code }, ')'];
    return { phrase, ...bad };
  }
  if (refusal !== undefined) return { phrase: refusal.title, ...bad };
  if (summary === undefined) return undefined;
  return standing === undefined ? { phrase: summary, sign: '' } : { phrase: summary, standing, sign: SIGNS[standing] };
}

/** `without`: what the format has elsewhere. */
export function shownLines(
  { lines = [] }: Pick<ReportEntry, 'lines'>,
  without: NonNullable<ReportLine['only']>,
  { sourceLine, width }: Pick<View, 'sourceLine' | 'width'>,
): ReportLine[] {
  return lines.flatMap((line) => {
    if (line.only === without) return [];
    if (line.excerpt === undefined) return line;
    const written = sourceLine?.(line.excerpt);
    return written === undefined ? [] : excerpt(written, line.excerpt, { indent: line.indent, width });
  });
}

const SOURCE_WIDTH = 100;
const LEAST_SOURCE_WIDTH = 24;
/** The number of the line, and the indentation of the group and of the entry. */
const GUTTER = 20;

function excerpt(
  written: string,
  place: Place,
  { indent = 0, width = Infinity }: Readonly<Record<'indent' | 'width', number | undefined>>,
): ReportLine[] {
  const line = maskKeys(written);
  const room = Math.max(LEAST_SOURCE_WIDTH, Math.min(SOURCE_WIDTH, width - GUTTER));
  const start = Math.max(0, place.column - room + 20);
  // Escaped as a whole: a command to a build log may begin on one side of the caret and end on the other.
  const shown = escapeLine(line.slice(start, start + room));
  const before = escapeLine(line.slice(start, place.column - 1));
  const gutter = `${place.line}`;
  return [
    { indent, phrase: [toned('dim', `${gutter} |`), ' ', { code: shown }] },
    {
      indent,
      phrase: [toned('dim', `${' '.repeat(gutter.length)} |`), ` ${' '.repeat(before.length)}`, toned('error', '^')],
    },
  ];
}
