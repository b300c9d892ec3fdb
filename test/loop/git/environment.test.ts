import { expect, test } from 'vitest';
import { gitEnvironment, runGit } from '../../../src/loop/git/run-git.ts';
import { createRepository } from '../../helpers/repository.ts';
import { callerIn } from './support.ts';

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

test.each([
  ...['GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM', 'GIT_CONFIG_KEY_12', 'GIT_SSH', 'GIT_SSH_VARIANT'],
  ...[
    'GIT_SSL_CAINFO',
    'GIT_HTTP_LOW_SPEED_LIMIT',
    'GIT_PROXY_SSL_CERT',
    'LANGUAGES',
    'X_LANG',
    'MY_PAGER',
    'NOT_GIT_DIR',
  ],
])('git gets %s', (name) => {
  expect(gitEnvironment({ [name]: 'x' }, [])).toHaveProperty(name, 'x');
});

test.each([
  ...[
    'git_dir',
    'GIT_CONFIG',
    'GIT_CONFIG_KEY_X',
    'GIT_ASKPASS_',
    'GIT_X_SSH',
    'GIT_SSH_OTHER',
    'GIT_SSL_',
    'GIT_EXEC_PATH',
  ],
  ...['LANG', 'LANGUAGE', 'LC_TIME', 'PAGER'],
])('git does not get %s', (name) => {
  expect(gitEnvironment({ [name]: 'x' }, [])).not.toHaveProperty(name);
});

/** A repository could set each of these. */
const HOSTILE = {
  'core.hookspath': '.hooks',
  'core.fsmonitor': './run',
  'core.askpass': './run',
  'core.alternaterefscommand': './run',
  'core.pager': './run',
  'diff.external': './run',
  'gc.auto': '1',
  'maintenance.auto': 'true',
  'log.showsignature': 'true',
  'protocol.ext.allow': 'always',
  'fetch.recursesubmodules': 'true',
  'push.recursesubmodules': 'on-demand',
  'push.followtags': 'true',
  'push.gpgsign': 'true',
  'color.ui': 'always',
};

test('no setting of a repository starts a program, works on more than is asked, or changes the form of answers', async () => {
  const { root, read, write } = createRepository();
  const sections = Object.entries(HOSTILE).map(([name, value]) => {
    const [section, key] = [name.slice(0, name.lastIndexOf('.')), name.slice(name.lastIndexOf('.') + 1)];
    return `[${section.replace(/\.(.*)/, ' "$1"')}]\n\t${key} = ${value}\n`;
  });
  write('.git/config', read('.git/config') + sections.join(''));
  const run = await runGit(callerIn(root), { args: ['config', '--list', '--null'] });
  const listed = (run.kind === 'done' ? run.stdout.toString() : '').split('\0').map((one) => one.split('\n'));
  const effective = new Map(listed.map(([name = '', value = '']) => [name, value]));
  expect(listed.filter(([name = '']) => name in HOSTILE)).toHaveLength(2 * Object.keys(HOSTILE).length);
  expect(Object.fromEntries(Object.keys(HOSTILE).map((name) => [name, effective.get(name)]))).toEqual({
    // No folder, so no hook.
    'core.hookspath': '/dev/null',
    'core.fsmonitor': 'false',
    'core.askpass': '',
    // A program that does nothing: git would start an empty one.
    'core.alternaterefscommand': 'true',
    'core.pager': 'cat',
    'diff.external': '',
    'gc.auto': '0',
    'maintenance.auto': 'false',
    'log.showsignature': 'false',
    'protocol.ext.allow': 'never',
    'fetch.recursesubmodules': 'false',
    'push.recursesubmodules': 'no',
    'push.followtags': 'false',
    'push.gpgsign': 'false',
    'color.ui': 'false',
  });
});

test('git is looked for in absolute folders only', () => {
  expect(gitEnvironment({ PATH: '/usr/bin::.:bin:/bin' }, [])['PATH']).toBe('/usr/bin:/bin');
  expect(gitEnvironment({}, [])).not.toHaveProperty('PATH');
});
