/** Finds which side moved the level of a role, or of everyone, away from the base. */

import { expect, test } from 'vitest';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import { EVERYONE } from '../../../src/posthog/role-access/change.ts';
import { classifyLevel, type LevelClass } from '../../../src/posthog/role-access/find-changes.ts';
import { declared, retired } from '../../helpers/states.ts';

const PLACE = { file: 'flags/test.yaml', line: 1, column: 1 };
const BASE: DesiredFlag = {
  ...declared('a'),
  roleAccess: [
    { id: 'r1', level: 'viewer', place: PLACE },
    { id: 'r2', place: PLACE },
  ],
  everyone: { level: 'viewer', place: PLACE },
};

test.each<[string, string, string | null, string | null, LevelClass]>([
  ['that only git moved', 'r1', 'viewer', 'manager', { divergence: 'pending' }],
  ['that only people moved', 'r1', 'manager', 'viewer', { divergence: 'drifted' }],
  ['that both moved apart', 'r1', 'editor', 'manager', { divergence: 'conflict', base_level: 'viewer' }],
  ['that people revoked and git moved', 'r1', null, 'manager', { divergence: 'conflict', base_level: 'viewer' }],
  ['that people granted', 'r3', 'viewer', null, { divergence: 'drifted' }],
  ['that people granted and git too, apart', 'r3', 'viewer', 'editor', { divergence: 'conflict', base_level: null }],
  ['that git grants', 'r3', null, 'editor', { divergence: 'pending' }],
  ['without a name, which is editor', 'r2', 'viewer', 'manager', { divergence: 'conflict', base_level: 'editor' }],
  ['of everyone', EVERYONE, 'none', 'editor', { divergence: 'conflict', base_level: 'viewer' }],
])('a level %s', (_name, subject, live, wanted, expected) => {
  expect(classifyLevel(subject, { live, wanted }, BASE)).toEqual(expected);
});

test.each<[string, DesiredFlag | null]>([
  ['did not name the flag', null],
  ['deleted the flag', retired('a')],
  ['did not manage its access', declared('a')],
])('the level of a role, and that of everyone, is pending where the base %s', (_name, base) => {
  for (const subject of ['r1', EVERYONE])
    expect(classifyLevel(subject, { live: 'viewer', wanted: 'editor' }, base)).toEqual({ divergence: 'pending' });
});
