import { expect, test } from 'vitest';
import { objectOrEmpty } from '../../../src/base/json.ts';
import { valueAt } from '../../../src/base/json-pointer.ts';
import { inOrder } from '../../../src/core/manifest/write/group-files.ts';
import { COHORT_ORDER } from '../../../src/posthog/cohort/export.ts';
import { FEATURE_ORDER } from '../../../src/posthog/early-access/family.ts';
import { writeFlag, FLAG_ORDER } from '../../../src/posthog/flag/layout.ts';
import { lookupNames } from '../../../src/posthog/flag/model/references.ts';
import { heldAccess } from '../../../src/posthog/role-access/access.ts';
import { readSchema } from '../../helpers/published-schema.ts';

const schema = readSchema('manifest');

function membersOf(definition: string): string[] {
  return Object.keys(objectOrEmpty(valueAt(schema, `/$defs/${definition}/properties`)));
}

test('every member of a declaration has a place', () => {
  const names = [...membersOf('flag'), ...membersOf('overlay')];
  expect([...new Set(names)].toSorted()).toEqual(FLAG_ORDER.names?.toSorted());
  const ofCohorts = [...membersOf('cohort'), ...membersOf('cohortOverlay')];
  expect([...new Set(ofCohorts)].toSorted()).toEqual(COHORT_ORDER.names?.toSorted());
  const ofFeatures = [...membersOf('earlyAccess'), ...membersOf('earlyAccessOverlay')];
  expect([...new Set(ofFeatures)].toSorted()).toEqual(FEATURE_ORDER.names?.toSorted());
});

test('an export writes members in the usual order', () => {
  const flag = {
    id: 1,
    key: 'a',
    name: 'A',
    active: true,
    filters: { groups: [{ properties: [], rollout_percentage: 10, extra: 1 }], payloads: { true: '1' } },
    ensure_experience_continuity: true,
    tags: ['a'],
    rollback_conditions: [{ a: 1 }],
    evaluation_runtime: 'server',
  };
  const names = lookupNames([], { roles: {}, cohorts: {} });
  const access = heldAccess([], undefined);
  const written = writeFlag(flag, { form: 'checked', access, names, minimal: false, full: true });
  expect(Object.keys(written)).toHaveLength(9);
  expect(JSON.stringify(inOrder(written, FLAG_ORDER))).toBe(JSON.stringify(written));
});
