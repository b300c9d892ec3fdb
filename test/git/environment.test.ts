import { expect, test } from 'vitest';
import { gitEnvironment } from '../../src/git/environment.ts';

test('git gets no key of the service, under any name', () => {
  const env = gitEnvironment(
    {
      POSTHOG_KEY: 'opaque-secret',
      COPY: 'opaque-secret',
      OTHER: 'phx_planted_key_0123456789',
      HOME: '/home/ana',
      EMPTY: '',
    },
    ['POSTHOG_KEY', 'UNSET', 'EMPTY'],
  );
  expect(env).toMatchObject({ HOME: '/home/ana', EMPTY: '' });
  expect(JSON.stringify(env)).not.toMatch(/opaque|phx_/);
});

test('git keeps what reaches remotes, and nothing that redirects it or chooses its language', () => {
  const env = gitEnvironment(
    {
      GIT_CONFIG_GLOBAL: '/c',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'k',
      GIT_CONFIG_VALUE_0: 'v',
      GIT_SSH_COMMAND: 'ssh -i key',
      GIT_ASKPASS: '/askpass',
      SSH_AUTH_SOCK: '/s',
      CI_JOB_TOKEN: 'token',
      GIT_DIR: '/d',
      GIT_WORK_TREE: '/w',
      GIT_EXTERNAL_DIFF: 'x',
      GIT_TRACE: '1',
      GIT_CONFIG_PARAMETERS: "'core.pager'='x'",
      GIT_ALTERNATE_OBJECT_DIRECTORIES: '/o',
      LANG: 'de_DE.UTF-8',
      LC_MESSAGES: 'de_DE.UTF-8',
      PAGER: 'less',
    },
    [],
  );
  const { LC_ALL, GIT_TERMINAL_PROMPT, GCM_INTERACTIVE, GIT_NO_REPLACE_OBJECTS, ...rest } = env;
  expect([LC_ALL, GIT_TERMINAL_PROMPT, GCM_INTERACTIVE, GIT_NO_REPLACE_OBJECTS]).toEqual(['C', '0', 'never', '1']);
  expect(Object.keys(rest).sort()).toEqual([
    'CI_JOB_TOKEN',
    'GIT_ASKPASS',
    'GIT_CONFIG_COUNT',
    'GIT_CONFIG_GLOBAL',
    'GIT_CONFIG_KEY_0',
    'GIT_CONFIG_VALUE_0',
    'GIT_SSH_COMMAND',
    'SSH_AUTH_SOCK',
  ]);
});

test('git is looked for in absolute folders only', () => {
  expect(gitEnvironment({ PATH: '/usr/bin::.:bin:/bin' }, [])['PATH']).toBe('/usr/bin:/bin');
});
