/** A review covers later steps: two plans that a review takes for one make the same changes, now and whenever steps are due. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf, readPlan } from '../../ci/reviewed-plan.mjs';
import { comparing } from '../../src/base/compare-strings.ts';
import { canonicalText, type JsonValue } from '../../src/base/json.ts';
import { stringifyJson } from '../../src/base/json-text.ts';
import { planDocument } from '../../src/posthog/planning/plan-document.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { rolloutsIn } from '../../src/posthog/rollouts/rollouts.ts';
import { progressAfter } from '../../src/core/rollout/record.ts';
import { holds } from '../helpers/runs.ts';
import { day, momentAt, planAt, stateAt } from '../posthog/rollouts/stepped.ts';

const KEYS = ['a', 'b', 'c'];
/** In days: most runs are in time, and some are late. */
const RUNS = [1.5, 2.5, 3.5, 6.5, 7.5, 9.5, 10.5, 11.5];

const stepsOf = <Value extends number | boolean>(values: readonly Value[]): fc.Arbitrary<string> =>
  fc
    .record({
      steps: fc.uniqueArray(fc.record({ days: fc.integer({ min: 1, max: 9 }), to: fc.constantFrom(...values) }), {
        selector: ({ days }) => days,
        minLength: 1,
        maxLength: 3,
      }),
      jumps: fc.boolean(),
      from: fc.option(fc.constantFrom(...values), { nil: undefined }),
    })
    .map(({ steps, jumps, from }) => {
      const listed = steps
        .toSorted(comparing(({ days }) => day(days)))
        .map(({ days, to }) => `{ at: ${day(days).replace('.000', '')}, to: ${String(to)} }`);
      const before = from === undefined ? '' : `from: ${String(from)}, `;
      return `{ ${before}${jumps ? 'catch_up: latest, ' : ''}steps: [${listed.join(', ')}] }`;
    });

const percentage = fc.oneof(fc.constantFrom('10', '50'), stepsOf([10, 50, 100]), stepsOf([10, 50, 100]));
const active = fc.oneof({ weight: 3, arbitrary: fc.constant('true') }, stepsOf([true, false]));
const flagOf = fc.record({ active, percentage, name: fc.constantFrom('One', 'Two') });
type WrittenFlag = Readonly<Record<'active' | 'percentage' | 'name', string>>;

/** What was applied, and two changes of it, each of some members of one flag. */
const changes = fc.record({
  former: fc.tuple(...KEYS.map(() => flagOf)),
  edits: fc.tuple(
    ...[0, 1].map(() => fc.record({ index: fc.nat({ max: 2 }), active, percentage, isOfActive: fc.boolean() })),
  ),
});

function manifest(flags: readonly WrittenFlag[]): string {
  return flags
    .map(
      (flag, at) =>
        `  ${KEYS[at]}: { description: ${flag.name}, active: ${flag.active}, rollout_percentage: ${flag.percentage} }\n`,
    )
    .join('');
}

function digest(plan: Plan): string {
  const read = readPlan(stringifyJson(planDocument(plan)));
  if (read === undefined) throw new Error('no plan');
  return digestOf(read);
}

/** Everything that flags hold after each run, without a word about how it came. */
function futureOf(flags: string, { plan, former }: Pick<ReturnType<typeof planAt>, 'plan' | 'former'>): JsonValue {
  let progress = (plan.rollouts ?? []).map((one) => progressAfter(one, momentAt(1.5).now));
  expect(former.flags).toHaveLength(KEYS.length);
  return RUNS.map((days) => {
    const moment = momentAt(days, { progress });
    const state = stateAt(flags, moment);
    progress = rolloutsIn(state, { flags: [] }).map((one) => progressAfter(one, moment.now));
    return state.flags.map((flag) => (flag.kind === 'declared' ? { ...flag.fields } : null));
  });
}

test('plans with one digest have one future', () => {
  const seen = { pairs: 0, equal: 0, apartByStepsAlone: 0 };
  holds(800, [changes], ({ former, edits }) => {
    const sides = edits.map(({ index, isOfActive, ...values }) => {
      const flags = manifest(
        former.map((flag, at) => {
          if (at !== index) return flag;
          return isOfActive ? { ...flag, active: values.active } : { ...flag, percentage: values.percentage };
        }),
      );
      const stepped = planAt(1.5, { flags, former: manifest(former) });
      return { ...stepped, future: canonicalText(futureOf(flags, stepped)) };
    });
    const [one, other] = sides as [(typeof sides)[number], (typeof sides)[number]];
    seen.pairs += 1;
    const isSameNow = canonicalText(one.plan.changes as never) === canonicalText(other.plan.changes as never);
    if (digest(one.plan) === digest(other.plan)) {
      seen.equal += 1;
      expect(other.future).toBe(one.future);
    } else if (isSameNow && one.future !== other.future) seen.apartByStepsAlone += 1;
  });
  expect(seen.equal).toBeGreaterThan(seen.pairs / 100);
  expect(seen.apartByStepsAlone).toBeGreaterThan(seen.pairs / 20);
}, 600_000);
