/** The words for the base of a comparison: which commit it is, or why there is none; and for what moved away from it. */

import { isJsonNumber } from '../../base/json.ts';
import { withoutFullStop } from '../../base/text.ts';
import type { BaseFacts, Divergence, NoBaseReason, NotRecordedReason } from '../../core/engine/base.ts';
import { type Labels, readName } from '../../posthog/names/resource-name.ts';
import type { LeftChange } from '../../core/engine/matched.ts';
import type { ObservedValue, OutsideBounds } from '../../core/engine/ownership.ts';
import type { SafetySource } from '../../core/engine/safety.ts';
import type { Change, FieldChange, Plan, PlanWarning } from '../../posthog/plan.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { textOf, type TextsFor } from '../phrase.ts';
import { hasPending, partsOf } from '../report-status.ts';
import { count } from './amounts.ts';
import { ALL_LABELS, RESOURCES } from './kinds.ts';
import { inlineValue } from './values.ts';

type CommitBase = Extract<BaseFacts, { readonly kind: 'commit' }>;

export type LeavingReason = 'left' | 'ignored';

/** `Since the last apply (1a2b3c4d5e6f): 1 change in git; ignored: 1 edit in PostHog`, or why there is no base. */
export function baseTexts(
  { base, changes, converged, left = [] }: Pick<Plan, 'changes' | 'base' | 'converged' | 'left'>,
  how: LeavingReason,
): string[] {
  if (base === undefined) return [];
  if (base.kind === 'none' && base.reason.code === 'not_recorded')
    return mayBeEdited([...changes, ...left]) ? [FIRST_APPLY] : [];
  if (base.kind === 'none')
    return [`Changes in git and edits in PostHog cannot be told apart: ${noBaseNote(base.reason)}`];
  // What both sides changed alike leaves nothing to say where nothing differs.
  const counts = changes.length + left.length === 0 ? undefined : classCounts(changes, converged);
  const others = classCounts(left);
  if (counts === undefined && others === undefined) return [];
  const moved = counts === undefined ? '' : `: ${counts}`;
  return [`Since ${baseText(base)}${moved}${others === undefined ? '' : `; ${how}: ${others}`}`];
}

const FIRST_APPLY =
  'No apply is recorded in this clone yet, so a difference may be a change in git or an edit that somebody made in PostHog. An apply uses git; to use the value in PostHog: `flagwright accept KEY`';

/** Nobody has edited what does not exist. */
function mayBeEdited(differences: readonly Pick<LeftChange, 'action' | 'key'>[]): boolean {
  const created = new Set(differences.flatMap(({ action, key }) => (action === 'create' ? key : [])));
  return differences.some(({ key }) => !created.has(key));
}

/** `the last apply (1a2b3c4d5e6f)`, or `commit 1a2b3c4d5e6f`. */
export function baseText({ commit, from }: CommitBase): string {
  return from === 'option' ? `commit ${shortCommit(commit)}` : `the last apply (${shortCommit(commit)})`;
}

/** The purpose of the report: `plan`, what to write about differences; `drift`, only that they exist. */
type Showing = 'plan' | 'drift';

/** The source of warnings. `showing`: `plan` by default. */
export type Warned = Pick<Plan, 'warnings'> &
  Partial<Pick<Plan, 'base' | 'changes' | 'safety'>> & { readonly showing?: Showing };

/** Drops warnings about making a change, which are for the plan: drift describes the live state. */
export function warnedByDrift(plan: Plan): Plan & Warned {
  return { ...plan, warnings: plan.warnings.filter(({ code }) => !OF_CHANGES.has(code)), showing: 'drift' };
}

const OF_CHANGES: ReadonlySet<PlanWarning['code']> = new Set([
  'cannot_edit',
  'experiments_linked',
  'use_affected',
  'dependents_remain',
  'dependency_disabled',
  'unarchives',
  'turned_off',
  'deleted_unknown',
  'destroys_deleted',
  'access_fixed',
  'cohort_calculating',
  'cohort_behavioral',
]);

export function checkoutTexts({ base, changes, safety }: Omit<Warned, 'warnings'>, showing: Showing): string[] {
  const text = base?.kind === 'commit' && changes?.some(hasPending) ? checkoutText(base, showing) : undefined;
  const old = base?.kind === 'commit' ? unreadText(base) : undefined;
  return [old, text, safety && safetySourceText(safety)].filter((one) => one !== undefined);
}

/** A warning: what the base has and the checkout lacks is among the pending changes. */
function checkoutText({ commit, checkout }: CommitBase, showing: Showing): string | undefined {
  if (checkout === undefined) return undefined;
  const applied = `the commit applied last (${shortCommit(commit)})`;
  const [head, lacks, way] =
    checkout === 'behind'
      ? [
          `This checkout is older than ${applied}`,
          'what was merged in between',
          'get the newer manifests first: `git pull`',
        ]
      : [
          `This checkout does not contain ${applied}`,
          'what only that commit declares',
          `merge or rebase first: \`git rebase ${shortCommit(commit)}\``,
        ];
  return showing === 'plan'
    ? `${head}: the plan reverts ${lacks}. If that is not intended, ${way}`
    : `${head}: ${lacks} is shown as a difference. To compare with it, ${way}`;
}

/** A warning, where the limits and protected flags of a plan are not those that a reader expects. */
function safetySourceText(source: SafetySource): string | undefined {
  if (source.from === 'checkout')
    return `The limits and protected flags are those of the checkout: ${CHECKOUT[source.why]}.`;
  const { looser, commit } = source;
  if (looser.length === 0) return undefined;
  const members = looser.map((member) => `\`${member}\``).join(', ');
  return `The change loosens ${members}, and cannot permit itself: those of commit ${shortCommit(commit)} count until the next apply.`;
}

const CHECKOUT: Readonly<Record<Extract<SafetySource, { from: 'checkout' }>['why'], string>> = {
  no_file: 'the base does not have the configuration file',
  // Only plans that an earlier release saved have it.
  invalid: 'the configuration of the base cannot be read',
};

/** Clauses without a full stop: why a comparison has no base, and how to get one. */
export function noBaseNote(reason: NoBaseReason): string {
  const way = WAYS_TO_BASE[reason.code] ?? 'to compare with a commit: --base COMMIT';
  const isSaid = reason.code === 'not_fetched' || (reason.code === 'commit_missing' && reason.remote !== undefined);
  return isSaid ? noBaseText(reason) : `${noBaseText(reason)}; ${way}`;
}

const WAYS_TO_BASE: Partial<Record<NoBaseReason['code'], string>> = {
  no_repository: 'the next apply in a checkout of git records one',
  git_missing: 'install git',
  remote_unreachable: 'give git the credentials of the remote',
  not_recorded: 'the next apply of committed manifests records one',
  record_unknown: 'update flagwright',
  commit_missing: 'fetch it, or name another commit with --base COMMIT',
};

/** One clause without a full stop: why a comparison has no base. */
export function noBaseText(reason: NoBaseReason): string {
  return textOf(NO_BASE, 'code')(reason);
}

const NO_BASE: TextsFor<NoBaseReason> = {
  no_repository: () => 'the configuration is not in a git checkout',
  git_missing: () => 'git is not installed, or not on the PATH',
  git_refused: (reason) => `git cannot read the repository (${quoteShort(reason.detail, LONG)})`,
  remote_unreachable: (reason) =>
    `git cannot read the remote ${quoteShort(reason.remote)} (${quoteShort(reason.detail, LONG)})`,
  not_fetched: (reason) => `this clone does not have ${escapeLine(reason.ref)}; to get it: ${fetchText(reason)}`,
  not_recorded: () => 'no apply of this project is recorded in this clone yet',
  journal_unreadable: (reason) =>
    `the journal does not show which commit was applied last (${quoteShort(reason.detail, LONG)})`,
  record_unknown: (reason) => `a later release of flagwright wrote ${escapeLine(reason.name)}`,
  records_moved: (reason) =>
    `this project has no record under its current name and path, but several under former ones, which were applied separately: ${reason.names.map((name) => escapeLine(name)).join(', ')}`,
  not_a_commit: (reason) => `${quoteShort(reason.name)} is not a commit`,
  commit_missing: (reason) => missingText(reason),
  commit_damaged: (reason) => `parts of commit ${shortCommit(reason.commit)} are missing or damaged in this repository`,
  manifests_invalid: (reason) => invalidText(reason),
  manifests_filtered: (reason) =>
    `git stores ${quoteShort(reason.file)} through the filter ${quoteShort(reason.filter)}, which flagwright does not run`,
  manifests_in_submodule: (reason) => `the manifests in ${quoteShort(reason.folder)} are in a submodule`,
};

/** The command that gets what was applied last. */
function fetchText({ remote, ref }: { readonly remote: string; readonly ref: string }): string {
  return `git fetch ${escapeLine(remote)} ${escapeLine(`+${ref}:${ref}`)}`;
}

/** An error: the run cannot be judged. */
export function unreadableBaseText(reason: NoBaseReason): string {
  return `The last apply cannot be read: ${noBaseText(reason)}. The rules of the last apply judge a change, so the run is refused.`;
}

export function unreadableBaseRemedy(reason: NoBaseReason): string {
  const named = 'or name the commit whose rules count: --base COMMIT';
  if (reason.code === 'remote_unreachable') {
    const command = reason.ref === undefined ? '' : `: ${fetchText({ remote: reason.remote, ref: reason.ref })}`;
    return `Give git the credentials of the remote, or fetch the record before${command}; ${named}.`;
  }
  if (reason.code === 'not_fetched' || reason.code === 'commit_missing') return `Fetch it, ${named}.`;
  if (reason.code === 'no_repository') return 'Run the command in a checkout, or remove `base` from the configuration.';
  if (reason.code === 'records_moved')
    return 'Name the commit whose rules count: --base COMMIT. The next apply records its commit under the present name.';
  return `Make it readable, ${named}.`;
}

export function unreadableConfigText(commit: string, file: string): string {
  return `The configuration ${quoteShort(file)} of commit ${shortCommit(commit)}, which was applied last, cannot be read. The rules of the last apply judge a change, so the run is refused.`;
}

/** A warning: the remote that shares what was applied last could not be asked. */
export function unreadText({ commit, unread }: CommitBase): string | undefined {
  if (unread === undefined) return undefined;
  return `git cannot read the remote ${quoteShort(unread.remote)} (${quoteShort(unread.detail, LONG)}), so the comparison is with the last apply that this clone knows (${shortCommit(commit)}): another clone may have applied a newer commit`;
}

/** Long enough for the words of git. */
const LONG = 300;

/** `git fetch` takes only whole names. */
function missingText({ commit, shallow, remote }: Extract<NoBaseReason, { readonly code: 'commit_missing' }>): string {
  const what = `this ${shallow ? 'shallow clone' : 'repository'} does not have commit ${shortCommit(commit)}`;
  if (remote === undefined) return what;
  return `${what}; to get it: git fetch ${shallow ? '--depth=1 ' : ''}${escapeLine(remote)} ${escapeLine(commit)}`;
}

function invalidText({
  commit,
  errors,
  message,
  place,
}: Extract<NoBaseReason, { readonly code: 'manifests_invalid' }>): string {
  const where = place === undefined ? '' : `${escapeLine(place.file)}:${place.line}: `;
  const more = errors > 1 ? `; ${count(errors - 1, 'more error')}` : '';
  return `the manifests of commit ${shortCommit(commit)} cannot be loaded (${where}${quoteShort(withoutFullStop(message), LONG)}${more})`;
}

/** The text about a recorded commit. `keys`: of the resources that the apply left. */
export function recordedText(given: {
  readonly commit: string;
  readonly project: string;
  readonly keys: readonly string[];
}): string {
  const { commit, project, keys } = given;
  const shown = keys.slice(0, MOST_KEYS).map((key) => quoteShort(key));
  const more = keys.length > shown.length ? ` and ${keys.length - shown.length} more` : '';
  const left = keys.length === 0 ? '' : `, except what was left of ${shown.join(', ')}${more}`;
  return `Recorded commit ${shortCommit(commit)} as the last one applied to ${project}${left}.`;
}

const MOST_KEYS = 5;

/** One clause without a full stop: why an apply records no commit. */
export function notRecordedText(reason: NotRecordedReason): string {
  return textOf(NOT_RECORDED, 'code')(reason);
}

const NOT_RECORDED: TextsFor<NotRecordedReason> = {
  manifest_differs: (reason) => `${quoteShort(reason.file)} ${DIFFERENCES[reason.how]}`,
  branch_unborn: () => 'the branch has no commit yet',
  plan_without_commit: () => 'the plan was made from uncommitted files',
  commit_unknown: (reason) => `this repository does not have commit ${shortCommit(reason.commit)}`,
  newer_applied: (reason) => `commit ${shortCommit(reason.commit)} was applied after the plan was made`,
  not_contained: (reason) =>
    `it does not contain commit ${shortCommit(reason.commit)}, which was applied last and stays the base; ${MOVE}`,
  history_missing: (reason) =>
    `this shallow clone does not show whether it contains commit ${shortCommit(reason.commit)}, which was applied last and stays the base; git fetch --unshallow gets the history`,
  compared_otherwise: (reason) =>
    `the plan leaves changes, and was not compared with commit ${shortCommit(reason.commit)}, which was applied last and stays the base`,
  record_unreadable: (reason) =>
    `what ${escapeLine(reason.name)} names cannot be read, so it is not known what was applied last; ${MOVE}`,
  remote_unreachable: (reason) =>
    `git cannot read the remote ${quoteShort(reason.remote)} (${quoteShort(reason.detail, LONG)})`,
  git_failed: (reason) => quoteShort(reason.detail, LONG),
};

/** How to make the next apply record its commit; the words of the others name the way. */
export function notRecordedRemedy(reason: NotRecordedReason): string | undefined {
  if (reason.code === 'manifest_differs' && reason.how === 'gone') {
    return 'Restore it, or commit that it is deleted, then run apply again.';
  }
  return TO_RECORD[reason.code];
}

const TO_RECORD: Partial<Record<NotRecordedReason['code'], string>> = {
  manifest_differs: 'Commit it, then run apply again: without changes, it records the commit.',
  branch_unborn: 'Commit the manifests, then run apply again: without changes, it records the commit.',
  plan_without_commit:
    'Commit the manifests, then run apply without a saved plan: without changes, it records the commit.',
  commit_unknown: 'Fetch it, or apply in a clone that has it.',
  newer_applied: 'No action is needed: that commit stays recorded.',
  compared_otherwise: 'Run apply without --base, or without what makes it leave changes.',
  remote_unreachable: 'Give git the credentials of the remote, then run apply again.',
  git_failed: 'Fix the error that git reports, then run apply again: without changes, it records the commit.',
};

const MOVE = 'add --move-base to record it anyway';

const DIFFERENCES = {
  modified: 'has uncommitted changes',
  new: 'is not committed',
  gone: 'is committed, but not on disk',
} as const;

export function shortCommit(commit: string): string {
  return escapeLine(commit.slice(0, 12));
}

/** A note after a value, by its class; empty if the report is about just that. */
export type DivergenceNotes = Readonly<Record<Divergence, string>>;

export const PLAN_NOTES: DivergenceNotes = {
  pending: '',
  drifted: 'reverts an edit in PostHog',
  conflict: 'conflicts with an edit in PostHog',
};

export const DRIFT_NOTES: DivergenceNotes = {
  pending: 'not applied yet',
  drifted: '',
  conflict: 'conflicts with the manifests',
};

/** The notes on values that the manifests accept. */
export const ACCEPT_NOTES: DivergenceNotes = {
  pending: 'reverts a change that is not applied yet',
  drifted: '',
  conflict: 'replaces a change that is not applied yet',
};

/** Used if the note of the change covers all of its values. */
export const NO_NOTES: DivergenceNotes = { pending: '', drifted: '', conflict: '' };

/** The note for a change as a whole; a change with several values has one after each of them. */
export function noteOfChange(change: Change, notes: DivergenceNotes): string {
  const [divergence] = isWhole(change) ? divergencesOf(change) : [];
  if (divergence === undefined) return '';
  if (change.resource !== 'role_access' || divergence !== 'conflict' || change.base_level === undefined) {
    return notes[divergence];
  }
  return withBase(notes[divergence], change.base_level === null ? NO_VALUE : quoteShort(change.base_level));
}

/** The note after a value; that of a conflict ends with the value of the base. */
export function noteOfField(
  { path, divergence, base }: FieldChange,
  notes: DivergenceNotes,
  { labels, verbose }: { readonly labels: Labels; readonly verbose: boolean },
): string {
  if (divergence === undefined) return '';
  const note = notes[divergence];
  if (divergence !== 'conflict' || note === '') return note;
  const value = base ?? labels.absent(path);
  const text = value === undefined ? NO_VALUE : `${inlineValue(value)}${isJsonNumber(value) ? labels.unit(path) : ''}`;
  return withBase(note, verbose ? text : quoteShort(text, BASE_WIDTH));
}

const NO_VALUE = 'none';
const BASE_WIDTH = 60;

function withBase(note: string, base: string): string {
  return `${note} (last applied: ${base})`;
}

/** `2 changes in git, 1 edit in PostHog, 1 conflict, 3 already live`; `undefined` if nothing moved. A whole flag or cohort is one. */
function classCounts(changes: readonly (Change | LeftChange)[], converged = 0): string | undefined {
  const classes = changes.flatMap((change) =>
    isWhole(change) ? divergencesOf(change).slice(0, 1) : divergencesOf(change),
  );
  const amountOf = (one: Divergence): number => classes.filter((found) => found === one).length;
  const counts = [
    [amountOf('pending'), 'change in git', 'changes in git'],
    [amountOf('drifted'), 'edit in PostHog', 'edits in PostHog'],
    [amountOf('conflict'), 'conflict', 'conflicts'],
    [converged, 'already live', 'already live'],
  ] as const;
  const found = counts.filter(([amount]) => amount > 0).map(([amount, one, several]) => count(amount, one, several));
  return found.length === 0 ? undefined : found.join(', ');
}

function divergencesOf(change: Change | LeftChange): readonly Divergence[] {
  return partsOf(change).flatMap(({ divergence }) => divergence ?? []);
}

/** A flag that is created, restored or deleted, or one level of access. */
function isWhole({ action }: Pick<Change | LeftChange, 'action'>): boolean {
  return action !== 'update' && action !== 'restore';
}

/** The reason that no part of a flag is written; `undefined` if only some of its values are left. */
export function leftWhole({ action }: LeftChange): string | undefined {
  return Object.hasOwn(LEFT_WHOLE, action) ? LEFT_WHOLE[action] : undefined;
}

const LEFT_WHOLE: Readonly<Record<string, string>> = {
  create: 'does not exist in the project',
  restore: 'is soft-deleted in the project',
  delete: 'exists in the project, and the manifests delete it',
};

export function deletionHints(released: NonNullable<Plan['released']>): string[] {
  const kinds = new Set<string>(released.map(({ key }) => readName(key).kind));
  return RESOURCES.flatMap((resource, index) => (kinds.has(resource) ? (ALL_LABELS[index]?.deletionHint ?? []) : []));
}

/** A flag under another key in the manifests is a new one, whose people are assigned anew. */
export function renameHints(released: NonNullable<Plan['released']>, changes: Plan['changes']): string[] {
  const keys = released.flatMap(({ key }) => (readName(key).kind === 'flag' ? [escapeLine(key)] : []));
  if (keys.length === 0 || !changes.some(({ resource, action }) => resource === 'flag' && action === 'create'))
    return [];
  const [first = ''] = keys;
  return [`To rename one instead, declare under its new key previous_keys: [${keys.length === 1 ? first : 'KEY'}]`];
}

export function observedText(observed: readonly ObservedValue[]): string {
  const values = count(observed.length, 'value');
  return `${values} that others decide ${observed.length === 1 ? 'differs' : 'differ'} from the manifests (no drift)`;
}

export function ownershipText({ ownership }: Pick<ObservedValue, 'ownership'>): string {
  if (ownership === 'observed') return 'observed';
  const [low, high] = ownership.between;
  return `between ${low} and ${high}`;
}

/** The note after a change to the nearest bound, which is not the declared value. */
export function outsideText({ between: [low, high], declared }: OutsideBounds, unit: string): string {
  const bounds = `outside the bounds ${low}${unit} to ${high}${unit}`;
  return `${bounds}; the nearest one replaces the declared ${inlineValue(declared)}${unit}`;
}
