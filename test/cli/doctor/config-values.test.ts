/** Each value of the configuration that counts, with the place or the variable that it comes from. */

import { expect, test } from 'vitest';
import { configurationValues } from '../../../src/cli/actions/doctor.ts';
import type { UsableConfiguration } from '../../../src/cli/doctor/surroundings.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { selectProject } from '../../../src/config/select.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const TEXT = `manifests: ['flags/*.yaml']
tests: ['tests/*.yaml']
scope: { include: ['a*'], exclude: ['ab*'] }
limits: { deletes: 1, deletes_percent: 2, updates: 3, updates_percent: 4, disables: 5 }
protected: ['a-*']
drift: keep
base: { push: origin }
projects:
  real: { host: 'https://eu.posthog.com', project_id: '7', api_key_env: KEY, requests_per_minute: 100 }
  local: { service: embedded, profile: posthog }
default_project: real
`;

async function valuesOf(
  text: string | undefined,
  { env = {}, project }: { readonly env?: Readonly<Record<string, string>>; readonly project?: string } = {},
): Promise<Record<string, string>> {
  const { root } = createWorkspace(text === undefined ? {} : { 'flagwright.yaml': text });
  const { config } = await loadConfig({ cwd: root, env, offline: true });
  const options = project === undefined ? {} : { project };
  const projects = Object.keys(config.projects).map((name) => selectProject(config, name));
  const session = { context: { cwd: root, env }, options } as unknown as Session;
  const values = await configurationValues(session, {
    kind: 'usable',
    config,
    warnings: [],
    projects,
  } as UsableConfiguration);
  return Object.fromEntries(
    values.map(({ name, value, from }) => [
      name,
      `${JSON.stringify(value)} ${from.kind === 'file' ? `line ${from.place.line}` : Object.values(from).join(' ')}`,
    ]),
  );
}

test('a file gives each value with its line, and what it omits has its default', async () => {
  expect(await valuesOf(TEXT)).toEqual({
    '/default_project': '"real" line 11',
    '/manifests': '["flags/*.yaml"] line 1',
    '/tests': '["tests/*.yaml"] line 2',
    '/scope/include': '["a*"] line 3',
    '/scope/exclude': '["ab*"] line 3',
    '/limits/deletes': '1 line 4',
    '/limits/deletes_percent': '2 line 4',
    '/limits/updates': '3 line 4',
    '/limits/updates_percent': '4 line 4',
    '/limits/disables': '5 line 4',
    '/protected': '["a-*"] line 5',
    '/drift': '"keep" line 6',
    '/base/push': '"origin" line 7',
    '/projects/real/service': '"remote" default',
    '/projects/real/host': '"https://eu.posthog.com" line 9',
    '/projects/real/project_id': '"7" line 9',
    '/projects/real/api_key_env': '"KEY" line 9',
    '/projects/real/requests_per_minute': '100 line 9',
    '/projects/local/service': '"embedded" line 10',
    '/projects/local/profile': '"posthog" line 10',
  });
});

test('a variable gives what the file omits, and the project, unless an option does', async () => {
  const text = "projects: { real: { project_id: '7' }, other: { service: embedded } }\n";
  const env = { POSTHOG_HOST: 'https://eu.posthog.com', FLAGWRIGHT_PROJECT: 'other' };
  expect(await valuesOf(text, { env })).toMatchObject({
    '/default_project': '"other" environment FLAGWRIGHT_PROJECT',
    '/projects/real/host': '"https://eu.posthog.com" environment POSTHOG_HOST',
    '/projects/real/project_id': '"7" line 1',
    '/limits/deletes': expect.stringMatching(/ default$/) as string,
  });
  expect((await valuesOf(text, { env, project: 'real' }))['/default_project']).toBe('"real" option --project');
});

test('without a file, nothing has a line', async () => {
  const values = await valuesOf(undefined, {
    env: { POSTHOG_HOST: 'https://eu.posthog.com', POSTHOG_PROJECT_ID: '7' },
  });
  expect(values['/default_project']).toBe('"environment" default');
  expect(Object.values(values).filter((value) => value.includes(' line '))).toEqual([]);
});
