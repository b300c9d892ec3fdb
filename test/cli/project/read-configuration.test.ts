import { expect, test } from 'vitest';
import { readConfiguration } from '../../../src/cli/project/load-project.ts';
import { DEFAULT_STEPS_EVERY } from '../../../src/core/rollout/read-rollout.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

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
