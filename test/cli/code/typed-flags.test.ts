/** For which projects flags get types, and without what. */

import { expect, test } from 'vitest';
import { loadTypedFlags } from '../../../src/cli/code/generate.ts';
import type { TypedFlag } from '../../../src/code/generate/typed-flag.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const FILES = {
  // Its host is in a variable that is not set, which no run without requests needs.
  'flagwright.yaml': `projects:
  east: { project_id: '1' }
  west: { project_id: '2' }
`,
  'flags/a.yaml': 'flags: { both: {}, west: { only_in: [west] } }\n',
};

async function load(options: { readonly project?: string }, files: object = {}): Promise<readonly TypedFlag[]> {
  const { root } = createWorkspace({ ...FILES, ...files });
  return loadTypedFlags(watchSession({ context: { cwd: root }, options }).session);
}

test('all projects count, and each flag has those that declare it', async () => {
  expect((await load({})).map(({ key, onlyIn }) => [key, onlyIn])).toEqual([
    ['both', undefined],
    ['west', ['west']],
  ]);
});

test('the project that is named counts alone', async () => {
  expect((await load({ project: 'west' })).map(({ key, onlyIn }) => [key, onlyIn])).toEqual([
    ['both', undefined],
    ['west', undefined],
  ]);
  expect((await load({ project: 'east' })).map(({ key }) => key)).toEqual(['both']);
});

test('every mistake of the manifests is thrown', async () => {
  const files = { 'flags/a.yaml': 'flags: { a: { activ: true }, b: { nam: x } }\n' };
  await expect(load({}, files)).rejects.toMatchObject({ code: 'manifest_invalid', diagnostics: [{}, {}] });
});
