/** Values that others decide, as plans, drift and Markdown show them. */

import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ObservedValue } from '../../../src/core/engine/ownership.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import { parseFieldPath } from '../../../src/posthog/flag/model/fields.ts';
import { planReportDocument } from '../../../src/report/formats/json/runs.ts';
import { PLAIN } from '../../../src/report/view.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { declared, desiredState, liveFlag, liveState } from '../../helpers/states.ts';
import { driftMarkdown, driftText, planMarkdown, planText } from '../texts.ts';

const VIEW = { palette: PLAIN, verbose: false, terminal: false };
const source = { file: 'flags/a.yaml', line: 3, column: 5 };
const OBSERVED: readonly ObservedValue[] = [
  { key: 'a\u001b[2J', path: '/active', ownership: 'observed', declared: true, live: false, source },
  { key: 'b', path: '/filters/groups/0/rollout_percentage', ownership: { between: [0, 25] }, declared: 10, live: 20 },
];

function planWith(observed?: readonly ObservedValue[]): ReturnType<typeof buildPlan> {
  const plan = buildPlan(desiredState(), liveState([]));
  return observed === undefined ? plan : { ...plan, observed };
}

const planned = (verbose = false, observed?: readonly ObservedValue[]): string =>
  planText({ kind: 'plan', plan: planWith(observed) }, { ...VIEW, verbose });
const drifted = (verbose = false, observed?: readonly ObservedValue[]): string =>
  driftText({ kind: 'drift', plan: planWith(observed) }, { ...VIEW, verbose });

it('a plan and drift say how many differ', () => {
  const line = '2 values that others decide differ from the manifests (no drift); --verbose lists them\n';
  expect([planned(false, OBSERVED), drifted(false, OBSERVED)]).toEqual([
    expect.stringContaining(line),
    expect.stringContaining(line),
  ]);
  expect(planned(false, OBSERVED.slice(0, 1))).toContain('1 value that others decide differs');
});

it('they say nothing where none differs', () => {
  expect(planned() + drifted()).not.toContain('others decide');
});

it('--verbose lists each with who decides, as declared and as live', () => {
  const text = planned(true, OBSERVED);
  expect(text).toBe(planned(true, OBSERVED));
  expect(text).toContain('active  true → false  /active  flags/a.yaml:3:5  observed');
  expect(text).toMatch(/ {2}b\n {4}condition 1 · rollout_percentage {2}10%? → 20% .*between 0 and 25\n/u);
  expect(text).not.toContain('\u001b');
  expect(drifted(true, OBSERVED)).toContain('between 0 and 25');
});

it('Markdown says how many differ', () => {
  const sentence = '2 values that others decide differ from the manifests (no drift), as in git → in PostHog';
  expect(planMarkdown({ kind: 'plan', plan: planWith(OBSERVED) }, VIEW)).toContain(sentence);
  expect(driftMarkdown({ kind: 'drift', plan: planWith(OBSERVED) }, VIEW)).toContain(sentence);
});

it('a value outside its bounds has the declared one beside the bound', () => {
  const path = parseFieldPath('rollout_percentage');
  if ('problem' in path) throw new Error('rollout_percentage');
  const of = (share: number): JsonObject => ({ filters: { groups: [{ properties: [], rollout_percentage: share }] } });
  const ownership = [{ path, ownership: { between: [0, 25] as const }, source }];
  const desired = desiredState({ ...declared('a', of(20)), ownership });
  const plan = buildPlan(desired, liveState([liveFlag(1, 'a', of(40))]));
  const note = 'outside the bounds 0% to 25%; the nearest one replaces the declared 20%';
  expect(planText({ kind: 'plan', plan }, VIEW)).toContain(`40% → 25%  ${note}`);
  expect(driftText({ kind: 'drift', plan }, VIEW)).toContain(`25% → 40%  ${note}`);
  expect(planMarkdown({ kind: 'plan', plan }, VIEW)).toContain(note);
  expect(driftMarkdown({ kind: 'drift', plan }, VIEW)).toContain(note);
  expect(schemaErrors('plan', planReportDocument({ kind: 'plan', plan }))).toEqual([]);
});
