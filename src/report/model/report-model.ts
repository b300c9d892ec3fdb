/**
 * What every report comes to, whatever shows it: a summary, facts about the whole, notices, and groups of entries; and remarks,
 * for lists beside the lines of files. A report has one function that makes its model, a format one that renders any model.
 */

import type { OutcomeKind } from '../../apply/result.ts';
import type { Place } from '../../base/place.ts';
import { type EffectClass, EFFECT_CLASSES } from '../../effects/effect.ts';
import type { ProjectIdentity } from '../../engine/project.ts';
import type { ExpectationOutcome } from '../../expectations/verdict.ts';
import type { CheckSection } from '../check-result.ts';
import type { WayOut } from '../words/ways-out.ts';
import type { Phrase } from './phrase.ts';
import type { Remark } from './remarks/remark.ts';

export interface ReportModel {
  /** Whose report it is; absent for a failure, which may be that of any. */
  readonly command?: string;
  /** Absent where a report has none, such as warnings about what is to come. */
  readonly title?: Title;
  /** One line about the whole, without a line break. */
  readonly summary?: string;
  /** How the run stands by its facts; absent where a report judges nothing. */
  readonly standing?: Standing;
  /** Of a failure, which is named by its code. */
  readonly failure?: RunFailure;
  /** What pages and terminals show; made when it is first asked for. */
  readonly page: () => ReportPage;
  /** What formats show that are lists beside the lines of files. */
  readonly remarks?: () => readonly Remark[] | Promise<readonly Remark[]>;
}

/** `bad`: refused, or something failed; `warning`: somebody has to look; `open`: something is to be done; `good`: nothing is. */
export type Standing = 'bad' | 'warning' | 'open' | 'good';

interface Title {
  /** `Plan for`. */
  readonly words: Phrase;
  /** Follows the words. */
  readonly project?: ProjectIdentity;
  /** A check is named by its findings in a terminal. */
  readonly isCheck?: true;
}

export interface RunFailure {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
  /** A diagnostic says the same. */
  readonly isRepeated: boolean;
  /** With `--verbose`, where in the program. */
  readonly stack?: string;
}

export interface ReportPage {
  readonly facts: readonly ReportFact[];
  readonly notices: readonly Notice[];
  readonly groups: readonly ReportGroup[];
}

/** A sentence about the whole, or with a label what is to the right of it. */
export interface ReportFact {
  readonly about: FactKind;
  readonly label?: string;
  readonly phrase: Phrase;
  /** The name of the project that it is of, in a report about several. */
  readonly of?: string;
}

export type FactKind =
  | 'against'
  | 'origin'
  | 'legend'
  | 'effects'
  | 'named'
  | 'impact'
  | 'policies'
  | 'approvals'
  | 'cost'
  | 'base'
  | 'observed'
  | 'unattributed'
  | 'recorded'
  | 'unverified'
  | 'waiting'
  | 'same'
  | 'note';

/** Statements that need attention. */
export interface Notice {
  readonly about: NoticeKind;
  readonly title: Phrase;
  /** In a comment, where that is something else. */
  readonly commentTitle?: Phrase;
  /** Where the title is the verdict on the whole, at the top of pages and comments: what is above the statements there. */
  readonly listTitle?: Phrase;
  /** The name of the project that it is of, in a report about several. */
  readonly of?: string;
  readonly statements: readonly Statement[];
}

/** `approvals` and `authors`: what pages and terminals show below each change. */
export type NoticeKind =
  'refusals' | 'overridden' | 'policies' | 'warnings' | 'unwritten' | 'not_accepted' | 'approvals' | 'authors';

export interface Statement {
  readonly phrase: Phrase;
  readonly place?: Place;
  /** What a reader can do. */
  readonly ways?: readonly Way[];
  /** Where the rule is that it is about. */
  readonly source?: Phrase;
  /** Who permits it all the same. */
  readonly lifted?: Phrase;
  /** `warning` by default; `note`: about all of them. */
  readonly level?: 'error' | 'warning' | 'note' | 'lifted';
  /** YAML to write by hand. */
  readonly suggestion?: string;
  /** What it is said of, or the statements that it sums up: below it. */
  readonly parts?: readonly Statement[];
}

/** What to type or to write, or a sentence. */
export type Way = WayOut | { readonly words: Phrase };

/** Entries of one sort. */
export interface ReportGroup {
  readonly about: GroupKind;
  readonly title: Phrase;
  /** With how many there are, for comments; absent: the title says it. */
  readonly counted?: string;
  readonly entries: readonly ReportEntry[];
  /** `changes`: what becomes of resources; `blocks`: entries with lines; `list`: names. */
  readonly form: 'changes' | 'blocks' | 'list';
  /** A terminal shows the title above it. */
  readonly isHeaded?: true;
  readonly tone?: 'warning';
  /** The indentation in text of each entry and of the lines below it. */
  readonly indent: Indent;
  /** What stands between entries in text: an empty line around those with several lines, or always, or never. */
  readonly spacing?: 'around' | 'always';
  /** Of an entry each, by which a comment, or a page where it has a title, divides the group. */
  readonly sorts?: readonly GroupSort[];
  /** A comment shows it even if it is long. */
  readonly isGrave?: true;
  /** How many there are, where that is not the number of entries. */
  readonly amount?: number;
  /** What to do about them. */
  readonly hints?: readonly string[];
  /** A terminal shows all of it in the background. */
  readonly isAside?: true;
  /** A page shows it as a notice. */
  readonly isNotice?: true;
  /** What the run is not about: a page folds it where it is long. */
  readonly isRest?: true;
  /** The most entries in a terminal, and what it says of the others. */
  readonly limit?: { readonly entries: number; readonly more: string; readonly inComments?: true };
  /** Of more entries than there are here. */
  readonly more?: string;
  /** In their place, where a terminal shows only how many there are. */
  readonly brief?: string;
}

export type GroupKind =
  | 'changes'
  | 'pending'
  | 'refused'
  | 'affected'
  | 'named'
  | 'left'
  | 'remainder'
  | 'released'
  | 'unmanaged'
  | 'observed'
  | 'diagnostics'
  | 'cases'
  | 'kept'
  | 'files'
  | 'values'
  | 'runs'
  | 'unreadable'
  | 'apart'
  | `doctor_${CheckSection}`
  | 'doctor_values';

interface Indent {
  readonly head: number;
  readonly lines: number;
}

export interface GroupSort {
  readonly name: string;
  /** On a page; absent where a page does not divide the group. */
  readonly title?: string;
  /** In a comment: `3 to delete`. Absent: a comment has no such entries. */
  readonly counted?: string;
  /** Above all groups of a comment, as one of a list. */
  readonly intro?: Phrase;
  /** The title says what the verbs of the entries say. */
  readonly isVerb?: true;
  readonly isGrave?: true;
}

export interface ReportEntry {
  readonly mark?: ChangeMark;
  readonly head: Phrase;
  readonly lines: readonly ReportLine[];
  /** What it shares with the entries beside it: above them. */
  readonly subject?: Phrase;
  /** The name of its sort. */
  readonly sort?: string;
  /** What a page filters by, and orders by. */
  readonly kinds?: readonly EntryKind[];
  /** Of changes with the same outcome: the names of all, below the lines. */
  readonly named?: readonly Phrase[];
}

/** The sign and the word in front of a change. */
export interface ChangeMark {
  readonly sign: string;
  readonly verb: string;
  readonly tone: 'add' | 'change' | 'remove';
}

export interface ReportLine {
  readonly phrase: Phrase;
  /** Beyond that of the lines of its group. */
  readonly indent?: number;
  /** `below`: a comment has it in its notices. `comment`: only there. */
  readonly only?: 'below' | 'comment';
  /** In a terminal it ends at the edge. */
  readonly isCut?: true;
  /** In its place the line of a file, where it can be shown, and a caret below it. */
  readonly excerpt?: Place;
}

/** By what entries can be filtered: what they do to people, what became of them, or how grave they are. */
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
