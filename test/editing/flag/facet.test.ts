/** Where manifests write each value of a flag, and in which layer. */

import { expect, test } from 'vitest';
import { FLAG_FACET } from '../../../src/editing/flag/facet.ts';
import { readTexts, type DeclaredIn } from '../../../src/editing/texts.ts';
import type { DesiredFlag } from '../../../src/posthog/desired.ts';
import type { Project } from '../../../src/posthog/project.ts';

const GROWTH = '11111111-1111-4111-8111-111111111111';
const SALES = '22222222-2222-4222-8222-222222222222';
const PROJECT: Project = { name: 'production', roles: { Growth: GROWTH, Sales: SALES }, cohorts: {} };

const TEXT = `flags:
  checkout:
    active: true
    description: New
    fields:
      evaluation_runtime: server
    filters:
      groups:
        - properties: []
          rollout_percentage: 10
    access:
      default: viewer
      roles:
        Growth: editor
    projects:
      production:
        description: Own
  list:
    role_access:
      - Growth
      - Sales
  gone:
    deleted: true
`;
const read = readTexts([{ file: 'a.yaml', text: TEXT }], ['production', 'staging']);
const { desired } = read.resolve(PROJECT);

/** The line where the value is written, and its layer. */
function written(key: string, path: string): unknown {
  const flag = desired.flags.find((one) => one.key === key) as DesiredFlag;
  const declaration = read.declarations.get(key) as DeclaredIn;
  const { place, layer } = FLAG_FACET.placeOf(flag, path, { declaration, project: PROJECT });
  const text = place && TEXT.split('\n')[place.line - 1]?.trim();
  return layer === undefined ? text : [text, layer];
}

test.each<[key: string, path: string, found: unknown]>([
  ['checkout', '/active', ['active: true', 'base']],
  ['checkout', '/name', ['description: Own', 'project']],
  ['checkout', '/evaluation_runtime', ['evaluation_runtime: server', 'base']],
  ['checkout', '/filters/groups/0/rollout_percentage', ['rollout_percentage: 10', 'base']],
  ['checkout', '/tags', undefined],
  ['checkout', '/key', 'checkout:'],
  ['checkout', '/role_access/default', 'default: viewer'],
  ['checkout', `/role_access/roles/${GROWTH}`, 'Growth: editor'],
  ['checkout', '/role_access/roles/Growth', 'Growth: editor'],
  ['list', `/role_access/roles/${SALES}`, '- Sales'],
  ['list', '/role_access/roles/unknown', 'role_access:'],
  ['list', '/role_access/default', undefined],
  ['gone', '/active', 'deleted: true'],
])('%s: the value at %s is written as %j', (key, path, found) => {
  expect(written(key, path)).toEqual(found);
});
