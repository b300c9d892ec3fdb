/** Which changes make `npm test` build again. */

import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { forgetBuild, isBuilt, rememberBuild } from '../../scripts/build-digest.mjs';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';

function built(): Workspace {
  const workspace = createWorkspace({
    'src/index.ts': 'export {};\n',
    'service/src/index.ts': 'export {};\n',
    'schemas/plan.schema.json': '{}\n',
    'scripts/build.mjs': '\n',
    'package-lock.json': '{}\n',
    'tsconfig.json': '{}\n',
    'tsconfig.build.json': '{}\n',
    'dist/index.js': 'export {};\n',
  });
  rememberBuild(workspace.root);
  return workspace;
}

test('what was built from the same sources is not built again', () => {
  expect(isBuilt(built().root)).toBe(true);
});

const CHANGES: readonly (readonly [change: string, make: (workspace: Workspace) => void])[] = [
  ['a source that changed', ({ write }) => write('src/index.ts', 'export const one = 1;\n')],
  ['a new source', ({ write }) => write('src/other.ts', 'export {};\n')],
  ['the embedded service', ({ write }) => write('service/src/index.ts', 'export const one = 1;\n')],
  ['another schema', ({ write }) => write('schemas/plan.schema.json', '{"type": "object"}\n')],
  ['other packages', ({ write }) => write('package-lock.json', '{"name": "other"}\n')],
  ['a built file that somebody edited', ({ write }) => write('dist/index.js', 'broken\n')],
  ['a built file that is gone', ({ root }) => rmSync(path.join(root, 'dist/index.js'))],
  ['no dist/ at all', ({ root }) => rmSync(path.join(root, 'dist'), { recursive: true })],
  ['a build that did not end', ({ root }) => forgetBuild(root)],
];

test.each(CHANGES)('%s needs a build', (_, make) => {
  const workspace = built();
  make(workspace);
  expect(isBuilt(workspace.root)).toBe(false);
});
