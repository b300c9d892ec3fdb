import { mkdirSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { digestOf, recordIntent } from '../../../src/cli/session/write-intent.ts';
import { readConfiguration, restoreFiles } from '../../../src/cli/project/read-configuration.ts';
import { DEFAULT_STEPS_EVERY } from '../../../src/rollout/read-rollout.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace, workspaceIn } from '../../helpers/workspace.ts';

const PROJECTS = `projects:
  a: { project_id: '1' }
  b: { host: 'https://b.example', project_id: '2' }
`;
const HERE = { POSTHOG_HOST: 'https://here.example' };

async function read(
  files: Readonly<Record<string, string>>,
  context: object = {},
  given: { readonly config?: string; readonly env?: Readonly<Record<string, string>> } = {},
): ReturnType<typeof readConfiguration> {
  const { root } = createWorkspace(files);
  const { session } = watchSession({
    context: { cwd: root, env: HERE, now: () => 5000, ...context },
    options: given.config === undefined ? {} : { config: given.config },
  });
  return readConfiguration(session, given.env === undefined ? {} : { env: given.env });
}

test('each project has the moment of the run, at which rollouts are as planned', async () => {
  const moment = { now: 5000, progress: [], reach: 'planned', every: DEFAULT_STEPS_EVERY, present: 5000 };
  const { config } = await read({ 'flagwright.yaml': PROJECTS });
  expect(Object.values(config.projects).map((one) => [one.name, one.moment])).toEqual([
    ['a', moment],
    ['b', moment],
  ]);
});

test('the moment of a run at another time has no present, and the configuration says how often steps are made', async () => {
  const files = { 'flagwright.yaml': `${PROJECTS}rollouts: { every: 2h }\n` };
  const { config } = await read(files, { isMoved: true });
  expect(config.projects['a']?.moment).toEqual({ now: 5000, progress: [], reach: 'planned', every: 7_200_000 });
});

test('the environment is that of the run, unless another one is given', async () => {
  const hostOf = async (env?: Readonly<Record<string, string>>): Promise<unknown> => {
    const { config } = await read({ 'flagwright.yaml': PROJECTS }, {}, env === undefined ? {} : { env });
    return (config.projects['a'] as { readonly host?: string }).host;
  };
  expect(await hostOf()).toBe('https://here.example');
  expect(await hostOf({ POSTHOG_HOST: 'https://there.example' })).toBe('https://there.example');
});

test('the file is the one that the options name', async () => {
  const files = { 'flagwright.yaml': PROJECTS, 'sub/other.yaml': PROJECTS.replace('a:', 'z:') };
  const { config } = await read(files, {}, { config: 'sub/other.yaml' });
  expect([Object.keys(config.projects), config.file]).toEqual([['z', 'b'], 'sub/other.yaml']);
});

/** As a command leaves it that was killed after it replaced `a.yaml` and before it replaced `b.yaml`. */
async function interruptIn(folder: string, id: string): Promise<void> {
  const workspace = workspaceIn(folder);
  workspace.write('a.yaml', 'new');
  workspace.write(`.a.yaml.${id}.bak`, 'old');
  workspace.write('b.yaml', 'old');
  workspace.write(`.b.yaml.${id}.tmp`, 'new');
  const digests = { before: digestOf('old'), after: digestOf('new') };
  const files = ['a.yaml', 'b.yaml'].map((file) => ({ target: path.join(folder, file), ...digests }));
  await recordIntent({ folder, id, files, folders: [] }, { pid: 2 ** 30, host: hostname() });
}

const ID = '00000000-0000-4000-8000-000000000000';
const OTHER_ID = '00000000-0000-4000-8000-000000000001';
const RESTORED = 'note note  A command was interrupted while it wrote files. Restored: a.yaml, b.yaml.\n';

test.skipIf(process.platform === 'win32').each<[string, boolean]>([
  ['the working directory and the folder of the configuration', true],
  ['the working directory', false],
])('files in %s are restored before the configuration is read, and one note each says so', async (_, isFound) => {
  const { root, read: readFile } = createWorkspace({
    'sub/.keep': '',
    ...(isFound ? { 'flagwright.yaml': PROJECTS } : {}),
  });
  await interruptIn(root, ID);
  await interruptIn(path.join(root, 'sub'), OTHER_ID);
  const context = { cwd: path.join(root, 'sub'), env: HERE, now: () => 5000, userId: process.getuid?.() ?? 0 };
  const { session, said } = watchSession({ context });
  await readConfiguration(session, { offline: true });
  expect(readFile('sub/a.yaml')).toBe('old');
  expect([readFile('a.yaml'), said]).toEqual(isFound ? ['old', [RESTORED, RESTORED]] : ['new', [RESTORED]]);
  expect(readdirSync(path.join(root, 'sub'))).toEqual(['.keep', 'a.yaml', 'b.yaml']);
});

test('a record of another user is not followed', async () => {
  const { root, read: readFile } = createWorkspace();
  await interruptIn(root, ID);
  const { session, said } = watchSession({ context: { cwd: root, userId: 4711 } });
  await expect(restoreFiles(session, root)).rejects.toMatchObject({ code: 'refused' });
  expect([readFile('a.yaml'), said]).toEqual(['new', []]);
});

test('a folder that cannot be read has nothing to restore', async () => {
  const { root } = createWorkspace({ file: '' });
  mkdirSync(path.join(root, 'empty'));
  const { session, said } = watchSession();
  for (const folder of ['nowhere', 'file', 'empty']) await restoreFiles(session, path.join(root, folder));
  expect(said).toEqual([]);
});
