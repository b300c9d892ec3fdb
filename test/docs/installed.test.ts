/**
 * The package as others install it: the steps of the Dockerfile in a root of its own, where nothing is but the system, Node and the
 * package, and the hook for pre-commit with the command that was installed.
 */

import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createRepository } from '../helpers/repository.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
/** The instructions of the Dockerfile, in order. */
const STEPS = [
  ...read('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', '')
    .matchAll(/^([A-Z]+) (.+)$/gm),
].map(([, name = '', rest = '']) => ({ name, rest }));
const only = (name: string): string => STEPS.filter((step) => step.name === name).map(({ rest }) => rest)[0] ?? '';
const BROKEN = 'flags:\n  a: { active: maybe }\n';
const SOUND = 'flags:\n  a: { active: true }\n';

/** As Debian lays it out; a root that has no folders for them has links. */
const SYSTEM = ['bin', 'lib', 'lib64', 'etc', 'usr/bin', 'usr/lib', 'usr/share', 'dev', 'proc'];
const isRoot = spawnSync('unshare', ['--mount', 'true']).status === 0 && process.getuid?.() === 0;

let folder = '';
let tarball = '';
let registry = '';
/** The package, installed by the npm of this machine, which fills the cache: the steps of the Dockerfile ask no registry. */
const inFolder = (name: string): string => path.join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flagwright-installed-'));
  registry = npm('config', 'get', 'registry');
  npm('pack', '--ignore-scripts', '--pack-destination', folder);
  tarball = readdirSync(folder).find((file) => file.endsWith('.tgz')) ?? '';
  const where = ['--prefix', inFolder('node_env'), '--cache', inFolder('cache')];
  npm('install', '--global', ...where, '--ignore-scripts', '--no-audit', inFolder(tarball));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the Dockerfile', () => {
  test('has an exact base, is not root at its end, and starts the command', () => {
    expect(only('FROM')).toMatch(/^node:\d+\.\d+\.\d+-\w+-slim$/);
    expect(STEPS.findLast(({ name }) => ['USER', 'RUN'].includes(name))).toEqual({ name: 'USER', rest: 'node' });
    expect(JSON.parse(only('ENTRYPOINT'))).toEqual(['flagwright']);
    expect(STEPS.find(({ rest }) => rest.includes('apt-get install'))?.rest).toMatch(
      /--no-install-recommends ca-certificates git /,
    );
  });

  test('takes only the packed file from its folder', () => {
    expect(read('.dockerignore')).toBe('*\n!flagwright-*.tgz\n');
    expect(tarball).toMatch(/^flagwright-.*\.tgz$/);
    expect(only('COPY')).toBe('flagwright-*.tgz /opt/flagwright/');
  });

  describe.runIf(isRoot)('in a clean root', () => {
    beforeAll(() => {
      buildRoot();
      for (const { name, rest } of STEPS) {
        if (name === 'COPY') inRoot(0, `mkdir -p /opt/flagwright && cp /packed/${tarball} /opt/flagwright/`);
        if (name !== 'RUN' || rest.startsWith('apt-get')) continue;
        const { status, stderr } = inRoot(0, rest);
        expect(status, stderr).toBe(0);
      }
    });

    const work = (command: string, user = 1000): SpawnSyncReturns<string> =>
      inRoot(user, `cd ${only('WORKDIR')} && ${command}`);
    const entry = (...args: string[]): string => [...(JSON.parse(only('ENTRYPOINT')) as string[]), ...args].join(' ');

    test('leaves nothing of the installation behind', () => {
      expect(inRoot(0, 'ls /opt').stdout).toBe('');
    });

    test('the command runs as a user without a home', () => {
      const [command = ''] = JSON.parse(only('CMD')) as string[];
      expect(work(entry(command))).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('Usage: flagwright'),
      });
      expect(work(entry('--version')).stdout).toBe(`${JSON.parse(read('package.json')).version}\n`);
      expect(work('flagwright-ci nothing', 1000).status).not.toBe(127);
    });

    test('in a mounted repository of somebody else, the variables of docs/docker.md make git trust the folder', () => {
      const commit = 'git add -A && git -c user.name=a -c user.email=a@example.org commit --quiet --message flags';
      const ran = work(
        `git init --quiet . && mkdir flags && printf '${SOUND.replaceAll('\n', '\\n')}' > flags/a.yaml && ${commit}`,
      );
      expect(ran.status, ran.stderr).toBe(0);
      const page = read('docs/docker.md');
      const variables = [...page.matchAll(/--env (GIT_CONFIG_\S+)/g)].map(([, variable]) => variable).join(' ');
      expect(work(entry('plan'), 1001).stdout).toContain('dubious ownership');
      expect(work(`env ${variables} ${entry('plan')}`, 1001).stdout).not.toContain('dubious ownership');
    });

    test('in one of its user, it applies and finds what was applied', () => {
      expect(work(entry('apply', '--yes', '--quiet'))).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('✓ + create  a'),
      });
      expect(work(entry('plan')).stdout).toContain('In sync: 1 flag matches the manifests');
    });
  });
});

test('the hook of pre-commit runs the installed command, and fails with the place of a mistake', () => {
  const [hook] = parse(read('.pre-commit-hooks.yaml')) as [{ entry: string; files: string; [member: string]: unknown }];
  expect(hook).toMatchObject({ id: 'flagwright-validate', language: 'node', pass_filenames: false });
  const repository = createRepository({ 'flags/a.yaml': BROKEN });
  const run = (): SpawnSyncReturns<string> => {
    const [command = '', ...args] = hook.entry.split(' ');
    const env = { PATH: `${inFolder('node_env/bin')}:${path.dirname(process.execPath)}:/usr/bin:/bin`, HOME: folder };
    return spawnSync(command, args, { cwd: repository.root, env, encoding: 'utf8' });
  };
  expect(run()).toMatchObject({ status: 1, stdout: expect.stringContaining('flags/a.yaml:2:8  error') });
  repository.write('flags/a.yaml', SOUND);
  expect(run()).toMatchObject({ status: 0, stdout: '1 flag in 1 file: no problems\n' });
  expect(repository.git('status', '--short')).toBe('M flags/a.yaml');
  const starts = ['flags/a.yaml', 'infra/flags/b/c.yml', 'tests/a.yaml', 'flagwright.yaml', 'exceptions.yaml'];
  expect(starts.filter((file) => new RegExp(hook.files).test(file))).toEqual(starts);
  expect(['README.md', 'src/flags.ts', 'my-flags.yaml'].filter((file) => new RegExp(hook.files).test(file))).toEqual(
    [],
  );
});

function npm(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Empty folders, into which each call mounts what the base of the Dockerfile has: a system and Node in /usr/local. */
function buildRoot(): void {
  const folders = [
    ...SYSTEM,
    'usr/local/bin',
    'usr/local/lib/node_modules/npm',
    'opt',
    'packed',
    'root',
    'tmp',
    'work',
  ];
  for (const name of folders) mkdirSync(path.join(folder, 'root', name), { recursive: true });
  spawnSync('chown', ['1000:1000', path.join(folder, 'root/work')]);
}

/** In a mount namespace of its own, which ends with the command. Nothing of this environment gets in. */
function inRoot(user: number, command: string): SpawnSyncReturns<string> {
  const root = path.join(folder, 'root');
  const program = spawnSync('which', ['npm'], { encoding: 'utf8' }).stdout.trim();
  const script = `set -e
    bind() { [ ! -e "$1" ] || mount --rbind "$1" "${root}/$2"; }
    for name in ${SYSTEM.join(' ')}; do bind "/$name" "$name"; done
    touch "${root}/usr/local/bin/node"
    bind "${process.execPath}" usr/local/bin/node
    bind "${path.resolve(realpathSync(program), '../..')}" usr/local/lib/node_modules/npm
    ln -sf ../lib/node_modules/npm/bin/npm-cli.js "${root}/usr/local/bin/npm"
    bind "${folder}" packed
    exec chroot --userspec=${user}:${user} "${root}" /bin/sh -c "$COMMAND"`;
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    HOME: user === 0 ? '/root' : '/nonexistent',
    COMMAND: command,
    npm_config_cache: '/packed/cache',
    npm_config_offline: 'true',
    npm_config_registry: registry,
  };
  return spawnSync('unshare', ['--mount', '--propagation', 'private', 'bash', '--norc', '-c', script], {
    env,
    encoding: 'utf8',
  });
}
