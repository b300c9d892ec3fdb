/** The models of runs: of the result of one, and of those that the journal has. */

import type { ApplyResult, ChangeResult, Outcome } from '../../loop/apply/result.ts';
import { groupBy } from '../../base/group.ts';
import { ifGiven } from '../../base/optional.ts';
import { isPartial } from '../../core/engine/change.ts';
import { withCohortNames } from '../../posthog/cohort/names.ts';
import type { Action, Change } from '../../posthog/plan.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { type Phrase, plainText, type Tone, toned } from '../phrase.ts';
import type { ReportOf } from '../report.ts';
import {
  countRecorded,
  isUndoable,
  outcomeOf,
  type RecordedChange,
  type RecordedOutcome,
  type RecordedRun,
  stateOf,
  wasAlready,
} from '../run-record.ts';
import { changesNote, count, keysText, timeText } from '../words/amounts.ts';
import { labelsOf, labelsOfRef } from '../words/kinds.ts';
import { reasonTail } from '../words/authors.ts';
import { NOT_VERIFIED, outcomeErrorText, outcomeNotes, remainderText, remedyOf, skipText } from '../words/outcomes.ts';
import { nothingText, resultSummary } from '../words/summaries.ts';
import { activityNote } from '../words/ways-out.ts';
import { authoredLeft, authorNotice, LEFT, leftGroup, releasedGroup } from './three-way.ts';
import { BLOCKS, changeHead, linesOf, saying, withLines } from './change.ts';
import { fieldLines } from './fields.ts';
import type { ReportEntry, ReportFact, ReportGroup, ReportLine, ReportModel } from './report-model.ts';
import { resultRemarks } from './remark.ts';
import { guardedGroup } from './rollouts.ts';

export function resultModel(given: ReportOf<'result'>, verbose: boolean): ReportModel {
  const report = withCohortNames(given, given.cohortNames);
  const { result, durationMs, run, attributions, keyVariable } = report;
  const how: Showing = { verbose, ...(keyVariable === undefined ? {} : { keyVariable }) };
  const { outcomes, changes, remainder, verified, unwritable = [] } = result;
  const isWhole = outcomes.applied === changes.length && remainder.length + unwritable.length === 0;
  const isMade = changes.length > 0;
  // What was not read back is not known to be as planned.
  const isGood = isWhole && (verified || !isMade);
  return {
    command: result.off !== undefined ? 'off' : result.undoes === undefined ? 'apply' : 'undo',
    title: { words: titleOf(result), project: result.project },
    summary: resultSummary(result, durationMs),
    standing: outcomes.failed + outcomes.unknown > 0 ? 'bad' : isGood ? 'good' : 'warning',
    page: () => {
      const authors = attributions && { plan: result, attributions };
      const differing = isMade && verified ? remainder : [];
      const applied = changes.filter((one) => one.result.outcome === 'applied');
      const others = changes.filter((one) => one.result.outcome !== 'applied');
      return {
        facts: [
          ...ifGiven(run, (name) => saying('Journal', ['Recorded as run ', { code: name }, '.'])),
          ...(isMade && !verified
            ? [{ place: 'left' as const, ...saying('Verification', [toned('caution', NOT_VERIFIED)]) }]
            : []),
        ],
        notices: [...ifGiven(authors, (known) => authorNotice(authoredLeft(result), known))],
        groups: [
          { ...outcomeGroup('Not applied', others, how), prominence: 'grave' },
          {
            title: `Still different after apply (${count(differing.length, 'value')})`,
            prominence: 'notice',
            ...BLOCKS,
            entries: differing.map((rest) => {
              const { ref, key, path } = rest;
              const label = escapeLine(labelsOfRef(ref).field(path));
              const field = path === '' ? [] : [`  ${label}  `, toned('dim', escapeLine(path))];
              return { head: [toned('strong', escapeLine(key)), ...field, `: ${remainderText(rest)}`] };
            }),
          },
          outcomeGroup('Applied', applied, how),
          ...ifGiven(report.rollouts, guardedGroup),
          ...ifGiven(result.left, (left) => leftGroup(left, LEFT, { verbose, authors })),
          ...ifGiven(result.released, (released) => releasedGroup(released)),
        ],
      };
    },
    remarks: () => resultRemarks(report),
  };
}

export function nothingModel({ project, reason }: ReportOf<'nothing'>): ReportModel {
  const commands = { nothing_to_resume: 'apply', run_changed_nothing: 'undo', already_off: 'off' };
  return {
    command: commands[reason.code],
    title: { words: nothingText(reason), project },
    page: () => ({}),
  };
}

function titleOf({ changes, undoes, off }: ApplyResult): Phrase {
  const isRefused = changes.length > 0 && changes.every(({ result }) => isUnwritten(result));
  if (isRefused && off !== undefined) return 'Nothing was turned off in';
  if (isRefused)
    return undoes === undefined ? 'Nothing was written to' : ['Nothing of run ', { code: undoes }, ' was undone in'];
  if (off !== undefined) {
    const kinds = new Set(changes.map(({ result }) => result.outcome));
    kinds.delete('applied');
    if (kinds.size === 0) return 'Turned off in';
    const isOne = changes.length + (off.already?.length ?? 0) === 1;
    if (kinds.size === 1 && kinds.has('unknown'))
      return isOne ? 'Not known to be off in' : 'Not everything is known to be off in';
    return isOne ? 'Not turned off in' : 'Not everything was turned off in';
  }
  if (undoes !== undefined) return ['Undo of run ', { code: undoes }, ' in'];
  return changes.length === 0 ? 'Nothing to apply to' : 'Applied to';
}

/** It was not sent, or the service refused it: whatever else fails may have been written. */
function isUnwritten(result: Outcome): boolean {
  if (result.outcome !== 'failed' && result.outcome !== 'skipped') return false;
  if ((result.parts?.written.length ?? 0) > 0) return false;
  if (result.outcome === 'skipped') return true;
  const { status = 0 } = result.error;
  return status >= 400 && status < 500 && status !== REQUEST_TIMEOUT;
}

const REQUEST_TIMEOUT = 408;

function outcomeGroup(title: string, changes: readonly ChangeResult[], how: Showing): ReportGroup {
  return {
    title,
    counted: `${changes.length} ${title.toLowerCase()}`,
    ...BLOCKS,
    spacing: 'around',
    entries: outcomeEntries(changes, how),
  };
}

interface Showing {
  readonly verbose: boolean;
  /** The environment variable that holds the API key. */
  readonly keyVariable?: string;
}

const MARKS: Readonly<Record<RecordedOutcome, readonly [sign: string, tone: Tone, words: string]>> = {
  applied: ['✓', 'add', 'applied'],
  failed: ['✗', 'error', 'failed'],
  skipped: ['○', 'warning', 'skipped'],
  pending: ['…', 'warning', 'pending'],
  unknown: ['?', 'error', 'unknown'],
  unanswered: ['?', 'warning', 'sent without an answer'],
  not_started: ['○', 'warning', 'not started'],
};

/** Returns an entry for each change, or for several with the same outcome, reason and remedy, at the place of the first in the plan. */
export function outcomeEntries(changes: readonly ChangeResult[], how: Showing): readonly ReportEntry[] {
  const alike = groupBy(changes, (change, index) => {
    const { outcome } = change.result;
    const lines = reasonLines(change, how).map(({ phrase, indent = 0 }) => `${indent} ${plainText(phrase)}`);
    return outcome === 'applied' ? String(index) : [outcome, ...lines].join('\n');
  });
  return [...alike.values()].map((group): ReportEntry => {
    const [first] = group as [ChangeResult];
    if (group.length === 1) return outcomeEntry(first, how);
    const { outcome } = first.result;
    const [sign, tone] = MARKS[outcome];
    return {
      head: [toned(tone, sign), ` ${count(group.length, 'change')}  `, toned(tone, outcome)],
      lines: reasonLines(first, how, group.length),
      named: group.map((one) => changeHead(one.change)),
      kinds: [outcome],
    };
  });
}

/** The lines of the entry give the reason if the change was not applied. */
function outcomeEntry(one: ChangeResult, how: Showing): ReportEntry {
  const { outcome } = one.result;
  const [sign, tone] = MARKS[outcome];
  const after = outcome !== 'applied' ? ['  ', toned(tone, outcome)] : wasAlready(one) ? ['  already up to date'] : [];
  return {
    head: [toned(tone, sign), ' ', ...changeHead(one.change), ...after],
    lines: reasonLines(one, how),
    kinds: [outcome],
  };
}

function reasonLines({ change, result }: ChangeResult, { verbose, keyVariable }: Showing, changes = 1): ReportLine[] {
  if (result.outcome === 'applied') return [];
  const remedy = remedyOf(result, change, keyVariable);
  const last = remedy === undefined ? [] : linesOf([[toned('dim', remedy)]]);
  if (result.outcome !== 'skipped') {
    const isLost = result.outcome === 'unknown' && !ANSWERED.has(result.error.code);
    const lost = isLost
      ? ['The answer was lost: the change may have been applied. The next plan shows whether it was.']
      : [];
    return [...linesOf([...lost, outcomeErrorText(result.error, changes), ...outcomeNotes(result)]), ...last];
  }
  const { reason } = result;
  const options = { labels: labelsOf(change), verbose, places: false };
  const moved = reason.code === 'stale' ? fieldLines(reason.moved, options) : [];
  return [...linesOf([skipText(reason), ...outcomeNotes(result)]), ...indented(moved), ...last];
}

function indented(lines: readonly ReportLine[]): ReportLine[] {
  return lines.map((line) => ({ ...line, indent: (line.indent ?? 0) + 2 }));
}

/** Codes of unknown outcomes of which the answer was not lost. */
const ANSWERED: ReadonlySet<string> = new Set(['name_shared', 'not_verified']);

/** Two or three lines for each run, since its name is never cut. */
export function historyModel({ history }: ReportOf<'history'>): ReportModel {
  const { folder, runs, unreadable, apart, more } = history;
  const note = (text: string): ReportFact => ({ place: 'note', phrase: [toned('dim', text)] });
  const listOf = (entries: readonly ReportEntry[]): ReportGroup => ({
    title: '',
    form: 'blocks',
    indent: { head: 0, lines: 2 },
    entries,
  });
  const warned = (word: string, text: string): ReportEntry => ({ head: [toned('warning', word), `  ${text}`] });
  return {
    page: () => ({
      facts: [
        runs.length === 0
          ? { place: 'title', phrase: `No run is recorded in ${escapeLine(folder)}.` }
          : note('To see edits of people too: flagwright flags activity KEY'),
        ...(more ? [note('… older runs are not shown; --limit N shows more')] : []),
      ],
      groups: [
        listOf(runs.map(summaryEntry)),
        listOf(
          unreadable.map(({ name, problem }) =>
            warned('unreadable', `${escapeLine(name)}  ${escapeLine(problem.message)}`),
          ),
        ),
        listOf(
          apart.map((names) =>
            warned(
              'note',
              `${names.map((name) => escapeLine(name)).join(', ')} were recorded independently: none of them follows another. undo and apply --resume need the name of one.`,
            ),
          ),
        ),
      ],
    }),
  };
}

function summaryEntry(run: RecordedRun): ReportEntry {
  const origin = originTexts(run);
  const { changes, undoes, off } = run;
  const what = whatText(run);
  const already = (off?.already ?? []).map(({ key }) => key);
  const kept = already.length === 0 || changes.length === 0 ? '' : `; kept off: ${keysText(already)}`;
  return {
    head: [
      ...[toned('strong', run.name), `  ${timeText(run.startedAt)}  ${escapeLine(run.project.name)}`],
      ...(what === undefined ? [] : ['  ', toned('strong', what)]),
    ],
    lines: linesOf([
      [
        ...[stateOf(run), changes.length === 0 ? 'nothing to write' : countsText(run)],
        ...(isUndoable(run) || changes.length === 0 ? [] : ['nothing to undo']),
      ].join(' · '),
      ...(undoes === undefined ? [] : [`undo of ${escapeLine(undoes)}`]),
      ...(off === undefined || `${off.reason ?? ''}${kept}` === '' ? [] : [`off${reasonTail(off, quoteShort)}${kept}`]),
      ...(origin.length === 0 ? [] : [[toned('dim', origin.join(' · '))]]),
    ]),
  };
}

/**
 * What was applied: `checkout off`, `12 created, 1 deleted`. Of a run that applied nothing: `not done: checkout off`. `undefined`: it had no
 * changes.
 */
function whatText(run: RecordedRun): string | undefined {
  const applied = run.changes.filter((one) => outcomeOf(one) === 'applied');
  const written = (applied.length > 0 ? applied : run.changes).map(({ change }) => change);
  // Of two writes of a flag, the one that only switches it is no change of its own.
  const whole = written.filter((change) => !isPartial(change));
  const changes = whole.length > 0 ? whole : written;
  if (changes.length === 0) {
    const kept = (run.off?.already ?? []).map(({ key }) => key);
    return kept.length === 0 ? undefined : `${keysText(kept)} kept off`;
  }
  const isDone = applied.length > 0;
  const groups = [...groupBy(changes, (change) => (run.off === undefined ? pastOf(change) : 'off'))];
  const texts = groups.map(([past, own]) => {
    const names = own.map(
      (change) => `${escapeLine(change.key)}${change.resource === 'role_access' ? '' : labelsOf(change).qualifier}`,
    );
    const [labels, ...others] = new Set(own.map(labelsOf));
    const isOfOne = labels !== undefined && others.length === 0 && groups.length === 1;
    const amount = isOfOne ? count(own.length, labels.noun, labels.plural) : String(own.length);
    return `${changes.length > MOST_NAMED ? amount : names.join(', ')} ${past}`;
  });
  return `${isDone ? '' : 'not done: '}${texts.join(', ')}`;
}

const MOST_NAMED = 3;

function pastOf(change: Change): string {
  const [first, ...others] = 'fields' in change && change.action === 'update' ? change.fields : [];
  const isSwitch = first?.path === '/active' && others.length === 0 && typeof first.after === 'boolean';
  return isSwitch ? (first.after === true ? 'on' : 'off') : PAST[change.action];
}

const PAST: Readonly<Record<Action, string>> = {
  create: 'created',
  update: 'updated',
  restore: 'restored',
  delete: 'deleted',
  grant: 'access granted',
  adjust: 'access changed',
  revoke: 'access revoked',
};

/** `by ana@laptop`, `commit 1a2b3c4d5e6f`. */
function originTexts({ actor, commit }: RecordedRun): string[] {
  return [
    ...ifGiven(actor, ({ name, host, ci }) => {
      if (host !== undefined) return `by ${quoteShort(`${name}@${host}`)}`;
      return ci === undefined ? `by ${quoteShort(name)}` : `by ${quoteShort(name)} in ${quoteShort(ci)}`;
    }),
    ...ifGiven(commit, (id) => `commit ${quoteShort(id.slice(0, 12))}`),
  ];
}

export function runModel({ run }: ReportOf<'run'>, verbose: boolean): ReportModel {
  const ended = run.endedAt === undefined ? 'not finished' : `ended ${timeText(run.endedAt)}`;
  const flag = run.changes.find(({ change }) => change.resource === 'flag')?.change;
  const facts = [
    [`started ${timeText(run.startedAt)}`, ended, stateOf(run)],
    run.undoes === undefined ? [] : [`undo of ${escapeLine(run.undoes)}`],
    run.off === undefined ? [] : [`off${reasonTail(run.off, quoteShort)}`],
    originTexts(run),
    run.actor?.url === undefined ? [] : [escapeLine(run.actor.url)],
    flag === undefined ? [] : [activityNote(flag.key, run.project.name)],
  ].filter((parts) => parts.length > 0);
  return {
    title: { words: `Run ${run.name} in`, project: run.project },
    summary: countsText(run),
    page: () => ({
      facts: facts.map((parts) => ({ place: 'title', phrase: [toned('dim', parts.join(' · '))] })),
      groups: [recordedGroup(run.changes.map((change) => recordedEntry(change, verbose)))],
    }),
  };
}

export function resumingModel({ run }: ReportOf<'resuming'>): ReportModel {
  const open = run.changes.filter((change) => outcomeOf(change) !== 'applied');
  return {
    title: { words: `Resuming run ${run.name} in`, project: run.project },
    summary: countsText(run),
    page: () => ({ groups: [recordedGroup(open.map(openEntry))] }),
  };
}

function recordedGroup(entries: readonly ReportEntry[]): ReportGroup {
  return { title: 'Changes', ...BLOCKS, spacing: 'around', entries };
}

function recordedEntry(recorded: RecordedChange, verbose: boolean): ReportEntry {
  const { change } = recorded;
  const entry = 'open' in recorded ? openEntry(recorded) : outcomeEntry(recorded, { verbose });
  if (!('fields' in change) || change.action === 'delete') return entry;
  const options = { verbose, labels: labelsOf(change), places: false, onlyAfter: change.action === 'create' };
  return withLines(entry, indented(fieldLines(change.fields, options)));
}

function openEntry(recorded: RecordedChange): ReportEntry {
  const outcome = outcomeOf(recorded);
  const sign = toned('warning', outcome === 'not_started' ? '○' : '?');
  return { head: [sign, ' ', ...changeHead(recorded.change), '  ', toned('dim', MARKS[outcome][2])] };
}

/** `3 applied, 1 failed`; with cohorts, `3 applied (2 to flags, 1 to cohorts)`. */
function countsText(run: RecordedRun): string {
  const counts = countRecorded(run);
  const kinds = (Object.keys(MARKS) as RecordedOutcome[]).filter((kind) => counts[kind] > 0);
  const changesWith = (kind: RecordedOutcome): Change[] =>
    run.changes.filter((change) => outcomeOf(change) === kind).map(({ change }) => change);
  return kinds.map((kind) => `${counts[kind]} ${MARKS[kind][2]}${changesNote(changesWith(kind))}`).join(', ');
}
