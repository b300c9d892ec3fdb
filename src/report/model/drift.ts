/** The model of drift: the plan seen from the live side, and the live flags that no manifest names. */

import { reversedField } from '../../effects/sides.ts';
import { groupDrift } from '../../posthog/drift-groups.ts';
import type { Change, Plan } from '../../posthog/plan.ts';
import { escapeLine, placeText, quoteShort } from '../escape.ts';
import type { ReportOf } from '../report.ts';
import { driftedFields } from '../shown-fields.ts';
import { hasDrifted, standingOfDrift } from '../standing.ts';
import { warnedByDrift } from '../words/base.ts';
import { labelsOf } from '../words/kinds.ts';
import { lastEditText } from '../words/authors.ts';
import { DRIFT_WORDS, driftSummary } from '../words/summaries.ts';
import { DRIFT_NOTES, noteOfChange } from '../words/three-way.ts';
import {
  approvalNotice,
  authorLines,
  authorNotice,
  type Authors,
  approvalLines,
  approvalFacts,
  unattributedFacts,
  authoredLeft,
} from './authors.ts';
import { driftMark, noteSpans } from './change.ts';
import { driftEffectsByRef, NO_EFFECTS, type EffectsByRef, effectLines, effectFacts } from './effects.ts';
import { fieldLines } from './fields.ts';
import { toned } from './phrase.ts';
import type {
  ReportEntry,
  ReportFact,
  ReportGroup,
  ReportLine,
  ReportPage,
  ReportModel,
  Standing,
} from './report-model.ts';
import { warningNotice } from './rules.ts';
import { leftGroup, observedGroup, releasedGroup, unmanagedGroup, baseFacts, observedFacts } from './three-way.ts';
import { driftRemarks } from './remarks/drift.ts';
import { changesGroup, withLines } from './changes.ts';

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

function standingOf({ plan, counting }: ReportOf<'drift'>): Standing {
  const standing = standingOfDrift(plan, counting);
  if (hasDrifted(standing)) return 'warning';
  return standing.pending.length > 0 ? 'open' : 'good';
}

/** Changes by people come first, and only these have effects: unapplied changes have affected nobody. */
function driftPage(report: ReportOf<'drift'>, verbose: boolean): ReportPage {
  const { plan, attributions, requests, groups } = report;
  const { drifted, pending } = groups ?? groupDrift(plan);
  const effects = driftEffectsByRef({ changes: drifted, warnings: plan.warnings });
  const authors = { plan, attributions };
  const groupOf = (changes: readonly Change[], shown: EffectsByRef): ReportGroup =>
    changesGroup(changes, {
      plan,
      effects: shown,
      toEntry: (change) =>
        withLines(driftEntry(change, verbose), [
          ...effectLines(change, shown),
          ...editLines(change, authors),
          ...approvalLines(change, requests),
        ]),
      word: (action, amount) => `${amount} ${DRIFT_WORDS[action]}`,
    });
  return {
    facts: [
      ...legendFacts(plan),
      ...effectFacts(effects, 'Effects of live, compared with declared'),
      ...baseFacts(plan, 'ignored'),
      ...approvalFacts(requests),
      ...observedFacts(plan),
      ...unattributedFacts(authors),
    ],
    notices: [
      warningNotice(warnedByDrift(plan), verbose),
      approvalNotice(requests),
      authorNotice([...plan.changes, ...authoredLeft(plan)], authors),
    ],
    groups: [
      { ...groupOf(drifted, effects), title: 'Differences' },
      pendingGroup(groupOf(pending, NO_EFFECTS)),
      leftGroup(
        plan.left?.map((one) => ({ ...one, fields: one.fields.map(reversedField) })),
        IGNORED,
        { verbose },
      ),
      releasedGroup(plan),
      observedGroup(plan, verbose),
      unmanagedGroup(plan, verbose),
    ],
  };
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
function editLines(change: Change, authors: Authors): ReportLine[] {
  const named = authorLines(change, authors);
  const edit = labelsOf(change).lastEdit(change);
  if (edit === undefined) return named;
  const line = { phrase: [toned('dim', lastEditText(edit))] };
  return named.length === 0 ? [line] : [...named, { ...line, only: 'comment' as const }];
}
