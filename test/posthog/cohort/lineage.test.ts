/** Cohorts that lost their name: what a record, a log and a base say of them, and those that only the base declared. */

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Trace } from '../../../src/core/engine/trace.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { Cohort } from '../../../src/posthog/cohort/cohort.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { warningText } from '../../../src/report/words/warnings.ts';
import { cohort, desiredOf } from '../../helpers/cohorts.ts';
import { planOptions } from '../../helpers/states.ts';

const PRO = {
  filters: { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }] } },
};
const DECLARED = { name: 'Beta', description: 'Some.', ...PRO };
const COMMIT = { kind: 'commit', commit: 'a'.repeat(40), from: 'ref' } as const;

interface Given {
  readonly cohorts: Readonly<Record<string, JsonObject>>;
  readonly live: readonly Cohort[];
  readonly traces?: readonly Trace[];
  readonly base?: Readonly<Record<string, JsonObject>>;
  readonly targets?: readonly string[];
}

function planOf({ cohorts, live, traces, base, targets }: Given): Plan {
  const manifest = Object.keys(cohorts).length === 0 ? { flags: {} } : { cohorts };
  return buildPlan(
    desiredOf(manifest),
    { flags: [], roleAccess: {}, cohorts: live, ...(traces === undefined ? {} : { traces: { cohorts: traces } }) },
    {
      ...planOptions(targets === undefined ? {} : { targets }),
      ...(base === undefined ? {} : { base: { facts: COMMIT, desired: desiredOf({ cohorts: base }) } }),
    },
  );
}

const changesOf = ({ changes }: Plan): unknown[] =>
  changes.map((change) => [
    change.action,
    change.id,
    ...('fields' in change ? change.fields.map(({ path, divergence }) => `${path} ${divergence ?? ''}`.trim()) : []),
  ]);

const actionsOf = ({ changes }: Plan): string[] => changes.map(({ action }) => action);

const warningsOf = ({ warnings }: Plan): string[] => warnings.map(({ code, key }) => `${code} ${key}`);

const former = (evidence: 'recorded' | 'logged', id = 7): Trace => ({ kind: 'former', key: 'beta', id, evidence });
const renamed = (fields: JsonObject = {}): Cohort => cohort(7, 'By hand', { description: 'Some.', ...PRO, ...fields });

describe('a cohort that was renamed in the service', () => {
  it('gets its name again where a run recorded it, whatever else was changed', () => {
    const plan = planOf({
      cohorts: { beta: DECLARED },
      live: [renamed({ description: 'Other.' })],
      traces: [former('recorded')],
      base: { beta: DECLARED },
    });
    expect(changesOf(plan)).toEqual([['update', 7, '/name drifted', '/description drifted']]);
    expect(warningsOf(plan)).toContain('cohort_renamed cohort:beta');
  });

  it('is the one of the log only if it is as declared otherwise', () => {
    const given = { cohorts: { beta: DECLARED }, traces: [former('logged')] };
    expect(changesOf(planOf({ ...given, live: [renamed()] }))).toEqual([['update', 7, '/name']]);
    const other = planOf({ ...given, live: [renamed({ description: 'Other.' })] });
    expect(actionsOf(other)).toEqual(['create']);
    expect(warningsOf(other)).toEqual(['cohort_renamed_away cohort:beta']);
  });

  it('is never recognised by its content alone', () => {
    const plan = planOf({ cohorts: { beta: DECLARED }, live: [renamed()] });
    expect(actionsOf(plan)).toEqual(['create']);
    expect(warningsOf(plan)).toEqual([]);
  });

  it('is left to the alias that declares it under its new name', () => {
    const plan = planOf({
      cohorts: { beta: DECLARED, other: { ...DECLARED, name: 'By hand' } },
      live: [renamed()],
      traces: [former('recorded')],
    });
    expect(actionsOf(plan)).toEqual(['create']);
    expect(warningsOf(plan)).toEqual(['cohort_renamed_away cohort:beta']);
    const [warning] = plan.warnings;
    if (warning === undefined) throw new Error('no warning');
    expect(warningText(warning, (text) => `'${text}'`)).toBe(
      "'cohort:beta': the cohort with this name is now named 'By hand' in the service (id 7), which is declared under another alias. The plan creates another cohort.",
    );
  });

  it('counts as unknown only where the base declared it', () => {
    const traces: Trace[] = [{ kind: 'unknown', key: 'beta', why: 'forbidden' }];
    const given = { cohorts: { beta: DECLARED }, live: [], traces };
    expect(warningsOf(planOf(given))).toEqual([]);
    expect(warningsOf(planOf({ ...given, base: {} }))).toEqual([]);
    expect(warningsOf(planOf({ ...given, base: { beta: DECLARED } }))).toEqual(['cohort_former_unknown cohort:beta']);
    expect(warningsOf(planOf({ ...given, base: { beta: DECLARED }, targets: ['x*'] }))).not.toContain(
      'cohort_former_unknown cohort:beta',
    );
  });
});

describe('a cohort that was deleted in the service', () => {
  it('is restored where a run recorded it, and created anew where only the log names it', () => {
    const given = { cohorts: { beta: DECLARED }, live: [cohort(7, 'Beta', { ...DECLARED, deleted: true })] };
    expect(changesOf(planOf({ ...given, traces: [former('recorded')] }))).toEqual([['restore', 7, '/deleted']]);
    expect(actionsOf(planOf({ ...given, traces: [former('logged')] }))).toEqual(['create']);
  });
});

describe('a cohort that the manifests renamed', () => {
  const live = [cohort(7, 'Beta', { description: 'Some.', ...PRO })];

  it('is found by the name that the base declared under its alias', () => {
    const plan = planOf({ cohorts: { beta: { ...DECLARED, name: 'New' } }, live, base: { beta: DECLARED } });
    expect(changesOf(plan)).toEqual([['update', 7, '/name pending']]);
    expect(actionsOf(planOf({ cohorts: { beta: { ...DECLARED, name: 'New' } }, live }))).toEqual(['create']);
  });

  it('is not taken from an alias that declares the former name now', () => {
    const cohorts = { beta: { ...DECLARED, name: 'New' }, second: DECLARED };
    expect(actionsOf(planOf({ cohorts, live, base: { beta: DECLARED } }))).toEqual(['create']);
  });

  it('is deleted without a name, if the base knows it', () => {
    const plan = planOf({ cohorts: { beta: { deleted: true } }, live, base: { beta: DECLARED } });
    expect(changesOf(plan)).toEqual([['delete', 7, '/deleted pending']]);
  });
});

describe('a cohort that only the base declared', () => {
  const live = [cohort(7, 'Beta', PRO)];

  it('is released, left alone and named, while it is live', () => {
    const plan = planOf({ cohorts: {}, live, base: { beta: DECLARED } });
    expect(plan.changes).toEqual([]);
    expect(plan.released).toEqual([{ key: 'cohort:beta', place: expect.objectContaining({ line: 1 }) as unknown }]);
    expect(planOf({ cohorts: {}, live: [], base: { beta: DECLARED } }).released).toEqual([]);
    expect(
      planOf({ cohorts: {}, live: [{ ...live[0], id: 7, deleted: true }], base: { beta: DECLARED } }).released,
    ).toEqual([]);
    expect(planOf({ cohorts: {}, live, base: { beta: DECLARED }, targets: ['cohort:x'] }).released).toEqual([]);
  });

  it('is not released where another alias, or another project, declares it', () => {
    expect(planOf({ cohorts: { second: DECLARED }, live, base: { beta: DECLARED } }).released).toEqual([]);
    const elsewhere = { beta: { ...DECLARED, only_in: ['other'] } };
    expect(planOf({ cohorts: elsewhere, live, base: { beta: DECLARED } }).released).toEqual([]);
  });
});
