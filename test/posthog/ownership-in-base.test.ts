/** Where git changes who decides about a value, the base is read with the ownership that it declared itself. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { Ownership } from '../../src/core/engine/ownership.ts';
import { buildPlan } from '../../src/posthog/planning/build-plan.ts';
import type { DeclaredFlag } from '../../src/posthog/desired.ts';
import { parseFieldPath } from '../../src/posthog/flag/model/fields.ts';
import { kindFor } from '../../src/posthog/kinds.ts';
import { holds } from '../helpers/runs.ts';
import { declared, desiredState, liveFlag, liveState, planOptions } from '../helpers/states.ts';

const FACTS = { kind: 'commit', commit: 'a'.repeat(40), from: 'ref' } as const;
const SOURCE = { file: 'flags/test.yaml', line: 1, column: 1 };
const ROLLOUT = 'conditions.1.rollout_percentage';

interface Side {
  readonly percent: number;
  readonly owner: Ownership | undefined;
  readonly country?: string;
}

function fieldsOf({ percent, country }: Omit<Side, 'owner'>): JsonObject {
  const properties =
    country === undefined ? [] : [{ key: 'country', type: 'person', operator: 'exact', value: [country] }];
  return { filters: { groups: [{ properties, rollout_percentage: percent }] } };
}

function flagOf({ owner, ...side }: Side): DeclaredFlag {
  const path = parseFieldPath(ROLLOUT);
  if ('problem' in path) throw new Error(ROLLOUT);
  const flag = declared('a', fieldsOf(side));
  return owner === undefined ? flag : { ...flag, ownership: [{ path, ownership: owner, source: SOURCE }] };
}

/** `CLASS BEFORE -> AFTER` of each difference. */
function classes(base: Side, live: Omit<Side, 'owner'>, desired: Side): string[] {
  const { changes } = buildPlan(desiredState(flagOf(desired)), liveState([liveFlag(1, 'a', fieldsOf(live))]), {
    ...planOptions(),
    base: { facts: FACTS, desired: desiredState(flagOf(base)) },
  });
  return changes.flatMap((change) =>
    kindFor(change)
      .parts(change)
      .map(({ divergence, before, after }) => `${divergence} ${JSON.stringify(before)} -> ${JSON.stringify(after)}`),
  );
}

const between = (low: number, high: number): Ownership => ({ between: [low, high] });

describe('the rollout of a condition', () => {
  it.each<[string, Ownership | undefined, number, Ownership | undefined, string[]]>([
    ['inside bounds that git narrows', between(0, 50), 40, between(0, 25), ['pending 40 -> 25']],
    ['of others, to which git gives bounds', 'observed', 40, between(0, 25), ['pending 40 -> 25']],
    ['of others after its creation, likewise', 'initial', 40, between(0, 25), ['pending 40 -> 25']],
    ['of others, about which git decides again', 'observed', 40, undefined, ['pending 40 -> 10']],
    ['inside bounds, likewise', between(0, 50), 40, 'managed', ['pending 40 -> 10']],
    ['outside the bounds of both', between(0, 25), 40, between(0, 25), ['drifted 40 -> 25']],
    ['outside bounds that git widens', between(0, 25), 40, between(0, 30), ['conflict 40 -> 30']],
    ['that somebody edited before git gave it bounds', undefined, 40, between(0, 25), ['conflict 40 -> 25']],
    ['likewise, now inside the bounds', undefined, 20, between(0, 25), []],
    ['likewise, and left to others', undefined, 40, 'observed', []],
  ])('%s', (_, before, percent, now, expected) => {
    expect(classes({ percent: 10, owner: before }, { percent }, { percent: 10, owner: now })).toEqual(expected);
  });

  it('is left to others while git changes the people of the condition', () => {
    const base = { percent: 10, owner: undefined, country: 'US' };
    for (const owner of ['observed', between(0, 25)] as const) {
      const desired = { percent: 10, owner, country: 'DE' };
      expect(classes(base, { percent: 20, country: 'US' }, desired)).toEqual(['pending ["US"] -> ["DE"]']);
    }
  });
});

const bounds = fc.tuple(fc.nat(100), fc.nat(100)).map(([a, b]) => between(Math.min(a, b), Math.max(a, b)));
const owner = fc.oneof(fc.constantFrom<(Ownership | undefined)[]>(undefined, 'managed', 'observed', 'initial'), bounds);

/** Whether the ownership lets others set the value. */
function mayBe(ownership: Ownership | undefined, percent: number): boolean {
  if (typeof ownership !== 'object') return ownership === 'observed' || ownership === 'initial';
  return percent >= ownership.between[0] && percent <= ownership.between[1];
}

describe('whatever the ownership was and becomes', () => {
  it('what others were allowed to set is no drift, and what they were not allowed to set is no pending change', () =>
    holds(800, [fc.nat(100), owner, fc.nat(100), fc.nat(100), owner], (percent, then, live, wanted, now) => {
      const found = classes({ percent, owner: then }, { percent: live }, { percent: wanted, owner: now });
      for (const one of found) {
        if (mayBe(then, live) || live === percent) expect(one).toMatch(/^pending/);
        else expect(one).toMatch(/^(?:drifted|conflict)/);
      }
    }));
});
