/** The rollouts of a plan or of drift: those that have steps left, each with what it waits for. */

import { heldFlags, isDue, isOverdue } from '../../posthog/rollouts.ts';
import type { Plan } from '../../posthog/plan.ts';
import type { PlannedRollout } from '../../rollout/rollout.ts';
import { escapeLine } from '../escape.ts';
import { labelsOf } from '../words/kinds.ts';
import { HELD, rolloutText } from '../words/rollouts.ts';
import { LIST } from './change.ts';
import { toned } from './phrase.ts';
import type { ReportEntry, ReportGroup, ReportLine } from './report-model.ts';

export function rolloutsGroup(plan: Pick<Plan, 'changes' | 'left' | 'rollouts' | 'project'>): ReportGroup {
  const open = (plan.rollouts ?? []).filter(({ step, steps, applied }) => (applied?.step ?? step) < steps.length - 1);
  const held = heldFlags(plan);
  return {
    about: 'rollouts',
    title: 'Rollouts over time',
    counted: `${open.length} over time`,
    isHeaded: true,
    ...LIST,
    entries: open.map((one) => rolloutEntry(one, held.has(one.key) && (isDue(one) || isOverdue(one)))),
  };
}

function rolloutEntry(rollout: PlannedRollout, isHeld: boolean): ReportEntry {
  const { key, path } = rollout;
  const head = [
    toned('strong', escapeLine(key)),
    ` ${labelsOf({ resource: 'flag' }).field(path)}: ${rolloutText(rollout)}`,
  ];
  return { head, lines: isHeld ? heldLines(key) : [] };
}

function heldLines(key: string): ReportLine[] {
  const name = escapeLine(key);
  return [
    { phrase: [toned('warning', HELD)] },
    {
      phrase: [
        '→ ',
        { code: `flagwright accept ${name}` },
        ' keeps what is live, ',
        { code: `flagwright apply --target ${name}` },
        ' reverts it',
      ],
    },
  ];
}
