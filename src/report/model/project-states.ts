/** How a run over several projects stands in one of them, by its exit code and its report. */

import { isDecision } from '../../posthog/plan.ts';
import { refusalsIn } from '../../review/policy/finding.ts';
import type { RunStanding } from './report-model.ts';
import type { ProjectOutcome, ReportOf } from '../report.ts';

interface Standing {
  readonly words: string;
  readonly standing: RunStanding;
  /** Its report says nothing that the table does not. */
  readonly isQuiet?: true;
}

/** How titles name the run of a command. */
export const PROJECTS_TITLES: Readonly<Record<ReportOf<'projects'>['command'], string>> = {
  plan: 'Plan for',
  drift: 'Drift of',
  apply: 'Applied to',
  export: 'Export of',
};

/** The gravest first. */
const STATES = {
  failed: { words: 'failed', standing: 'bad' },
  interrupted: { words: 'interrupted', standing: 'bad' },
  incomplete: { words: 'incomplete', standing: 'bad' },
  refused: { words: 'refused', standing: 'bad' },
  stale: { words: 'stale', standing: 'bad' },
  held: { words: 'held', standing: 'bad' },
  differs: { words: 'different', standing: 'warning' },
  to_apply: { words: 'to apply', standing: 'open' },
  applied: { words: 'applied', standing: 'good' },
  exported: { words: 'exported', standing: 'good' },
  left: { words: 'in sync but for what is left', standing: 'warning' },
  in_sync: { words: 'in sync', standing: 'good', isQuiet: true },
} as const satisfies Readonly<Record<string, Standing>>;

export type ProjectState = keyof typeof STATES;
export const PROJECT_STATES: Readonly<Record<ProjectState, Standing>> = STATES;

const BY_EXIT: Readonly<Record<number, ProjectState>> = {
  1: 'failed',
  2: 'differs',
  3: 'incomplete',
  4: 'refused',
  5: 'stale',
  130: 'interrupted',
};

/** `1 failed, 2 to apply, 3 in sync`, the gravest first. */
export function summaryOfStates(states: readonly ProjectState[]): string {
  const found = Object.entries(STATES).flatMap(([name, { words }]) => {
    const amount = states.filter((state) => state === name).length;
    return amount === 0 ? [] : [`${amount} ${words}`];
  });
  return found.join(', ');
}

export function stateOfProject(outcome: ProjectOutcome): ProjectState {
  if (outcome.kind === 'held') return 'held';
  const { exit, report } = outcome;
  // Without --detailed-exitcode, a plan ends with 0.
  if (report.kind === 'plan' && (exit === 0 || exit === 2)) {
    const { plan, judgement } = report;
    if (plan.hazards.length + refusalsIn(judgement).length > 0) return 'refused';
    if (isDecision(plan)) return 'to_apply';
    return plan.left === undefined ? 'in_sync' : 'left';
  }
  const state = BY_EXIT[exit];
  if (state !== undefined) return state;
  if (report.kind === 'export') return 'exported';
  if (report.kind !== 'result') return 'in_sync';
  const { changes, left, remainder, unwritable = [] } = report.result;
  if (remainder.length + unwritable.length > 0 || left !== undefined) return 'left';
  return changes.length > 0 ? 'applied' : 'in_sync';
}
