/** Cohorts that exported flags use are declared if that loads to what is live, and named otherwise. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Export, ExportOptions } from '../../../src/loop/export/export.ts';
import { writeManifests } from '../../../src/loop/export/write-manifests.ts';
import type { Cohort } from '../../../src/posthog/cohort/cohort.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { parseManifest, resolveManifests } from '../../../src/posthog/manifests/manifests.ts';
import { planFor } from '../../helpers/states.ts';

const PRO = { key: 'plan', type: 'person', operator: 'exact', value: 'pro' };
const on = (value: number | string): JsonObject => ({ key: 'id', type: 'cohort', value });

function cohort(id: number, name: string | null, ...values: JsonObject[]): Cohort {
  return { id, name, description: '', is_static: false, filters: { properties: { type: 'AND', values } } };
}

function using(id: number, key: string, ...cohorts: number[]): Flag {
  return { id, key, active: true, filters: { groups: [{ properties: cohorts.map(on) }] } } as unknown as Flag;
}

interface Exported extends Export {
  /** The text of the file with the cohorts. */
  readonly text: string | undefined;
}

/** Exports, and checks that a plan of what was written is empty. */
function exported(
  { flags, cohorts, names }: { flags: readonly Flag[]; cohorts: readonly Cohort[]; names: Record<string, number> },
  options: ExportOptions = {},
): Exported {
  const result = writeManifests(
    { flags, roleAccess: undefined, names: { roles: {}, cohorts: names }, cohorts },
    options,
  );
  const parsed = result.files.map(({ path, text }) => parseManifest(path, text));
  const project = { name: options.onlyIn ?? 'p', roles: {}, cohorts: names };
  const files = parsed.map(({ file }) => file);
  const { desired, diagnostics } = resolveManifests(files, project, [project.name]);
  expect([...parsed.flatMap((one) => one.diagnostics), ...diagnostics]).toEqual([]);
  expect(planFor(desired, { flags, roleAccess: {}, cohorts }).changes).toEqual([]);
  return { ...result, text: result.files.find(({ text }) => text.includes('cohorts:'))?.text };
}

test('the cohorts that flags use, and those that their definitions name, are declared by their aliases', () => {
  const staff = { ...cohort(8, 'Staff', { ...PRO, negation: false, bytecode: ['_H', 1] }), description: 'Us.' };
  const { text, notes } = exported({
    flags: [using(1, 'a', 7)],
    cohorts: [cohort(7, 'Beta', PRO, on('8')), staff, cohort(9, 'Unused', PRO)],
    names: { beta: 7, staff: 8, unused: 9 },
  });
  expect(notes).toEqual([]);
  expect(text).toBe(`cohorts:
  beta:
    name: Beta
    description: ""
    filters:
      properties:
        type: AND
        values:
          - { key: plan, type: person, operator: exact, value: pro }
          - { type: cohort, value: staff }

  staff:
    name: Staff
    description: Us.
    filters:
      properties:
        type: AND
        values:
          - { key: plan, type: person, operator: exact, value: pro }
`);
});

test('a project without a list of cohorts, and flags without cohorts, get no declaration', () => {
  const flags = [using(1, 'a')];
  expect(exported({ flags, cohorts: [cohort(7, 'Beta', PRO)], names: { beta: 7 } }).text).toBeUndefined();
});

test('what manifests declare, and what has no alias, is not declared', () => {
  const flags = [using(1, 'a', 7, 8)];
  const cohorts = [cohort(7, 'Beta', PRO), cohort(8, 'Other', PRO)];
  const { text } = exported(
    { flags, cohorts, names: { beta: 7 } },
    { declared: { cohorts: { keys: new Set(['beta']), resources: [] } } },
  );
  expect(text).toBeUndefined();
});

test('of two cohorts with one name, one is declared without it', () => {
  const cohorts = [cohort(7, 'Beta', PRO), cohort(8, ' Beta', PRO), cohort(9, null, PRO)];
  const { text } = exported(
    { flags: [using(1, 'a', 7, 8, 9)], cohorts, names: { one: 7, two: 8, three: 9 } },
    { minimal: true },
  );
  expect(text?.match(/name:/g)).toHaveLength(1);
  expect(text).not.toContain('description');
});

test('cohorts of one project are declared for it alone, in a file that does not exist', () => {
  const { text, files } = exported(
    { flags: [using(1, 'cohorts-a', 7), using(2, 'cohorts-b')], cohorts: [cohort(7, 'Beta', PRO)], names: { beta: 7 } },
    { onlyIn: 'eu', taken: new Set(['other.yaml']) },
  );
  expect(text).toContain('only_in: [eu]');
  expect(files.map(({ path }) => path)).toEqual(['cohorts-eu.yaml', 'cohorts.yaml']);
});

describe('a cohort is named and not declared', () => {
  const onEvents = { key: '$pageview', type: 'behavioral', value: 'performed_event', event_type: 'events' };
  test.each([
    ['static', [{ ...cohort(7, 'List', PRO), is_static: true }]],
    ['behavioral', [cohort(7, 'List', onEvents)]],
    ['behavioral', [cohort(7, 'List', on(8)), cohort(8, 'Events', onEvents)]],
    ['unlisted', []],
    ['reads-differently', [{ ...cohort(7, 'List'), filters: { properties: {} } }]],
    ['reads-differently', [{ ...cohort(7, 'List'), filters: null }]],
    ['reads-differently', [{ ...cohort(7, 'List', PRO), description: 'x'.repeat(11_000_000) }]],
  ])('%s', (reason, cohorts: readonly Cohort[]) => {
    const { text, notes } = exported({ flags: [using(1, 'a', 7)], cohorts, names: { list: 7, events: 8 } });
    expect(text).toBeUndefined();
    expect(notes[0]).toMatchObject({ kind: 'cohort-undeclared', key: 'a', cohort: 7, reason });
  });

  test('and the others are declared', () => {
    const { text, notes } = exported({
      flags: [using(1, 'a', 7, 8)],
      cohorts: [{ ...cohort(7, 'List'), filters: {} }, cohort(8, 'Good', PRO)],
      names: { list: 7, good: 8 },
    });
    expect([text?.includes('good:'), text?.includes('list:'), notes.length]).toEqual([true, false, 1]);
  });
});
