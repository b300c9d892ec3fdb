/** The model of drift: the plan seen from the live side, the live flags that no manifest names, and its remarks. */

import { defined, ifGiven } from '../../base/optional.ts';
import { reversedField } from '../../effects/sides.ts';
import type { Left } from '../../engine/matched.ts';
import { groupDrift } from '../../posthog/planning/drift-groups.ts';
import type { Change, FieldChange, Plan } from '../../posthog/plan.ts';
import type { UnmanagedEdit } from '../../posthog/reading/unmanaged-edits.ts';
import { escapeLine, placeText, quoteShort } from '../escape.ts';
import type { ReportOf } from '../report.ts';
import { driftedFields, type ShownField } from '../shown-fields.ts';
import { hasDrifted, isPending, type StandingFacts, standingOfDrift } from '../report-status.ts';
import { lastEditText } from '../words/authors.ts';
import { warnedByDrift } from '../words/base.ts';
import { labelsOf } from '../words/kinds.ts';
import { DRIFT_WORDS, driftSummary } from '../words/summaries.ts';
import { DRIFT_NOTES, noteOfChange } from '../words/three-way.ts';
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
} from './authors.ts';
import {
  driftEffectsByRef,
  driftMark,
  effectFacts,
  effectLines,
  type EffectsByRef,
  NO_EFFECTS,
  noteSpans,
} from './change.ts';
import { changesGroup, withLines } from './change-groups.ts';
import { fieldLines } from './fields.ts';
import { toned } from '../phrase.ts';
import { approvalRemarks } from './remarks/plan.ts';
import type { Remark } from './remarks/remark.ts';
import { warningRemarks } from './remarks/rules.ts';
import type {
  ReportEntry,
  ReportFact,
  ReportGroup,
  ReportLine,
  ReportModel,
  ReportPage,
  RunStanding,
} from './report-model.ts';
import { rolloutsGroup } from './rollouts.ts';
import { warningNotice } from './rules.ts';
import { baseFacts, leftGroup, observedFact, observedGroup, releasedGroup, unmanagedGroup } from './three-way.ts';

export function driftModel(report: ReportOf<'drift'>, verbose: boolean): ReportModel {
  const { plan, counting } = report;
  return {
    command: 'drift',
    title: { words: 'Drift of', project: plan.project },
    summary: driftSummary(plan, counting),
    standing: standingOf(report),
    page: () => driftPage(report, verbose),
    remarks: () => driftRemarks(report),
  };
}

function standingOf({ plan, counting }: ReportOf<'drift'>): RunStanding {
  const standing = standingOfDrift(plan, counting);
  if (hasDrifted(standing)) return 'warning';
  return standing.pending.length > 0 ? 'open' : 'good';
}

/** Changes by people come first, and only these have effects: unapplied changes have affected nobody. */
function driftPage(report: ReportOf<'drift'>, verbose: boolean): ReportPage {
  const { plan, attributions, requests, groups, scheduled, edits } = report;
  const { drifted, pending } = groups ?? groupDrift(plan);
  const effects = driftEffectsByRef({ changes: drifted, warnings: plan.warnings });
  const authors = attributions && { plan, attributions };
  const groupOf = (changes: readonly Change[], shown: EffectsByRef): ReportGroup =>
    changesGroup(changes, {
      plan,
      effects: shown,
      toEntry: (change) =>
        withLines(driftEntry(change, verbose), [
          ...effectLines(change, shown),
          ...editLines(change, authors),
          ...ifGiven(requests, (known) => approvalLines(change, known)),
        ]),
      word: (action, amount) => `${amount} ${DRIFT_WORDS[action]}`,
    });
  return {
    facts: [
      ...legendFacts(plan),
      ...effectFacts(effects, 'Effects of live, compared with declared'),
      ...baseFacts(plan, 'ignored'),
      ...ifGiven(requests, approvalFacts),
      ...ifGiven(plan.observed, observedFact),
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
      pendingGroup(groupOf(pending, NO_EFFECTS)),
      ...ifGiven(plan.left, (left) => leftGroup(left.map(reversed), IGNORED, { verbose })),
      ...ifGiven(plan.released, releasedGroup),
      ...ifGiven(plan.observed, (observed) => observedGroup(observed, verbose)),
      unmanagedGroup(plan, verbose),
    ],
  };
}

function editFact({ key, field, before, after, by, at }: UnmanagedEdit): ReportFact {
  const edit = `${quoteShort(field)} ${inlineValue(before)} → ${inlineValue(after)}`;
  return {
    about: 'note',
    phrase: `Not managed: ${quoteShort(key)} ${edit}, ${lastEditText({ at, ...defined({ by }) })}. To manage it, declare it under fields.`,
  };
}

function reversed(left: Left): Left {
  return { ...left, fields: left.fields.map(reversedField) };
}

const IGNORED = { title: 'Ignored (shown as declared → live)', counted: 'ignored' };

function pendingGroup(group: ReportGroup): ReportGroup {
  const { sorts = [] } = group;
  return {
    ...group,
    about: 'pending',
    isRest: true,
    title: 'Not applied yet (git changed it since the last apply)',
    isHeaded: true,
    sorts: sorts.map((sort) => ({ ...sort, counted: `Not applied yet: ${sort.counted}` })),
  };
}

function legendFacts({ changes }: Plan): ReportFact[] {
  const updates = changes.some(({ action }) => action === 'update' || action === 'restore');
  return updates
    ? [{ about: 'legend', phrase: [toned('dim', 'Values and effects are shown as declared → live.')] }]
    : [];
}

function driftEntry(change: Change, verbose: boolean): ReportEntry {
  const { action, key, source } = change;
  const labels = labelsOf(change);
  const place = source === undefined ? [] : ['  ', toned('dim', placeText(source))];
  const hasFields = action === 'update' || action === 'restore';
  return {
    mark: driftMark(action),
    head: [
      toned('strong', escapeLine(key)),
      labels.drift(change, quoteShort),
      ...place,
      ...noteSpans(noteOfChange(change, DRIFT_NOTES)),
    ],
    lines: hasFields
      ? fieldLines(driftedFields(change), { verbose, labels, places: true, headPlace: source, notes: DRIFT_NOTES })
      : [],
  };
}

/** The authors of the differences; if unknown, the last editor of the flag. A comment names the authors elsewhere. */
function editLines(change: Change, authors: Authors | undefined): readonly ReportLine[] {
  const named = ifGiven(authors, (known) => authorLines(change, known));
  const edit = labelsOf(change).lastEdit(change);
  if (edit === undefined) return named;
  const line = { phrase: [toned('dim', lastEditText(edit))] };
  return named.length === 0 ? [line] : [...named, { ...line, only: 'comment' as const }];
}

/** The remarks of a drift report: a value that differs live, at the line that declares it, and the warnings about the live state. */
function driftRemarks({ plan, groups, counting = {}, requests, scheduled }: ReportOf<'drift'>): Remark[] {
  const { drifted, pending } = groups ?? groupDrift(plan);
  const { leftOut, unmanaged } = standingOfDrift(plan, counting);
  const out = new Set(leftOut.map(({ key }) => key));
  const counted = (remark: Remark): Remark =>
    remark.name !== undefined && out.has(remark.name) ? { ...remark, counts: true } : remark;
  return [
    ...[...drifted, ...pending].flatMap((change) => changeRemarks(change, counting)),
    ...unmanaged.map(unmanagedRemark),
    ...warningRemarks(warnedByDrift(plan), scheduled).map(counted),
    ...approvalRemarks(plan.changes, requests),
  ];
}

function unmanagedRemark(key: string): Remark {
  return {
    family: 'drift',
    rule: 'unmanaged',
    level: 'warning',
    text: `${quoteShort(key)} is live and in no manifest.`,
    name: key,
  };
}

function changeRemarks(change: Change, counting: StandingFacts): Remark[] {
  const remarks =
    change.action === 'update'
      ? driftedFields(change).map((field) => fieldRemark(field, change))
      : [wholeRemark(change)];
  return counting.pending === true ? remarks.map((remark) => ({ ...remark, level: 'warning' })) : remarks;
}

function wholeRemark(change: Change): Remark {
  const { action, key, source } = change;
  const pending = isPending(change);
  return {
    family: 'drift',
    rule: action,
    level: pending ? 'note' : 'warning',
    text: `${quoteShort(key)}${labelsOf(change).drift(change, quoteShort)}${pending ? NOT_APPLIED : ''}.`,
    name: key,
    ...defined({ place: source }),
  };
}

const NOT_APPLIED = ' (not applied yet)';

/** `field`: from the declared value to the live one. */
function fieldRemark(field: ShownField, change: Change): Remark {
  const { key, source } = change;
  const labels = labelsOf(change);
  const { path, divergence, label = labels.field(path) } = field;
  const shown = (value: FieldChange['before']): string => {
    const held = value ?? labels.absent(path);
    return held === undefined
      ? '(none)'
      : quoteShort(`${inlineValue(held)}${typeof held === 'number' ? labels.unit(path) : ''}`);
  };
  const values = field.text ?? `declared ${shown(field.before)}, live ${shown(field.after)}`;
  return {
    family: 'drift',
    rule: 'update',
    level: divergence === 'pending' ? 'note' : 'warning',
    text: `${quoteShort(key)}${labels.qualifier}: ${quoteShort(label)}: ${values}${divergence === 'pending' ? NOT_APPLIED : ''}.`,
    name: key,
    subject: `${quoteShort(key)}${labels.qualifier}: ${quoteShort(label)}`,
    ...defined({ place: field.source ?? source }),
  };
}
