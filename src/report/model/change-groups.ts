/** The changes of a plan or a drift report as a group, which a comment divides by actions; and what an undo cannot revert. */

import type { RefusedInversion } from '../../posthog/planning/invert-plan.ts';
import type { Change, Action, Plan } from '../../posthog/plan.ts';
import { labelsOfRef } from '../words/kinds.ts';
import { REFUSALS } from '../words/hazards.ts';
import { BLOCKS, CHANGES, classesByRef, type EffectsByRef } from './change.ts';
import type { ReportEntry, ReportGroup, ReportLine, GroupSort } from './report-model.ts';
import { escapeLine } from '../escape.ts';
import { fieldLines } from './fields.ts';
import { toned } from '../phrase.ts';
import { actionCount, needsNouns } from '../words/amounts.ts';

interface ChangesOptions {
  readonly plan: Pick<Plan, 'summary'>;
  readonly effects: EffectsByRef;
  readonly toEntry: (change: Change) => ReportEntry;
  /** `3 to delete`. */
  readonly word: (action: Action, amount: number) => string;
}

/** Actions that remove something come first in a document that may be cut. */
const GRAVEST_FIRST: readonly Action[] = ['delete', 'revoke', 'adjust', 'update', 'restore', 'create', 'grant'];

export function changesGroup(
  changes: readonly Change[],
  { plan, effects, toEntry, word }: ChangesOptions,
): ReportGroup {
  const classes = classesByRef(effects);
  const found = new Set(changes.map(({ action }) => action));
  const isNamed = needsNouns(plan.summary);
  return {
    about: 'changes',
    title: 'Changes',
    ...CHANGES,
    entries: changes.map((change) => ({
      ...toEntry(change),
      sort: change.action,
      kinds: classes.get(change.ref) ?? [],
    })),
    sorts: GRAVEST_FIRST.filter((action) => found.has(action)).map((name): GroupSort => ({
      name,
      counted: actionCount(changes, name, { word, isNamed }),
    })),
  };
}

export function toAction(action: Action, amount: number): string {
  return `${amount} to ${action}`;
}

export function withLines(entry: ReportEntry, lines: readonly ReportLine[]): ReportEntry {
  return lines.length === 0 ? entry : { ...entry, lines: [...entry.lines, ...lines] };
}

/** Changes of a run that cannot be undone. Values are shown as the run wrote them → as they are live now. */
export function refusedGroup(refused: readonly RefusedInversion[], verbose: boolean): ReportGroup {
  return {
    about: 'refused',
    title: 'Cannot be undone',
    isHeaded: true,
    isGrave: true,
    tone: 'warning',
    ...BLOCKS,
    spacing: 'around',
    entries: refused.map(({ ref, key, refusal, moved }) => {
      const labels = labelsOfRef(ref);
      const shown = refusal === 'moved' ? ' (shown as written by the run → live)' : '';
      return {
        head: [
          toned('warning', '○'),
          ' ',
          toned('strong', escapeLine(key)),
          `${labels.qualifier}  ${REFUSALS[refusal]}${shown}`,
        ],
        lines: fieldLines(moved, { verbose, labels, places: false }),
      };
    }),
  };
}
