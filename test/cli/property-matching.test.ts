/** How commands learn the `property_matching_version` of a project, by which people are evaluated. */

import { expect, test } from 'vitest';
import { runCli, type Ran } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { openWorld } from '../helpers/world.ts';

const FILTERS = '{ groups: [{ properties: [{ key: staff, type: person, operator: exact, value: ["false"] }] }] }';
const MANIFEST = `flags:\n  a: { active: true, filters: ${FILTERS} }\n`;
const TESTS = [
  'people:',
  '  ada: { id: ada, properties: { staff: banana } }',
  'expect:',
  '  - { person: ada, flags: { a: true } }',
].join('\n');

interface Staged {
  readonly run: (...argv: string[]) => Promise<Ran>;
}

async function stage(found: 1 | 2, declared?: 1 | 2): Promise<Staged> {
  const world = await openWorld('posthog', {
    flags: [
      {
        id: 1,
        key: 'a',
        active: false,
        filters: { groups: [{ properties: [{ key: 'staff', type: 'person', operator: 'exact', value: ['false'] }] }] },
      },
    ],
    property_matching_version: found,
  });
  const version = declared === undefined ? '' : `, property_matching_version: ${declared}`;
  const { root } = createWorkspace({
    'flagwright.yaml': `projects:\n  main: { host: "${world.url}", project_id: 1${version} }\n`,
    'flags/a.yaml': MANIFEST,
    'tests/a.yaml': TESTS,
  });
  return { run: async (...argv) => runCli(argv, { cwd: root, env: { POSTHOG_API_KEY: 'phx_test' } }) };
}

test.each([
  [1, '1 result changes', 'ada: a off → on'],
  [2, 'no result changes', undefined],
] as const)('a plan reads version %i from the definitions, and evaluates by it', async (version, summary, line) => {
  const { run } = await stage(version);
  const planned = await run('plan');
  expect(planned.stdout).toContain(summary);
  if (line !== undefined) expect(planned.stdout).toContain(line);
  expect(planned.stderr).not.toContain('property_matching_version');
});

test('a test is evaluated by the declared version, and says what it assumes without one', async () => {
  const undeclared = await (await stage(2)).run('test');
  expect([undeclared.code, undeclared.stderr]).toEqual([
    0,
    expect.stringContaining("depends on the project's property_matching_version: 1, not checked"),
  ]);
  const declared = await (await stage(1, 2)).run('test');
  expect([declared.code, declared.stderr]).toEqual([2, expect.not.stringContaining('not checked')]);
});

test('a plan says that another version is declared than the project has', async () => {
  const { run } = await stage(2, 1);
  const planned = await run('plan');
  expect(planned.stderr).toContain('The property_matching_version of main is 2, and flagwright.yaml declares 1.');
  expect(planned.stdout).toContain('no result changes');
});
