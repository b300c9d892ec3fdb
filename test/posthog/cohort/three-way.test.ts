/** Cohorts against a base: what is left, overridden and ignored, under the name `cohort:ALIAS`, beside a flag of the same key. */

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { BaseFacts } from '../../../src/core/engine/base.ts';
import { buildPlan, type BuildOptions } from '../../../src/posthog/planning/build-plan.ts';
import type { Cohort } from '../../../src/posthog/cohort/cohort.ts';
import { leaveIgnored } from '../../../src/posthog/planning/ignoring.ts';
import { kindFor } from '../../../src/posthog/kinds.ts';
import { parsePathOf } from '../../../src/posthog/resource-path.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { hazardText } from '../../../src/report/words/rules.ts';
import { waysOut } from '../../../src/report/words/ways-out.ts';
import { cohort, desiredOf, onPlan } from '../../helpers/cohorts.ts';
import { allowing, liveFlag, planOptions } from '../../helpers/states.ts';

const FACTS: BaseFacts = { kind: 'commit', commit: 'a'.repeat(40), from: 'ref' };

const group = (...values: JsonObject[]): JsonObject => ({ properties: { type: 'OR', values } });

interface Sides {
  readonly base: JsonObject;
  readonly live: JsonObject;
  readonly desired: JsonObject;
}

/** The flag `beta` drifted likewise. */
function planOf({ base, live, desired }: Sides, options: Partial<BuildOptions> = {}): Plan {
  const flags = { beta: { description: 'A flag.' } };
  const cohorts: readonly Cohort[] = [cohort(7, 'beta', live)];
  return buildPlan(
    desiredOf({ flags, cohorts: { beta: desired } }),
    { flags: [liveFlag(1, 'beta', { name: 'Edited.' })], roleAccess: {}, cohorts },
    { ...planOptions(), base: { facts: FACTS, desired: desiredOf({ flags, cohorts: { beta: base } }) }, ...options },
  );
}

const partsOf = (plan: Plan): string[] =>
  plan.changes.flatMap((change) =>
    kindFor(change)
      .parts(change)
      .map(({ path, divergence }) => `${change.ref} ${path} ${divergence}`),
  );

const leftOf = ({ left = [] }: Plan): string[] =>
  left.flatMap(({ ref, fields }) => fields.map(({ path }) => `${ref} ${path}`));

const BASE = { description: 'Base.', filters: group(onPlan('a'), onPlan('b')) };
const DRIFTED = {
  base: BASE,
  live: { ...BASE, filters: group(onPlan('a'), onPlan('live')) },
  desired: { ...BASE, description: 'Git.' },
};
const CONFLICT = { ...DRIFTED, desired: { ...BASE, filters: group(onPlan('git'), onPlan('b')) } };
const PLACE = '/filters/properties/values/1/value';

describe('drift that a run keeps', () => {
  it('stays live, while what git changed of the cohort is planned', () => {
    expect(partsOf(planOf(DRIFTED))).toEqual([
      'cohort:beta /description pending',
      `cohort:beta ${PLACE} drifted`,
      'flag:beta /name drifted',
    ]);
    const kept = planOf(DRIFTED, { keepDrift: true });
    expect(partsOf(kept)).toEqual(['cohort:beta /description pending']);
    expect(kept.changes).toMatchObject([{ body: { description: 'Git.' } }]);
    expect(kept.changes[0]).not.toHaveProperty('body.filters');
    expect(leftOf(kept)).toEqual(['flag:beta /name', `cohort:beta ${PLACE}`]);
  });

  it('of a cohort is overridden by its name, that of a flag with this key by its key', () => {
    const override = (name: string): string[] =>
      leftOf(planOf(DRIFTED, { keepDrift: true, exceptions: allowing({ override: [name] }) }));
    expect(override('beta')).toEqual([`cohort:beta ${PLACE}`]);
    expect(override('cohort:beta')).toEqual(['flag:beta /name']);
    expect(override('cohort:*')).toEqual(['flag:beta /name']);
  });

  it('is all of a cohort that people deleted or created', () => {
    const gone = planOf({ ...DRIFTED, live: { ...BASE, deleted: true }, desired: BASE }, { keepDrift: true });
    expect(gone.changes).toEqual([]);
    expect(gone.left).toContainEqual(expect.objectContaining({ ref: 'cohort:beta', action: 'create' }));
  });
});

describe('a condition on a cohort that people deleted', () => {
  const conditionOn = (value: string | number): JsonObject => ({
    filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value }] }] },
  });
  const plan = (override: readonly string[] = []): Plan => {
    const cohorts = { beta: BASE };
    const allow = { protected: [], override };
    return buildPlan(
      desiredOf({ flags: { search: conditionOn('beta') }, cohorts }),
      { flags: [liveFlag(1, 'search')], roleAccess: {}, cohorts: [] },
      {
        ...planOptions(),
        exceptions: allowing(allow),
        base: { facts: FACTS, desired: desiredOf({ flags: { search: {} }, cohorts }) },
        keepDrift: true,
      },
    );
  };

  it('is refused before any write, with what allows it', () => {
    const [hazard, ...others] = plan().hazards;
    expect(others).toEqual([]);
    expect(hazard).toMatchObject({ code: 'dependency_left', key: 'cohort:beta', dependent: 'search' });
    if (hazard === undefined) return;
    expect(hazardText(hazard)).toMatch(/^search would depend on cohort:beta, which the service no longer has\./);
    expect(waysOut(hazard, { project: 'main' }).map(({ text }) => text)).toEqual([
      'flagwright accept cohort:beta -p main',
      'search',
      '--override cohort:beta',
    ]);
    expect(plan(['cohort:beta'])).toMatchObject({
      hazards: [],
      changes: [{ ref: 'cohort:beta' }, { ref: 'flag:search' }],
    });
  });
});

describe('a conflict of a cohort', () => {
  it('is refused under its name with the ways out of a cohort, and lifted by that name only', () => {
    const [hazard, ...others] = planOf(CONFLICT).hazards;
    expect(others).toEqual([]);
    expect(hazard).toMatchObject({ code: 'conflict', key: 'cohort:beta', permit: { value: 'cohort:beta' } });
    if (hazard === undefined) return;
    expect(hazardText(hazard)).toContain(
      'cohort:beta was changed in the service and in the manifests since the last apply',
    );
    expect(waysOut(hazard, { project: 'main', grantors: ['ann', 'bob', 'cyd'] }).map(({ text }) => text)).toEqual([
      'flagwright accept cohort:beta -p main',
      'beta',
      'rule: conflict, keys: [cohort:beta]',
      '--override cohort:beta',
    ]);
    const lifted = (override: string): number =>
      planOf(CONFLICT, { exceptions: allowing({ override: [override] }) }).hazards.length;
    expect([lifted('beta'), lifted('cohort:beta'), lifted('cohort:*')]).toEqual([1, 0, 0]);
  });
});

describe('a run ignores', () => {
  const ignoring = (key: string, text?: string): { readonly parts: string[]; readonly left: string[] } => {
    const path = text === undefined ? undefined : parsePathOf(key, text);
    if (path !== undefined && 'problem' in path) throw new Error(JSON.stringify(path));
    const plan = planOf(CONFLICT, { leaving: [leaveIgnored([path === undefined ? { key } : { key, path }])] });
    return { parts: partsOf(plan).filter((part) => part.startsWith('cohort:')), left: leftOf(plan) };
  };
  const FIRST = 'cohort:beta /filters/properties/values/0/value';

  it('a whole cohort by its name, but not by its alias', () => {
    expect(ignoring('cohort:beta')).toEqual({ parts: [], left: [FIRST, `cohort:beta ${PLACE}`] });
    expect(ignoring('beta')).toMatchObject({ left: ['flag:beta /name'] });
  });

  it.each([
    ['definition.2.value', [`cohort:beta ${PLACE}`]],
    ['definition.2', [`cohort:beta ${PLACE}`]],
    ['definition.*.value', [FIRST, `cohort:beta ${PLACE}`]],
    [PLACE, [`cohort:beta ${PLACE}`]],
    ['definition', [FIRST, `cohort:beta ${PLACE}`]],
    ['filters', [FIRST, `cohort:beta ${PLACE}`]],
    ['name', []],
  ])('the place %s of a cohort', (text, left) => {
    const ignored = ignoring('cohort:beta', text);
    expect(ignored.left).toEqual(left);
    expect(ignored.parts).toHaveLength(2 - left.length);
  });
});

describe('no place of a cohort is', () => {
  it.each([
    ['active', 'unknown'],
    ['definition.0', 'zero'],
    ['definition.1.value.1', 'number'],
    ['name.first', 'too_deep'],
    ['/groups', 'unknown'],
    ['definition..value', 'empty_part'],
  ])('%s', (text, kind) => {
    expect(parsePathOf('cohort:beta', text)).toMatchObject({ problem: { kind } });
  });
});

describe('an alias that git renames', () => {
  const definition = group(onPlan('a'));
  const held = cohort(7, 'Beta', { description: 'Base.', filters: definition });
  const declare = (alias: string, fields: JsonObject = {}): JsonObject => ({
    cohorts: { [alias]: { name: 'Beta', description: 'Base.', filters: definition, ...fields } },
    flags: {
      search: {
        filters: {
          groups: [{ properties: [{ key: 'id', type: 'cohort', value: alias }], rollout_percentage: 10 }],
        },
      },
    },
  });
  const renamed = (before: JsonObject, after: JsonObject, live: readonly Cohort[], share = 10): string[] => {
    const filters = {
      groups: [{ properties: [{ key: 'id', type: 'cohort', operator: 'in', value: 7 }], rollout_percentage: share }],
    };
    return partsOf(
      buildPlan(
        desiredOf(after),
        { flags: [liveFlag(1, 'search', { filters })], roleAccess: {}, cohorts: live },
        { ...planOptions(), base: { facts: FACTS, desired: desiredOf(before) } },
      ),
    );
  };

  it('is no change, of the cohort or of the flags that use it', () => {
    expect(renamed(declare('beta'), declare('gamma'), [held])).toEqual([]);
  });

  it('keeps the class of an edit in the service', () => {
    const edited = { ...held, description: 'Live.' };
    expect(renamed(declare('beta'), declare('gamma'), [edited])).toEqual(['cohort:gamma /description drifted']);
    expect(renamed(declare('beta'), declare('gamma', { description: 'Git.' }), [edited])).toEqual([
      'cohort:gamma /description conflict',
    ]);
    expect(renamed(declare('beta'), declare('gamma'), [held], 20)).toEqual([
      'flag:search /filters/groups/0/rollout_percentage drifted',
    ]);
  });

  it('and its name keeps it too, where the former name is declared', () => {
    const edited = { ...held, description: 'Live.' };
    const after = declare('gamma', { name: 'Gamma', previous_names: ['Beta'] });
    expect(renamed(declare('beta'), after, [edited])).toEqual([
      'cohort:gamma /name pending',
      'cohort:gamma /description drifted',
    ]);
  });

  it('may name another cohort then: each keeps what the base said of it', () => {
    const other = cohort(8, 'Other', { description: 'Live.', filters: definition });
    const two = (first: string, second: string): JsonObject => ({
      cohorts: {
        [first]: { name: 'Beta', description: 'Base.', filters: definition },
        [second]: { name: 'Other', description: 'Base.', filters: definition },
      },
      flags: {},
    });
    expect(renamed(two('beta', 'other'), two('other', 'beta'), [held, other])).toEqual([
      'cohort:beta /description drifted',
    ]);
  });
});

describe('a description that the base did not declare', () => {
  it('is pending: the manifests begin to manage it', () => {
    const { description: _, ...base } = BASE;
    const plan = planOf({ base, live: { ...BASE, description: 'Live.' }, desired: BASE });
    expect(partsOf(plan)).toContain('cohort:beta /description pending');
  });
});

describe('a cohort of others under the name that git gives', () => {
  const live = [cohort(7, 'Beta', BASE), cohort(8, 'Gamma', { ...BASE, description: 'Theirs.' })];
  const plan = (desired: JsonObject): Plan =>
    buildPlan(
      desiredOf({ flags: {}, cohorts: { beta: { ...BASE, ...desired } } }),
      { flags: [], roleAccess: {}, cohorts: live },
      {
        ...planOptions(),
        base: { facts: FACTS, desired: desiredOf({ cohorts: { beta: { name: 'Beta', ...BASE } } }) },
      },
    );

  it.each<[string, JsonObject]>([
    ['a former name that is declared', { name: 'Gamma', previous_names: ['Beta'] }],
    ['a former name that only the base knows', { name: 'Gamma' }],
  ])('is not taken over without a conflict: %s', (_name, desired) => {
    const made = plan(desired);
    expect(partsOf(made)).toEqual(['cohort:beta /description conflict']);
    expect(made.hazards).toMatchObject([{ code: 'conflict', key: 'cohort:beta' }]);
    expect(made.warnings).toContainEqual({ code: 'cohort_previous_live', key: 'cohort:beta', previous: 'Beta', id: 7 });
  });
});
