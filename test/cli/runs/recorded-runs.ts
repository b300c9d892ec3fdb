/** Journals of runs that are written as a run writes them, in an order that the test chooses. */

import { planDocument } from '../../../src/posthog/planning/plan-document.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import type { Change, Plan } from '../../../src/posthog/plan.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { declared, desiredState, liveFlag, liveState, planFor, planOptions } from '../../helpers/states.ts';
import type { Workspace } from '../../helpers/workspace.ts';

export const PROJECT = planOptions().project;

/** The name of the run that began at second `number`. */
export function runName(number: number): string {
  return `20260101T0000${String(number).padStart(2, '0')}000Z-aaaa`;
}

/** A plan that edits the flag. */
export function edits(key: string, id: number): Plan {
  return planOf([liveFlag(id, key)], [declared(key, { name: 'x' })]);
}

export function planOf(live: readonly Flag[], desired: readonly DesiredFlag[], project = PROJECT): Plan {
  return planFor(desiredState(...desired), liveState(live), { project });
}

/** A run that wrote everything, or that broke off before it began. */
export function record(workspace: Workspace, number: number, plan: Plan, follows: readonly number[] = []): string {
  const run = runName(number);
  const at = `2026-01-01T00:00:${String(number).padStart(2, '0')}.000Z`;
  const begun = {
    kind: 'begun',
    format_version: '1.0',
    run,
    at,
    follows: follows.map(runName),
    plan: planDocument(plan),
  };
  const settled = ({ ref, action }: Change): object => ({
    ...{ kind: 'settled', ref, at },
    result: { outcome: 'applied', ...(action === 'create' ? { id: 900 + number } : {}) },
  });
  const lines = [begun, ...plan.changes.map(settled)].map((line) => `${JSON.stringify(line)}\n`);
  workspace.write(`.flagwright/journal/${run}.jsonl`, lines.join(''));
  return run;
}

/** A journal that was edited since. */
export function damage(workspace: Workspace, number: number, follows: readonly number[] = []): string {
  const run = record(workspace, number, edits('z', 1), follows);
  const file = `.flagwright/journal/${run}.jsonl`;
  workspace.write(file, workspace.read(file).replaceAll('"z"', '"y"'));
  return run;
}

/** A session without a user id, which owns every file. */
export function sessionIn({ root }: Workspace, more: object = {}): Session & { readonly notes: string[] } {
  const notes: string[] = [];
  return {
    notes,
    context: { cwd: root },
    places: { root },
    palette: { warning: (text: string) => text },
    note: async (text: string) => void notes.push(text),
    ...more,
  } as unknown as Session & { readonly notes: string[] };
}
