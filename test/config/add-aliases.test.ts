/** Names of roles and cohorts are added to a configuration, and nothing else of it changes. */

import { expect, test } from 'vitest';
import { addAliases } from '../../src/config/add-aliases.ts';

const TEXT = `# ours
projects:
  staging: { host: https://x.test } # first
  production:
    project_id: 1
    cohorts: { beta: 7 } # known
`;
const names = { roles: { yes: 'r-1' }, cohorts: { 'staff members': 8 } };

test.each<[string, string, Parameters<typeof addAliases>[2], string]>([
  [
    'beside those that are there',
    'production',
    names,
    TEXT.replace('{ beta: 7 }', '{ beta: 7, staff members: 8 }').replace(
      '# known\n',
      '# known\n    roles:\n      "yes": r-1\n',
    ),
  ],
  ['as a whole', 'staging', { roles: {}, cohorts: { a: 1 } }, TEXT.replace('x.test }', 'x.test, cohorts: { a: 1 } }')],
  ['nowhere, if there are none', 'staging', { roles: {}, cohorts: {} }, TEXT],
])('names are written %s', (_what, project, added, after) => {
  expect(addAliases(TEXT, project, added)).toBe(after);
});

test.each<[string, string]>([
  ['the project is not in it', TEXT.replace('production', 'other')],
  ['it has no projects', 'protected: [a]\n'],
  ['it is empty', ''],
  ['the project has the values of another by an alias', 'projects:\n  a: &a { cohorts: {} }\n  production: *a\n'],
])('nothing is written where %s', (_what, text) => {
  expect(addAliases(text, 'production', names)).toBeUndefined();
});
