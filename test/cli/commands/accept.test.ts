// @module-tag untimely
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRepository, GIT_ENV } from '../../helpers/repository.ts';
import { runCli, type Ran, type RunOptions } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import { openWorld, type World } from '../../helpers/world.ts';
import { rolledOut } from '../../helpers/states.ts';

const MANIFEST = `# Checkout.
flags:
  checkout-new:
    description: New checkout # short
    active: true
    rollout_percentage: 10
  checkout-old:
    active: true
`;

interface Project {
  readonly world: World;
  readonly root: string;
  readonly run: (argv: readonly string[], options?: Partial<RunOptions>) => Promise<Ran>;
  readonly manifest: () => string;
}

/** An applied project, and a second one that is only configured. */
async function applied(manifest = MANIFEST): Promise<Project> {
  const world = await openWorld('posthog');
  const { root } = createWorkspace({
    'flagwright.yaml': `projects:
  production: { host: "${world.url}", project_id: "1" }
  staging: { host: "${world.url}", project_id: "2" }
default_project: production
`,
    'flags/checkout.yaml': manifest,
  });
  const run: Project['run'] = (argv, options = {}) =>
    runCli(argv, { cwd: root, env: { POSTHOG_API_KEY: 'phx_planted_key_0123456789' }, ...options });
  expect((await run(['apply', '--yes'])).code).toBe(0);
  return { world, root, run, manifest: () => readFileSync(path.join(root, 'flags/checkout.yaml'), 'utf8') };
}

const OVERLAID = MANIFEST.replace(
  'percentage: 10\n',
  'percentage: 10\n    projects:\n      production: { rollout_percentage: 25 }\n',
);

/** What a colleague saves. */
const SAVED = MANIFEST.replace('New checkout', 'Another checkout');

const ALIASED = `flags:
  checkout-new: { description: &text New, active: true, only_in: [production] }
  checkout-old: { description: *text, only_in: [production] }
`;

describe('accept', () => {
  test('writes what is live, so that nothing is left to plan, and says so in every format', async () => {
    const { world, run, manifest } = await applied();
    await world.edit('checkout-new', { filters: rolledOut(25) });
    const accepted = await run(['accept', '--yes', '--format', 'json']);
    expect(accepted).toMatchObject({ code: 0, stderr: '' });
    expect(schemaErrors('accept', accepted.document())).toEqual([]);
    expect(accepted.document()).toMatchObject({
      files: [{ file: 'flags/checkout.yaml', status: 'edited' }],
      accepted: [
        {
          key: 'checkout-new',
          changes: [
            {
              path: '/filters/groups/0/rollout_percentage',
              before: 10,
              after: 25,
              layer: 'project',
              place: { line: 8 },
            },
          ],
        },
      ],
    });
    expect(manifest()).toBe(OVERLAID);
    expect((await run(['plan', '--detailed-exitcode'])).code).toBe(0);
    expect(await run(['accept', '--yes'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Nothing to accept.') as string,
    });
  });

  test('a key that moved here only: a patch comes with what to write, and --layer project writes it', async () => {
    const { world, run, manifest } = await applied();
    await world.edit('checkout-old', { key: 'checkout-older' });
    const patch = await run(['accept', 'checkout-old', '--patch']);
    expect(patch.code).toBe(3);
    expect(patch.stderr).toContain('declare it apart for this one with --layer project:\n');
    expect(patch.stderr).toMatch(/^ +only_in: \[staging\]\n +checkout-older:\n/m);
    expect((await run(['accept', 'checkout-old', '--layer', 'project', '--yes'])).code).toBe(0);
    expect(manifest()).toMatch(/checkout-old:\n +active: true\n +only_in: \[staging\]\n +checkout-older:\n/);
    expect((await run(['plan', '--detailed-exitcode'])).code).toBe(0);
  });

  test('--patch prints what git apply makes the same files of, and writes nothing', async () => {
    const { world, root, run, manifest } = await applied();
    execFileSync('git', ['init', '-q'], { cwd: root });
    await world.edit('checkout-new', { filters: rolledOut(25) });
    const { code, stdout, stderr } = await run(['accept', '--patch']);
    expect({ code, stderr, manifest: manifest() }).toEqual({ code: 0, stderr: '', manifest: MANIFEST });
    execFileSync('git', ['apply', '-'], { cwd: root, input: stdout });
    expect(manifest()).toBe(OVERLAID);
  });

  test.each([
    ['conditions.7', 1],
    ['conditions.1', 0],
    ['payloads.true', 0],
    ['tags', 0],
  ])('refuses a place that no selected flag has: --only %s', async (only, code) => {
    const { run } = await applied();
    const ran = await run(['accept', '--only', only, '--yes']);
    expect(ran.code).toBe(code);
    if (code !== 0) expect(ran.stderr).toContain(`--only: no selected flag has "${only}", neither declared nor live.`);
  });

  test('shows the changes and asks', async () => {
    const { world, run, manifest } = await applied();
    await world.edit('checkout-new', { filters: rolledOut(25) });
    const refused = await run(['accept'], { answer: { line: 'no' } });
    expect(refused).toMatchObject({ code: 4, stdout: '' });
    expect(refused.stderr).toContain('+      production: { rollout_percentage: 25 }');
    expect(refused.stderr).toContain('Write these changes to 1 file?');
    expect(manifest()).toBe(MANIFEST);
    expect((await run(['accept'], { answer: { line: 'yes' } })).code).toBe(0);
    expect(manifest()).toBe(OVERLAID);
  });

  test('keeps a file that somebody saved while the question waited', async () => {
    const { world, root, run, manifest } = await applied();
    await world.edit('checkout-new', { filters: rolledOut(25) });
    const onStderr = (written: string): void => {
      if (written.includes('Write these changes')) writeFileSync(path.join(root, 'flags/checkout.yaml'), SAVED);
    };
    const { code, stdout, stderr } = await run(['accept'], { answer: { line: 'yes' }, onStderr });
    expect({ code, stdout, manifest: manifest() }).toEqual({ code: 1, stdout: '', manifest: SAVED });
    expect(stderr).toContain('flags/checkout.yaml changed while the command ran. No file was changed.');
  });

  test('writes no file if one is read-only', async () => {
    const { world, root, run, manifest } = await applied();
    writeFileSync(path.join(root, 'flags/a.yaml'), 'flags: { a: { active: true } }\n');
    expect((await run(['apply', '--yes'])).code).toBe(0);
    await world.edit('a', { active: false });
    await world.edit('checkout-new', { filters: rolledOut(25) });
    chmodSync(path.join(root, 'flags/checkout.yaml'), 0o444);
    const { code, stdout, stderr } = await run(['accept', '--yes']);
    expect({ code, stdout, manifest: manifest() }).toEqual({ code: 1, stdout: '', manifest: MANIFEST });
    expect(stderr).toContain('Cannot write flags/checkout.yaml: it is read-only. No file was changed.');
    expect(readFileSync(path.join(root, 'flags/a.yaml'), 'utf8')).toBe('flags: { a: { active: true } }\n');
    expect(readdirSync(path.join(root, 'flags')).toSorted()).toEqual(['a.yaml', 'checkout.yaml']);
  });

  test('changes nothing on a disk that is full or read-only', async (context) => {
    const { world, root, run, manifest } = await applied();
    await world.edit('checkout-new', { filters: rolledOut(25) });
    const disk = path.join(root, 'flags');
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      context.skip('Only root may make a small disk.');
    }
    onTestFinished(() => void execFileSync('umount', [disk]));
    writeFileSync(path.join(disk, 'checkout.yaml'), MANIFEST);
    expect(() => writeFileSync(path.join(disk, 'filler'), 'x'.repeat(16_000))).toThrow('ENOSPC');
    expect(await run(['accept', '--yes'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('Cannot write flags/checkout.yaml: the disk is full.') as string,
    });
    rmSync(path.join(disk, 'filler'));
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    const { code, stdout, stderr } = await run(['accept', '--yes']);
    expect({ code, stdout, manifest: manifest() }).toEqual({ code: 1, stdout: '', manifest: MANIFEST });
    expect(stderr).toContain('Cannot write flags/checkout.yaml: the disk is read-only.');
    expect(readdirSync(disk)).toEqual(['checkout.yaml']);
  });

  test('keeps a byte order mark, Windows line ends and tabs, and so does the patch', async () => {
    const written = (text: string): string =>
      `\u{feff}${text.replace(' # short', '\t# short').replaceAll('\n', '\r\n')}`;
    const { world, root, run, manifest } = await applied(written(MANIFEST));
    execFileSync('git', ['init', '-q'], { cwd: root });
    await world.edit('checkout-new', { filters: rolledOut(25), name: 'Newer' });
    const { stdout } = await run(['accept', '--patch', '--layer', 'base']);
    expect(await run(['accept', '--yes', '--layer', 'base'])).toMatchObject({ code: 0 });
    const accepted = written(MANIFEST.replace('New checkout', 'Newer').replace('10', '25'));
    expect(manifest()).toBe(accepted);
    writeFileSync(path.join(root, 'flags/checkout.yaml'), written(MANIFEST));
    execFileSync('git', ['apply', '-'], { cwd: root, input: stdout });
    expect(manifest()).toBe(accepted);
  });

  test('leaves what no edit can say, with the reason and the place, and exits with 3', async () => {
    const { world, run, manifest } = await applied(ALIASED);
    await world.edit('checkout-new', { active: false });
    await world.edit('checkout-old', { name: 'Older' });
    const ran = await run(['accept', '--yes']);
    expect(ran.code).toBe(3);
    expect(ran.stdout).toContain(
      'checkout-old (flags/checkout.yaml:3) was left as it is: the value comes from an alias (alias).',
    );
    expect(manifest()).toBe(ALIASED.replace('active: true', 'active: false'));
  });

  test('takes only the named flags and fields', async () => {
    const { world, run, manifest } = await applied();
    await world.edit('checkout-new', { filters: rolledOut(25), name: 'Newer' });
    await world.edit('checkout-old', { active: false });
    expect((await run(['accept', 'checkout-new', '--only', 'description', '--layer', 'base', '--yes'])).code).toBe(0);
    expect(manifest()).toBe(MANIFEST.replace('New checkout #', 'Newer #'));
    expect((await run(['accept', '--target', 'checkout-o*', '--layer', 'base', '--yes'])).code).toBe(0);
    expect(manifest()).toContain('checkout-old:\n    active: false\n');
  });

  test('--unmanaged declares flags beside those with their prefix', async () => {
    const { world, run, manifest } = await applied();
    await world.client.createFlag({ key: 'checkout-next', name: 'Next', active: true, filters: rolledOut(5) });
    expect(await run(['accept', '--unmanaged', 'checkout-*', '--yes'])).toMatchObject({ code: 0 });
    expect(manifest().startsWith(MANIFEST)).toBe(true);
    expect(manifest()).toContain('  checkout-next:\n');
    expect(manifest()).toContain('only_in: [production]');
    expect((await run(['drift', '--unmanaged'])).code).toBe(0);
  });

  test('leaves what git changed and no apply has written, except with --pending', async () => {
    const world = await openWorld('posthog');
    const config = `projects:\n  production: { host: "${world.url}", project_id: "1" }\n`;
    const repository = createRepository({ 'flagwright.yaml': config, 'flags/checkout.yaml': MANIFEST });
    const run = (...argv: string[]): Promise<Ran> =>
      runCli(argv, { cwd: repository.root, env: { ...GIT_ENV, POSTHOG_API_KEY: 'phx_planted_key_0123456789' } });
    expect((await run('apply', '--yes')).code).toBe(0);
    repository.commit({ 'flags/checkout.yaml': MANIFEST.replace('New checkout', 'Newer checkout') });
    await world.edit('checkout-new', { filters: rolledOut(25) });
    const accepted = await run('accept', '--yes', '--format', 'json');
    expect(schemaErrors('accept', accepted.document())).toEqual([]);
    expect(accepted.document()).toMatchObject({
      base: { kind: 'commit' },
      accepted: [{ key: 'checkout-new', changes: [{ divergence: 'drifted', attribution: { kind: 'known' } }] }],
      pending: [{ key: 'checkout-new', paths: ['/name'] }],
    });
    const markdown = await run('accept', '--yes', '--format', 'markdown');
    expect(markdown.stdout).toContain('Not accepted: git changed them after the last apply');
    expect((await run('accept', '--pending', '--yes')).stdout).toContain('"Newer checkout" → "New checkout"');
  });

  test.each([
    [['accept', '--only', 'nothing.like.this'], '--only:'],
    [['accept', '--unmanaged'], '--unmanaged needs the keys'],
    [['accept', '--unmanaged', 'a', '--pending'], '--unmanaged and --pending cannot be used together.'],
    [['accept', 'unknown-flag'], '"unknown-flag" matches no flag that the manifests declare'],
    [['accept', '--unmanaged', 'unknown-flag'], '"unknown-flag" matches no flag that is in scope in the project'],
    [['accept', '--unmanaged', 'checkout-new'], 'and that no manifest declares'],
  ])('%j is refused', async (argv, message) => {
    const { run } = await applied();
    const { code, stderr } = await run(argv);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) as string });
  });
});
