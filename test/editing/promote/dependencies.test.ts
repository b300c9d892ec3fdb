/** What is left takes along what needs it: nothing is written that names what the other project will not have. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringifyJson } from '../../../src/base/json-text.ts';
import { isJsonObject, type JsonObject } from '../../../src/base/json.ts';
import { promoteFlags } from '../../../src/editing/actions/promote.ts';
import type { Promoted } from '../../../src/editing/edit.ts';
import { COHORT_FACET } from '../../../src/editing/further/cohort.ts';
import { flagSources } from '../../../src/editing/flag/facet.ts';
import { readTexts, type ReadTexts } from '../../../src/editing/texts.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import { readReference } from '../../../src/posthog/flag/model/cohort-filters.ts';
import { cohortValues } from '../../../src/posthog/flag/model/references.ts';
import { compareProjects } from '../../../src/posthog/parity/parity.ts';
import type { Project } from '../../../src/posthog/project.ts';
import { leftPromotionText } from '../../../src/report/words/editing.ts';
import { runs } from '../../helpers/runs.ts';

const ROLES = { growth: '11111111-1111-4111-8111-111111111111', sales: '22222222-2222-4222-8222-222222222222' };
const { growth } = ROLES;
const STAGING: Project = { name: 'staging', roles: ROLES, cohorts: { beta: 42, crew: 43 } };
const PRODUCTION: Project = { name: 'production', roles: { growth }, cohorts: { crew: 7 } };
const PROJECTS = [STAGING, PRODUCTION];

function read(text: string): ReadTexts {
  return readTexts([{ file: 'a.yaml', text }], ['staging', 'production']);
}

function promote(text: string, keys: readonly string[]): Promoted & { readonly text: string } {
  const { desired } = read(text).resolve(STAGING);
  const source = new Map([...flagSources(desired, undefined), ...COHORT_FACET.sources(desired, undefined, STAGING)]);
  const promoted = promoteFlags({
    ...{ from: STAGING, to: PRODUCTION, projects: PROJECTS, manifests: [{ file: 'a.yaml', text }] },
    ...{ source, keys },
  });
  return { ...promoted, text: promoted.edited[0]?.text ?? text };
}

const on = (key: string): string => `{ key: ${key}, type: flag, operator: flag_evaluates_to, value: true }`;
const within = (alias: string): string => `{ key: id, type: cohort, operator: in, value: ${alias} }`;

describe('a flag whose dependency is left is left too', () => {
  const chained = (alias: string): string => `flags:
  top: { only_in: [staging], active: true, filters: { groups: [{ properties: [${on('middle')}] }] } }
  middle: { only_in: [staging], active: true, filters: { groups: [{ properties: [${on('base')}] }] } }
  base: { only_in: [staging], active: true, filters: { groups: [{ properties: [${within(alias)}] }] } }
  other: { only_in: [staging], active: true }
`;

  test('with the chain that leads to what is missing', () => {
    const { left, promoted, text } = promote(chained('beta'), ['top', 'middle', 'base', 'other']);
    expect(left.map(({ key, reason }) => [key, reason])).toEqual([
      ['base', { code: 'cohort-missing', alias: 'beta', project: 'production' }],
      ['middle', { code: 'dependency-left', chain: ['base'] }],
      ['top', { code: 'dependency-left', chain: ['middle', 'base'] }],
    ]);
    expect(left.map(leftPromotionText)[2]).toBe(
      'top (a.yaml:2) was left as it is: it needs middle, which needs base, which was left as it is (dependency-left). Fix the problem that is reported for base, and promote them together.',
    );
    expect(promoted.map(({ key }) => key)).toEqual(['other']);
    expect(text.match(/production/g)).toHaveLength(1);
  });

  test('also where the text cannot take the edit of the dependency', () => {
    const text = `flags:
  top: { only_in: [staging], active: true, filters: { groups: [{ properties: [${on('base')}] }] } }
  base: { only_in: &one [staging], active: true }
  other: { only_in: *one, active: true }
`;
    const { left, edited } = promote(text, ['top', 'base']);
    expect(left.map(({ key, reason }) => [key, reason.code])).toEqual([
      ['base', 'anchor'],
      ['top', 'dependency-left'],
    ]);
    expect(edited).toEqual([]);
  });

  test('and not where the other project declares it already', () => {
    const text = chained('beta').replace(
      'base: { only_in: [staging], active',
      'base: { projects: { production: { rollout_percentage: 1, filters: null } }, active',
    );
    const { left, promoted } = promote(text, ['top', 'middle', 'base']);
    expect(left.map(({ key }) => key)).toEqual(['base']);
    expect(promoted.map(({ key }) => key)).toEqual(['middle', 'top']);
  });

  test('by way of a cohort', () => {
    const definition = (leaf: string): string => `{ properties: { type: AND, values: [${leaf}] } }`;
    const text = `flags:
  a: { only_in: [staging], active: true, filters: { groups: [{ properties: [${within('outer')}] }] } }
cohorts:
  outer: { only_in: [staging], filters: ${definition('{ type: cohort, value: beta }')} }
`;
    expect(promote(text, ['a', 'cohort:outer']).left.map(({ key, reason }) => [key, reason])).toEqual([
      ['cohort:outer', { code: 'cohort-missing', alias: 'beta', project: 'production' }],
      ['a', { code: 'dependency-left', chain: ['cohort:outer'] }],
    ]);
  });
});

test('what was named and is alike already is named as such', () => {
  const text = 'flags: { a: { active: true }, b: { active: true, projects: { production: { active: false } } } }\n';
  expect(promote(text, ['a', 'b'])).toMatchObject({ same: ['a'], promoted: [{ key: 'b' }], left: [] });
});

/** Flags that depend on earlier ones, and cohorts that name earlier ones. */
const FLAGS = ['f0', 'f1', 'f2', 'f3'];
const COHORTS = ['beta', 'crew', 'c0', 'c1'];

const place = fc.constantFrom<JsonObject>(
  {},
  { only_in: ['staging'] },
  { only_in: ['staging', 'production'] },
  { projects: { production: { deleted: true } } },
);

const manifests = fc
  .tuple(
    fc.array(
      fc.record({
        place,
        on: fc.subarray(FLAGS),
        in: fc.subarray(COHORTS, { maxLength: 2 }),
        roles: fc.option(fc.subarray(['growth', 'sales']), { nil: undefined }),
        rollout: fc.nat(100),
        ownRollout: fc.option(fc.nat(100), { nil: undefined }),
      }),
      { minLength: 4, maxLength: 4 },
    ),
    fc.array(fc.record({ place, in: fc.subarray(COHORTS, { maxLength: 2 }) }), { minLength: 2, maxLength: 2 }),
  )
  .map(([flags, cohorts]): JsonObject => ({
    flags: Object.fromEntries(flags.map((one, index) => [`f${index}`, flagOf(one, index)])),
    cohorts: Object.fromEntries(cohorts.map((one, index) => [`c${index}`, cohortOf(one, index)])),
  }));

function flagOf(
  one: {
    place: JsonObject;
    on: string[];
    in: string[];
    roles: string[] | undefined;
    rollout: number;
    ownRollout: number | undefined;
  },
  index: number,
): JsonObject {
  const earlier = one.on.filter((key) => FLAGS.indexOf(key) < index);
  const properties = [
    ...earlier.map((key) => ({ key, type: 'flag', operator: 'flag_evaluates_to', value: true })),
    ...one.in.map((value) => ({ key: 'id', type: 'cohort', operator: 'in', value })),
  ];
  const filters = { groups: [{ ...(properties.length === 0 ? {} : { properties }), rollout_percentage: one.rollout }] };
  const staging =
    one.ownRollout === undefined ? {} : { staging: { conditions: { '1': { rollout_percentage: one.ownRollout } } } };
  const { projects = {}, ...around } = one.place;
  const all = { ...staging, ...(isJsonObject(projects) ? projects : {}) };
  return {
    ...around,
    active: true,
    ...(one.roles === undefined ? {} : { role_access: one.roles }),
    filters,
    ...(Object.keys(all).length === 0 ? {} : { projects: all }),
  };
}

function cohortOf(one: { place: JsonObject; in: string[] }, index: number): JsonObject {
  const earlier = one.in.filter((alias) => !['c0', 'c1'].includes(alias) || Number(alias.slice(1)) < index);
  const leaves = [{ key: 'plan', value: 'pro' }, ...earlier.map((value) => ({ type: 'cohort', value }))];
  return { ...one.place, filters: { properties: { type: 'AND', values: leaves } } };
}

function errorsIn(text: string, project: Project): readonly string[] {
  const { diagnostics } = read(text).resolve(project);
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ code, path = '' }) => `${code} ${path}`);
}

test('after a promotion no error is new, and a plan names nothing that the project will not have', () => {
  let promotions = 0;
  fc.assert(
    fc.property(manifests, fc.subarray([...FLAGS, 'cohort:c0', 'cohort:c1']), (manifest, chosen) => {
      const text = stringifyJson(manifest);
      const known = read(text).resolve(STAGING).desired;
      const keys = chosen.filter(
        (key) => known.flags.some((flag) => flag.key === key && flag.kind === 'declared') || key.startsWith('cohort:'),
      );
      const { text: after, promoted, same, kept, left } = promote(text, keys);
      promotions += promoted.length;
      for (const project of PROJECTS)
        expect(errorsIn(after, project).filter((error) => !errorsIn(text, project).includes(error))).toEqual([]);
      expect(
        [
          ...new Set([
            ...promoted.map(({ key }) => key),
            ...same,
            ...kept.map(({ key }) => key),
            ...left.map(({ key }) => key),
          ]),
        ].sort(),
      ).toEqual([...keys].sort());
      const { desired } = read(after).resolve(PRODUCTION);
      const written = new Set(promoted.map(({ key }) => key));
      const { warnings } = buildPlan(desired, { flags: [], roleAccess: {} });
      expect(warnings.filter((one) => one.code === 'dependency_missing' && written.has(one.key))).toEqual([]);
      const aliases = new Set(desired.cohorts?.flatMap(({ kind, key }) => (kind === 'declared' ? key : [])));
      for (const flag of desired.flags) {
        if (flag.kind !== 'declared' || !written.has(flag.key)) continue;
        const named = cohortValues(flag.fields['filters']).map(readReference);
        expect(named.filter((one) => (typeof one === 'string' ? !aliases.has(one) : one !== 7))).toEqual([]);
        expect(flag.roleAccess?.filter(({ id }) => id !== growth) ?? []).toEqual([]);
      }
      const sides = PROJECTS.map((project) => ({ project, desired: read(after).resolve(project).desired }));
      const rows = compareProjects(sides, { scope: { include: ['*'], exclude: [] } }).rows;
      const isNamed = (key: string, path: string): boolean =>
        left.some((one) => one.key === key) || kept.some((one) => one.key === key && one.path === path);
      expect(rows.filter(({ key, path }) => keys.includes(key) && !isNamed(key, path))).toEqual([]);
    }),
    { numRuns: runs(60) },
  );
  expect(promotions).toBeGreaterThan(0);
});
