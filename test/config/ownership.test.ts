/** Who decides about fields, by key patterns. */

import { expect, it } from 'vitest';
import { readYaml } from '../../src/base/yaml/read.ts';
import type { Config } from '../../src/config/config.ts';
import { resolveConfig } from '../../src/config/resolve.ts';

async function resolveText(ownership: string): ReturnType<typeof resolveConfig> {
  const text = [
    'projects:',
    '  local: { service: embedded }',
    '  other: { service: embedded }',
    `ownership: ${ownership}`,
  ];
  const [document] = readYaml('flagwright.yaml', `${text.join('\n')}\n`).documents;
  if (document === undefined) throw new Error('no document');
  return resolveConfig(document, { root: '/repo', file: 'flagwright.yaml', env: {} });
}

async function resolve(ownership: string): Promise<{ readonly config?: Config; readonly problems: readonly string[] }> {
  const { config, diagnostics } = await resolveText(ownership);
  const problems = diagnostics.map(({ severity, code, path, place }) => `${severity} ${code} ${path} ${place?.line}`);
  return { ...(config === undefined ? {} : { config }), problems };
}

it('belongs to the flags and the projects that an entry names', async () => {
  const { config, problems } = await resolve(
    '[{ keys: ["ops-*", one], fields: { active: observed } }, { keys: ["*"], projects: [other], fields: { tags: initial } }]',
  );
  expect(problems).toEqual([]);
  const sets = (project: string): unknown =>
    config?.projects[project]?.ownership?.map(({ matches, rules }) => [
      ['ops-a', 'one', 'two'].filter(matches),
      rules.map(({ path, ownership, source }) => [path.text, ownership, source.line]),
    ]);
  expect(sets('local')).toEqual([[['ops-a', 'one'], [['active', 'observed', 4]]]]);
  expect(sets('other')).toEqual([
    [['ops-a', 'one'], [['active', 'observed', 4]]],
    [['ops-a', 'one', 'two'], [['tags', 'initial', 4]]],
  ]);
});

it('is absent where nothing is configured', async () => {
  expect((await resolve('[]')).config?.projects['local']).not.toHaveProperty('ownership');
});

it.each([
  ['[{ keys: ["!a"], fields: {} }]', 'error key-pattern-invalid /ownership/0/keys/0 4'],
  ['[{ keys: [a], projects: [othr], fields: {} }]', 'error project-unknown /ownership/0/projects/0 4'],
  ['[{ keys: [a], fields: { rollout: observed } }]', 'error ownership-path-invalid /ownership/0/fields/rollout 4'],
  ['[{ keys: [a], fields: { key: observed } }]', 'error ownership-fixed /ownership/0/fields/key 4'],
  [
    '[{ keys: [a], fields: { rollout_percentage: { between: [2, 1] } } }]',
    'error ownership-bounds-order /ownership/0/fields/rollout_percentage 4',
  ],
  ['[{ keys: [a], fields: { active: watched } }]', 'error value-not-allowed /ownership/0/fields/active 4'],
  ['[{ keys: [a] }]', 'error property-missing /ownership/0 4'],
])('%s is refused', async (ownership, problem) => {
  expect((await resolve(ownership)).problems).toEqual([problem]);
});

it('a mapping in place of the list is answered with an example', async () => {
  expect((await resolveText('{ keys: [a], fields: { active: observed } }')).diagnostics).toMatchObject([
    {
      code: 'type-wrong',
      path: '/ownership',
      args: { found: 'object', example: expect.stringMatching(/^\[\{"keys":/u) },
    },
  ]);
});
