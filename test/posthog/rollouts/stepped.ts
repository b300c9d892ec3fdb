/** Manifests with rollouts, resolved at a time, and what applies record of them: for the tests of rollouts. */

import { buildPlan, type BuildOptions } from '../../../src/posthog/planning/build-plan.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { parseManifest, resolveManifests } from '../../../src/posthog/manifests/manifests.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import type { DecidingPlan } from '../../../src/posthog/planning/steps-ahead.ts';
import { rolloutsIn } from '../../../src/posthog/rollouts/rollouts.ts';
import { markReviewed } from '../../../src/posthog/rollouts/rollouts-in-review.ts';
import { progressAfter } from '../../../src/core/rollout/record.ts';
import type { Moment, Reached } from '../../../src/core/rollout/rollout.ts';
import { liveFlag } from '../../helpers/states.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-12-01T08:00:00Z');

/** The time so many days after the first of December. */
export function day(days: number): string {
  return new Date(START + days * DAY).toISOString();
}

export function momentAt(days: number, more: Partial<Moment> = {}): Moment {
  return { now: START + days * DAY, progress: [], reach: 'due', every: 900_000, ...more };
}

/** A percentage that changes: `[1, 10]` means 10% a day after the start. */
export function steps(...all: readonly (readonly [days: number, to: number | boolean])[]): string {
  return `{ steps: [${all.map(([days, to]) => `{ at: ${day(days).replace('.000', '')}, to: ${to} }`).join(', ')}] }`;
}

/** The flags of a manifest, without its first line. */
export function stateAt(flags: string, moment: Moment): DesiredState {
  const { file, diagnostics } = parseManifest('flags.yaml', `flags:\n${flags}`);
  const resolved = resolveManifests([file], { name: 'main', roles: {}, cohorts: {}, moment }, ['main']);
  const errors = [...diagnostics, ...resolved.diagnostics].filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  return resolved.desired;
}

/** What an apply of the manifest records. */
export function recordAt(flags: string, days: number, progress: readonly Reached[] = []): readonly Reached[] {
  const moment = momentAt(days, { progress });
  return rolloutsIn(stateAt(flags, moment), { flags: [] }).map((one) => progressAfter(one, moment.now));
}

/** The flags as the service has them once the state is applied. */
export function liveOf(state: DesiredState, changed: (key: string) => object = () => ({})): readonly Flag[] {
  return state.flags.flatMap((flag, index) =>
    flag.kind === 'retired' ? [] : [liveFlag(index + 1, flag.key, { ...flag.fields, ...changed(flag.key) })],
  );
}

export interface Stepped {
  readonly desired: DesiredState;
  readonly former: DesiredState;
  readonly plan: Plan;
  readonly moment: Moment;
}

/** The plan of a manifest so many days later than `former` was applied on day 0, with what others changed in the service. */
export function planAt(
  days: number,
  { flags, former = flags, changed }: { flags: string; former?: string; changed?: (key: string) => object },
  options: BuildOptions = {},
): Stepped {
  const applied = stateAt(former, momentAt(0));
  const moment = momentAt(days, { progress: recordAt(former, 0) });
  const desired = markReviewed(stateAt(flags, moment), applied);
  const base = { facts: { kind: 'commit', commit: '1'.repeat(40), from: 'ref' }, desired: applied } as const;
  const plan = buildPlan(desired, { flags: liveOf(applied, changed), roleAccess: {} }, { base, ...options });
  return { desired, former: stateAt(former, moment), plan, moment };
}

/** A state that is live, whose steps a plan without changes decides about. */
export function decidingOf(desired: DesiredState, former?: DesiredState, days = 0): DecidingPlan {
  const live = { flags: liveOf(desired), roleAccess: {} };
  return { desired, former, live, changes: [], moment: momentAt(days) };
}
