import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json.ts';
import { contextsOf, TYPES, type CelContext } from '../../../../src/review/policy/cel/context.ts';
import type { JudgedResource, PolicyContext } from '../../../../src/review/policy/basis/policy-kind.ts';

const AROUND: PolicyContext = { project: 'production', now: 0 };

function contextFor(resource: Partial<JudgedResource>, around: Partial<PolicyContext> = {}): CelContext {
  const names = ['a'] as const;
  const whole = { resource: 'flag', key: 'a', names, refs: ['1'], classes: [], effects: [], changes: [], ...resource };
  return contextsOf(whole, { ...AROUND, ...around }, (_, fields) => fields)[0] as CelContext;
}

const after = (flag: JsonObject): CelContext['after'] => contextFor({ after: flag }).after;

const NOTHING: CelContext['after'] = {
  present: false,
  key: '',
  description: '',
  active: false,
  archived: false,
  deleted: false,
  tags: [],
  readable: true,
  conditions: [],
  variants: [],
  payloads: [],
};

describe('a flag', () => {
  it('has every field where it does not exist', () => {
    expect(contextFor({}).before).toEqual(NOTHING);
    expect(Object.keys(NOTHING)).toEqual(Object.keys(TYPES.Flag));
  });

  it('has its fields by the names of manifests', () => {
    expect(
      after({
        key: 'a',
        name: 'Basket',
        active: true,
        archived: true,
        deleted: true,
        tags: ['x'],
        filters: {
          groups: [
            {
              rollout_percentage: 12.5,
              variant: 'b',
              description: 'Staff',
              properties: [
                { key: 'email', type: 'person', operator: 'icontains', value: 'x', negation: true },
                { key: 'id', type: 'cohort', value: 7 },
                { key: 'plan', value: ['a', 1, true] },
                { key: 'plan', operator: 'is_set' },
              ],
            },
            'no condition',
            {},
          ],
          multivariate: { variants: [{ key: 'b', name: 'B', rollout_percentage: 50 }, { key: 'c' }] },
          payloads: { b: '"secret"' },
        },
      }),
    ).toEqual({
      present: true,
      key: 'a',
      description: 'Basket',
      active: true,
      archived: true,
      deleted: true,
      tags: ['x'],
      readable: true,
      conditions: [
        {
          number: 1n,
          description: 'Staff',
          rollout: 12.5,
          variant: 'b',
          properties: [
            { key: 'email', type: 'person', operator: 'icontains', negated: true, values: ['x'] },
            { key: 'id', type: 'cohort', operator: 'exact', negated: false, values: ['7'] },
            { key: 'plan', type: 'person', operator: 'exact', negated: false, values: ['a', '1', 'true'] },
            { key: 'plan', type: 'person', operator: 'is_set', negated: false, values: [] },
          ],
        },
        { number: 3n, description: '', rollout: 100, variant: '', properties: [] },
      ],
      variants: [
        { key: 'b', name: 'B', rollout: 50 },
        { key: 'c', name: '', rollout: 0 },
      ],
      payloads: ['b'],
    });
  });

  it('has percentages of 100 where they cannot be read', () => {
    const rollout = [{ toString: 0 }];
    const filters = {
      groups: [{ rollout_percentage: rollout }],
      multivariate: { variants: [{ key: 'a', rollout_percentage: '50' }] },
    };
    expect(after({ key: 'a', filters })).toMatchObject({
      conditions: [{ rollout: 100 }],
      variants: [{ rollout: 100 }],
    });
  });

  it('has no conditions where its filters are of an unknown format', () => {
    expect(after({ key: 'a', filters: { version: 2, groups: [{}] } })).toMatchObject({
      readable: false,
      conditions: [],
    });
  });
});

describe('a change', () => {
  const condition = { number: 2, condition: { rollout_percentage: 35 } };

  it('has its effects, and for how many it turns the flag on', () => {
    const effects = [
      { what: 'rollout', classes: ['widen'], condition, before: 10, after: 35, points: 25 },
      { what: 'variants', classes: ['re-split'], before: [], after: [], moved: 40 },
      { what: 'metadata', classes: ['metadata'], field: 'tags' },
    ] as const;
    const others = [{ key: 'b', points: 25 }];
    const widening = { own: { points: 10, exact: true, pointer: '' }, others };
    expect(contextFor({ classes: ['widen', 're-split', 'metadata'], effects, widening }).change).toEqual({
      key: 'a',
      keys: ['a'],
      resource: 'flag',
      actions: [],
      classes: ['widen', 're-split', 'metadata'],
      effects: [
        { what: 'rollout', classes: ['widen'], condition: 2n, points: 25, field: '' },
        { what: 'variants', classes: ['re-split'], condition: 0n, points: 40, field: '' },
        { what: 'metadata', classes: ['metadata'], condition: 0n, points: 0, field: 'tags' },
      ],
      widens: 25,
      dormant: false,
      experiments: [],
    });
  });

  it('has the running experiments of the flag before', () => {
    const experiments = new Map([['old', [{ id: 3, name: 'Basket' }, { id: 4 }, { id: 5, name: '' }]]]);
    const { change } = contextFor({ before: { key: 'old' }, dormant: true }, { experiments });
    expect(change).toMatchObject({ experiments: ['Basket', '4', '5'], dormant: true });
  });
});
