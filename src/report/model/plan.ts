/** The models of a plan, of the plan of an undo, and of drift: the plan seen from the live side, with the live flags that no manifest names. */

import { defined, ifGiven } from '../../base/optional.ts';
import { findDriftEffects, findEffects } from '../../review/effects/find-effects.ts';
import { reversedField } from '../../review/effects/sides.ts';
import type { ChangedAnswers } from '../../review/expectations/compare-answers.ts';
import { withCohortNames } from '../../posthog/cohort/names.ts';
import { isDecision, type Change, type FieldChange, type Plan } from '../../posthog/plan.ts';
import { groupDrift, findUnwritable } from '../../posthog/planning/drift-groups.ts';
import type { UnmanagedEdit } from '../../posthog/reading/unmanaged-edits.ts';
import { dueByPlan, isDueByPlan } from '../../posthog/rollouts/rollouts-in-review.ts';
import { escapeLine, placeText, quoteShort } from '../escape.ts';
import type { PlannedRollout } from '../../core/rollout/rollout.ts';
import { toned, type Phrase } from '../phrase.ts';
import { hasDrifted, isPending } from '../report-status.ts';
import { standingOfDrift } from '../drift-standing.ts';
import type { ReportOf } from '../report.ts';
import { againstText, forecastText, originPhrase, otherTimeText } from '../words/amounts.ts';
import { changedAnswersSummary, changedAnswerText } from '../words/answers.ts';
import { lastEditText } from '../words/authors.ts';
import { DRIFT_NOTES, noteOfChange, PLAN_NOTES, warnedByDrift } from '../words/base.ts';
import { personsReadText } from '../words/effects.ts';
import { labelsOf } from '../words/kinds.ts';
import { DUE_BY_ROLLOUT, DUE_TITLE, rolloutText, waitText } from '../words/rollouts.ts';
import { DRIFT_WORDS, driftSummary, planSummary, undoSummary } from '../words/summaries.ts';
import { inlineValue } from '../words/values.ts';
import {
  approvalFacts,
  approvalLines,
  approvalNotice,
  authoredLeft,
  authorLines,
  authorNotice,
  type Authors,
  unattributedFacts,
  baseFacts,
  LEFT,
  leftGroup,
  observedGroup,
  releasedGroup,
  unmanagedGroup,
} from './three-way.ts';
import {
  affectedGroup,
  changeEntry,
  changesGroup,
  effectFacts,
  effectLines,
  effectsByRef,
  type EffectsByRef,
  impactLines,
  LIST,
  markOf,
  NO_EFFECTS,
  noteSpans,
  refusedGroup,
  saying,
  summed,
  toAction,
  withLines,
} from './change.ts';
import { driftedFields, fieldLines, type ShownField } from './fields.ts';
import { refusedRemark, type Remark, warningRemarks, approvalRemarks, planRemarks } from './remark.ts';
import type { ReportEntry, ReportFact, ReportGroup, ReportLine, ReportModel, RunStanding } from './report-model.ts';
import * as readers from './code-readers.ts';
import { laterGroup, rolloutsGroup, stepsGroup } from './rollouts.ts';
import { brokenRules } from '../../review/policy/broken-rules.ts';
import { brokenFacts, policyNotice, refusalNotices, warningNotice } from './rules.ts';

export function planModel(given: ReportOf<'plan'>, verbose: boolean): ReportModel {
  const report = withCohortNames(given, given.cohortNames);
  const { plan, attributions, judgement, impact, named, requests, steps, soon } = report;
  return {
    command: 'plan',
    title: { words: 'Plan for', project: plan.project, ...originOf(report) },
    summary: planSummary(plan),
    standing: standingOf(plan),
    page: () => {
      const effects = effectsByRef(withCohortNames(findEffects(given.plan), given.cohortNames));
      const authors = attributions && { plan, attributions };
      const toEntry = (change: Change): ReportEntry => {
        // The paths of a change that are due with or without the reviewed change.
        const due = plan.rollouts === undefined || isDueByPlan(change, plan) ? undefined : dueByPlan(change.key, plan);
        return withLines(changeEntry(change, { verbose, places: true, notes: PLAN_NOTES, ...defined({ due }) }), [
          ...effectLines(change, effects),
          ...ifGiven(impact, (found) => impactLines(change, effects, found)),
          ...ifGiven(authors, (known) => authorLines(change, known)),
          ...ifGiven(requests, (known) => approvalLines(change, known)),
          ...ownerLines(change, report),
          ...ifGiven(report.sections?.readers, (found) => readers.lines(found, change)),
        ]);
      };
      return {
        facts: [
          // These qualify everything that follows.
          ...ifGiven(report.at, (at): ReportFact => ({
            place: 'title',
            label: 'Time',
            phrase: [toned('caution', otherTimeText(at))],
          })),
          ...ifGiven(report.against, (against): ReportFact => ({
            place: 'title',
            ...saying('Snapshot', [toned('caution', againstText(against))]),
          })),
          ...(plan.undoes === undefined && plan.off === undefined
            ? readingFacts(plan, 'Values are shown as in PostHog → in git.')
            : []),
          ...effectFacts(effects),
          ...peopleFacts(report),
          ...brokenFacts(brokenRules({ ...plan, ...defined({ findings: judgement?.findings }) })),
          ...ifGiven(requests, approvalFacts),
          ...ownerFacts(report),
          ...ifGiven(report.sections?.readers, readers.facts),
          ...costFacts(report),
          ...baseFacts(plan, 'left'),
          ...ifGiven(authors, unattributedFacts),
        ],
        notices: [
          ...refusalNotices(report),
          ...ifGiven(judgement, (found) => policyNotice(found)),
          warningNotice(plan, verbose, report.scheduled),
          ...ifGiven(requests, approvalNotice),
          ...ifGiven(authors, (known) => authorNotice([...plan.changes, ...authoredLeft(plan)], known)),
        ],
        groups: [
          ...changeGroups({ plan, effects, toEntry, word: toAction }),
          ...ifGiven(plan.rollouts ?? soon, () => rolloutsGroup(plan, requests, { soon, isMade: true })),
          ...ifGiven(steps, (ahead) => stepsGroup(ahead, report)),
          ...ifGiven(plan.rollout_changes, (later) => laterGroup(later, steps !== undefined)),
          ...ifGiven(impact, (found) => affectedGroup(effects, found)),
          ...ifGiven(named, (answers) => namedGroup(answers, verbose)),
          ...ifGiven(report.leftFollows === true ? undefined : plan.left, (left) =>
            leftGroup(left, LEFT, { verbose, authors }),
          ),
          ...ifGiven(plan.released, (released) => releasedGroup(released, plan.changes)),
          ...(verbose ? [unmanagedGroup(plan, verbose)] : []),
          ...ifGiven(plan.observed, (observed) => observedGroup(observed, verbose)),
        ],
      };
    },
    remarks: () => [
      ...planRemarks(report),
      ...ifGiven(report.sections?.readers, (found) => readers.remarks(found, plan)),
    ],
  };
}

function peopleFacts({ named, impact }: ReportOf<'plan'>): readonly ReportFact[] {
  return [
    ...ifGiven(named, (answers): ReportFact => ({
      place: 'summary',
      label: 'Test people',
      phrase: changedAnswersSummary(answers),
    })),
    ...ifGiven(impact?.persons, (persons): ReportFact => ({
      place: 'summary',
      label: 'People',
      phrase: personsReadText(persons),
    })),
  ];
}

/** The owner of all that changes, who is said once; `undefined` if there are several, or somebody is not known. */
function onlyOwner({ plan, owners = new Map() }: Pick<ReportOf<'plan'>, 'plan' | 'owners'>): string | undefined {
  const names = new Set([...owners.values()].map(({ name }) => name));
  const keys = new Set(plan.changes.map(({ key }) => key));
  return names.size === 1 && owners.size === keys.size ? [...names][0] : undefined;
}

function ownerFacts(report: ReportOf<'plan'>): readonly ReportFact[] {
  const owner = onlyOwner(report);
  return owner === undefined ? [] : [{ place: 'summary', label: 'Owner', phrase: [{ value: owner }] }];
}

function ownerLines({ ref }: Change, report: ReportOf<'plan'>): readonly ReportLine[] {
  const owner = report.owners?.get(ref);
  if (owner === undefined || onlyOwner(report) !== undefined) return [];
  return [{ phrase: ['owner: ', { value: owner.name }] }];
}

/** The arrows of a plan and of drift point in opposite directions. */
function readingFacts({ changes }: Plan, text: string): ReportFact[] {
  const isShifted = changes.some(({ action }) => action === 'update' || action === 'restore');
  return isShifted ? [{ place: 'head', ...saying('Reading', [toned('dim', text)]) }] : [];
}

/** A saved plan knows only its commit. */
function originOf({ plan: { commit }, origin = defined({ commit }) }: ReportOf<'plan' | 'drift'>): {
  readonly origin?: Phrase;
} {
  return defined({ origin: originPhrase(origin) });
}

/** A plan that is refused says so itself. */
function standingOf(plan: Plan): RunStanding {
  if (isDecision(plan) || plan.left !== undefined) return 'open';
  return findUnwritable(plan.warnings).length > 0 ? 'warning' : 'good';
}

/** What the change brings, and apart from it the steps that are made without it too. */
function changeGroups(options: { readonly plan: Plan } & Parameters<typeof changesGroup>[1]): ReportGroup[] {
  const { plan } = options;
  if (plan.rollouts === undefined) return [changesGroup(plan.changes, options)];
  const due = plan.changes.filter((change) => isDueByPlan(change, plan));
  const brought = plan.changes.filter((change) => !due.includes(change));
  const { sorts = [], ...group } = changesGroup(due, options);
  const counted = sorts.map((sort) => ({ ...sort, counted: `${sort.counted}, ${DUE_BY_ROLLOUT}` }));
  return [changesGroup(brought, options), { ...group, title: DUE_TITLE, prominence: 'headed', sorts: counted }];
}

function costFacts({ plan, forecast }: Pick<ReportOf<'plan'>, 'plan' | 'forecast'>): ReportFact[] {
  if (forecast === undefined || plan.changes.length === 0) return [];
  return [summed('Cost', [toned('aside', forecastText(forecast))])];
}

const MOST_NAMED = 20;

function namedGroup(found: ChangedAnswers, verbose: boolean): ReportGroup {
  const { total, answers } = found;
  // Only some of very many answers are kept.
  const unkept = total - answers.length;
  const [hidden, further] = [total - MOST_NAMED, answers.length - MOST_NAMED];
  const more =
    further <= 0
      ? `… ${unkept} more`
      : `… ${hidden} more; --verbose lists ${further === hidden ? 'them' : `${further} of them`}`;
  return {
    title: 'Test people whose results change',
    prominence: 'headed',
    ...LIST,
    amount: total,
    entries: answers.map((one) => ({ head: changedAnswerText(one) })),
    ...(unkept === 0 ? {} : { more: `… ${unkept} more` }),
    ...(verbose ? {} : { limit: { entries: MOST_NAMED, more, inComments: true } }),
  };
}

/** No manifest asks for the changes, so they have no places. */
export function undoModel(given: ReportOf<'undo'>, verbose: boolean): ReportModel {
  const report = withCohortNames(given, given.cohortNames);
  const { run, plan, refused } = report;
  return {
    command: 'undo',
    title: { words: ['Undo of run ', { code: run }, ' in'], project: plan.project },
    summary: undoSummary(plan, refused),
    standing: refused.length > 0 ? 'warning' : standingOf(plan),
    page: () => {
      const effects = effectsByRef(withCohortNames(findEffects(given.plan), given.cohortNames));
      const toEntry = (change: Change): ReportEntry =>
        withLines(changeEntry(change, { verbose, places: false }), effectLines(change, effects));
      return {
        facts: [...effectFacts(effects), ...costFacts(report)],
        notices: [...refusalNotices({ plan }), warningNotice(plan, verbose)],
        groups: [
          refusedGroup(refused, verbose),
          changesGroup(plan.changes, { plan, effects, toEntry, word: toAction }),
        ],
      };
    },
    remarks: () => [...refused.map(refusedRemark), ...planRemarks({ plan })],
  };
}

function driftedIn({ groups, plan }: ReportOf<'drift'>): readonly Change[] {
  return (groups ?? groupDrift(plan)).drifted;
}

/** Changes by people come first, and only these have effects: unapplied changes have affected nobody. */
export function driftModel(given: ReportOf<'drift'>, verbose: boolean): ReportModel {
  const report = withCohortNames(given, given.cohortNames);
  const { plan, counting, attributions, requests, groups, scheduled, edits } = report;
  const standing = standingOfDrift(plan, counting);
  return {
    command: 'drift',
    title: { words: 'Drift of', project: plan.project, ...originOf(report) },
    summary: driftSummary(plan, counting),
    standing: hasDrifted(standing) ? 'warning' : standing.pending.length > 0 ? 'open' : 'good',
    page: () => {
      const { drifted, pending } = groups ?? groupDrift(plan);
      const edited = new Set(drifted);
      const found = findDriftEffects({ changes: driftedIn(given), warnings: plan.warnings });
      const effects = effectsByRef(withCohortNames(found, given.cohortNames));
      const authors = attributions && { plan, attributions };
      const groupOf = (changes: readonly Change[], shown: EffectsByRef): ReportGroup =>
        changesGroup(changes, {
          plan,
          effects: shown,
          toEntry: (change) =>
            withLines(driftEntry(change, verbose), [
              ...effectLines(change, shown),
              // The last editor did not make what only git changed.
              ...(edited.has(change) ? editLines(change, authors) : []),
              ...ifGiven(requests, (known) => approvalLines(change, known)),
            ]),
          word: (action, amount) => `${amount} ${DRIFT_WORDS[action]}`,
        });
      const { sorts = [], ...unapplied } = groupOf(pending, NO_EFFECTS);
      return {
        facts: [
          ...readingFacts(plan, 'Values and effects are shown as in git → in PostHog.'),
          ...effectFacts(effects, 'Effects of live, compared with declared'),
          ...baseFacts(plan, 'ignored'),
          ...ifGiven(requests, approvalFacts),
          ...ifGiven(authors, unattributedFacts),
          ...(verbose ? (edits ?? []).map(editFact) : []),
        ],
        notices: [
          warningNotice(warnedByDrift(plan), verbose, scheduled),
          ...ifGiven(requests, approvalNotice),
          ...ifGiven(authors, (known) => authorNotice([...plan.changes, ...authoredLeft(plan)], known)),
        ],
        groups: [
          { ...groupOf(drifted, effects), title: 'Differences' },
          ...ifGiven(plan.rollouts, () => rolloutsGroup(plan, requests)),
          {
            ...unapplied,
            prominence: 'rest',
            title: 'Not applied yet (git changed it since the last apply)',
            sorts: sorts.map((sort) => ({ ...sort, counted: `Not applied yet: ${sort.counted}` })),
          },
          ...ifGiven(plan.left, (left) =>
            leftGroup(
              left.map((one) => ({ ...one, fields: one.fields.map(reversedField) })),
              { title: 'Ignored (shown as in git → in PostHog)', counted: 'ignored' },
              { verbose },
            ),
          ),
          ...ifGiven(plan.released, (released) => releasedGroup(released, plan.changes)),
          unmanagedGroup(plan, verbose),
          ...ifGiven(plan.observed, (observed) => observedGroup(observed, verbose)),
        ],
      };
    },
    remarks: () => driftRemarks(report),
  };
}

function editFact({ key, field, before, after, by, at }: UnmanagedEdit): ReportFact {
  const edit = `${quoteShort(field)} ${inlineValue(before)} → ${inlineValue(after)}`;
  return {
    place: 'note',
    phrase: `Not managed: ${quoteShort(key)} ${edit}, ${lastEditText({ at, ...defined({ by }) })}. To manage it, declare it under fields.`,
  };
}

function driftEntry(change: Change, verbose: boolean): ReportEntry {
  const { action, key, source } = change;
  const labels = labelsOf(change);
  const place = source === undefined ? [] : ['  ', toned('dim', placeText(source))];
  const note = noteSpans(noteOfChange(change, DRIFT_NOTES));
  const entry: ReportEntry = {
    mark: markOf(action, 'drift'),
    head: [toned('strong', escapeLine(key)), labels.drift(change, quoteShort), ...place, ...note],
  };
  if (action !== 'update' && action !== 'restore') return entry;
  const options = { verbose, labels, places: true, headPlace: source, notes: DRIFT_NOTES };
  return { ...entry, lines: fieldLines(driftedFields(change), options) };
}

/** The authors of the differences; if nobody asked for them, the last editor of the flag. */
function editLines(change: Change, authors: Authors | undefined): readonly ReportLine[] {
  const named = ifGiven(authors, (known) => authorLines(change, known));
  const edit = labelsOf(change).lastEdit(change);
  return named.length > 0 || edit === undefined ? named : [{ phrase: [toned('dim', lastEditText(edit))] }];
}

function driftRemarks({ plan, groups, counting = {}, requests, scheduled }: ReportOf<'drift'>): Remark[] {
  const { drifted, pending } = groups ?? groupDrift(plan);
  const { unwritable, unmanaged, overdue, unknown } = standingOfDrift(plan, counting);
  const out = new Set(unwritable.map(({ key }) => key));
  const differing = [...drifted, ...pending].flatMap((change) =>
    change.action === 'update'
      ? driftedFields(change).map((field) => fieldRemark(field, change))
      : [wholeRemark(change)],
  );
  return [
    ...(counting.pending === true ? differing.map((one) => ({ ...one, level: 'warning' as const })) : differing),
    ...unmanaged.map((key): Remark => ({
      family: 'drift',
      rule: 'unmanaged',
      level: 'warning',
      text: `${quoteShort(key)} is live and in no manifest.`,
      name: key,
    })),
    ...overdue.map((one) => rolloutRemark(one, 'overdue')),
    ...unknown.filter((one) => !overdue.includes(one)).map((one) => rolloutRemark(one, 'unknown_origin')),
    ...warningRemarks(warnedByDrift(plan), scheduled).map((one): Remark =>
      one.name !== undefined && out.has(one.name) ? { ...one, counts: true } : one,
    ),
    ...approvalRemarks(plan.changes, requests),
  ];
}

function rolloutRemark(rollout: PlannedRollout, rule: 'overdue' | 'unknown_origin'): Remark {
  const { key, path, waits } = rollout;
  const subject = `${quoteShort(key)}: ${labelsOf({ resource: 'flag' }).field(path)}`;
  const text = `${subject}: ${rolloutText(rollout)}.`;
  // What guards say differs in each run.
  const aside = waits === undefined ? undefined : `It ${waitText(waits, rollout)}.`;
  return { family: 'drift', rule, level: 'warning', text, name: key, subject, ...defined({ aside }) };
}

function levelOf(isWaiting: boolean): readonly [level: Remark['level'], note: string] {
  return isWaiting ? ['note', ' (not applied yet)'] : ['warning', ''];
}

function wholeRemark(change: Change): Remark {
  const { action, key, source } = change;
  const [level, note] = levelOf(isPending(change));
  const text = `${quoteShort(key)}${labelsOf(change).drift(change, quoteShort)}${note}.`;
  return { family: 'drift', rule: action, level, text, name: key, ...defined({ place: source }) };
}

/** `field`: from the declared value to the live one. */
function fieldRemark(field: ShownField, change: Change): Remark {
  const { key, source } = change;
  const labels = labelsOf(change);
  const { path, divergence, label = labels.field(path) } = field;
  const shown = (value: FieldChange['before']): string => {
    const held = value ?? labels.absent(path);
    if (held === undefined) return '(none)';
    return quoteShort(`${inlineValue(held)}${typeof held === 'number' ? labels.unit(path) : ''}`);
  };
  const values = field.text ?? `declared ${shown(field.before)}, live ${shown(field.after)}`;
  const [level, note] = levelOf(divergence === 'pending');
  const subject = `${quoteShort(key)}${labels.qualifier}: ${quoteShort(label)}`;
  const text = `${subject}: ${values}${note}.`;
  const place = field.source ?? source;
  return { family: 'drift', rule: 'update', level, text, name: key, subject, ...defined({ place }) };
}
