/** `generate` and `export --format openfeature`: what they write, check and refuse. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, type Ran } from '../helpers/run.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';

const CONFIG = `projects:
  production: { host: https://eu.posthog.com, project_id: '1' }
  local: { service: embedded }
`;
const CHECKOUT = `flags:
  checkout:
    description: One page
    filters:
      groups: [{ rollout_percentage: 100 }]
      multivariate: { variants: [{ key: one-page, rollout_percentage: 100 }] }
      payloads: { one-page: { steps: 1 } }
`;
const SEARCH = 'flags:\n  search: { rollout_percentage: 10, only_in: [local] }\n';

function folder(files: Readonly<Record<string, string>> = {}): Workspace {
  return createWorkspace({ 'flagwright.yaml': CONFIG, 'flags/a.yaml': CHECKOUT, 'flags/b.yaml': SEARCH, ...files });
}

async function generate({ root }: Workspace, ...more: readonly string[]): Promise<Ran> {
  return runCli(['generate', 'typescript', '--sdk', 'posthog-js', '--out', 'src/flags.ts', ...more], { cwd: root });
}

describe('generate', () => {
  it('writes the same module wherever the flags are declared', async () => {
    const [apart, together] = [folder(), folder()];
    together.write('flags/a.yaml', SEARCH + CHECKOUT.replace('flags:\n', ''));
    together.write('flags/b.yaml', '');
    for (const workspace of [apart, together]) expect(await generate(workspace)).toMatchObject({ code: 0 });
    expect(apart.read('src/flags.ts')).toBe(together.read('src/flags.ts'));
    expect(apart.read('src/flags.ts')).toContain('/** Only in local. */');
  });

  it('writes the flags of the project that is named', async () => {
    const workspace = folder();
    await generate(workspace, '--project', 'production');
    expect(workspace.read('src/flags.ts')).not.toContain('search');
  });

  it('reports the file as a document', async () => {
    const { document } = await generate(folder(), '--format', 'json');
    expect(document()).toMatchObject({ files: [{ file: 'src/flags.ts', status: 'written' }] });
  });

  it('replaces a module that it wrote, keeps one that is current, and refuses other files', async () => {
    const workspace = folder();
    await generate(workspace);
    expect((await generate(workspace)).stdout).toBe('= current  src/flags.ts\n');
    workspace.write('flags/b.yaml', SEARCH.replace('search', 'find'));
    expect((await generate(workspace)).stdout).toBe('~ edited   src/flags.ts\n');
    expect(workspace.read('src/flags.ts')).toContain("'find'");
    workspace.write('src/flags.ts', 'export const mine = 1;\n');
    for (const more of [[], ['--check']]) {
      const { code, stderr } = await generate(workspace, ...more);
      expect(code).toBe(4);
      expect(stderr).toContain('flagwright did not write src/flags.ts');
    }
    expect(workspace.read('src/flags.ts')).toBe('export const mine = 1;\n');
  });

  it('refuses a folder in place of the file', async () => {
    expect(await generate(folder({ 'src/flags.ts/a': '' }))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Cannot read src/flags.ts: it is a folder.') as string,
    });
  });

  it('takes Windows line ends for the same module', async () => {
    const workspace = folder();
    await generate(workspace);
    workspace.write('src/flags.ts', workspace.read('src/flags.ts').replaceAll('\n', '\r\n'));
    expect(await generate(workspace, '--check')).toMatchObject({ code: 0 });
  });

  it('checks without writing, and shows what differs', async () => {
    const workspace = folder();
    const missing = await generate(workspace, '--check');
    expect(missing).toMatchObject({ code: 2, stdout: '+ to write src/flags.ts\n' });
    expect(missing.stderr).toMatch(/^src\/flags\.ts is not current\. Run the command without --check\.$/m);
    expect(missing.stderr).toContain("+export const checkout: FlagAccessor<'checkout'>");
    expect(existsSync(path.join(workspace.root, 'src'))).toBe(false);
    await generate(workspace);
    const before = workspace.read('src/flags.ts');
    workspace.write('flags/a.yaml', CHECKOUT.replaceAll('one-page', 'single'));
    const differs = await generate(workspace, '--check');
    expect(differs).toMatchObject({ code: 2, stdout: '~ to edit  src/flags.ts\n' });
    expect(differs.stderr).toContain(
      "-    readonly value: 'one-page' | false;\n+    readonly value: 'single' | false;\n",
    );
    expect(workspace.read('src/flags.ts')).toBe(before);
  });

  it('cuts a long difference', async () => {
    const many = Array.from({ length: 100 }, (_, index) => `  flag-${index}: { rollout_percentage: 1 }\n`);
    const { stderr } = await generate(folder({ 'flags/many.yaml': `flags:\n${many.join('')}` }), '--check');
    expect(stderr).toMatch(/… and \d+ more lines\n/);
  });

  it('says what it cannot type, and never writes an encrypted payload', async () => {
    const workspace = folder({
      'flags/c.yaml': `flags:
  secret:
    filters: { groups: [], payloads: { 'true': { password: hunter2 } } }
    fields: { has_encrypted_payloads: true }
  bare: { active: true }
  new-page: { rollout_percentage: 1 }
  new_page: { rollout_percentage: 1 }
`,
    });
    const { code, stderr } = await generate(workspace);
    expect(code).toBe(0);
    expect(stderr.split('\n').filter((line) => line !== '')).toEqual([
      'note  The flags new-page, new_page would all be named newPage; their names are "new$page" and "new_page".',
      'note  The manifests do not decide what these flags answer, so each is a string or a boolean: bare.',
      'note  The payloads of these flags are encrypted, so their type is unknown: secret.',
    ]);
    expect(workspace.read('src/flags.ts')).not.toMatch(/hunter2|password/);
  });

  it('refuses manifests with errors, with their places', async () => {
    const workspace = folder({ 'flags/b.yaml': 'flags:\n  search: { active: 7 }\n' });
    const { code, stderr } = await generate(workspace);
    expect(code).toBe(1);
    expect(stderr).toContain('flags/b.yaml:2:13');
    expect(existsSync(path.join(workspace.root, 'src'))).toBe(false);
  });

  it.each([
    [['generate', 'typescript', '--sdk', 'posthog-js'], '--out <file>'],
    [['generate', 'typescript', '--out', 'a.ts'], '--sdk <sdk>'],
    [['generate', 'go', '--sdk', 'posthog-js', '--out', 'a.ts'], 'typescript'],
    [['generate', 'typescript', '--sdk', 'other', '--out', 'a.ts'], 'openfeature-server'],
  ])('refuses %j', async (argv, named) => {
    const { code, stderr } = await runCli(argv, { cwd: folder().root });
    expect(code).toBe(1);
    expect(stderr).toContain(named);
  });
});

describe('export --format openfeature', () => {
  const run = async ({ root }: Workspace, ...more: readonly string[]): Promise<Ran> =>
    runCli(['export', '--format', 'openfeature', ...more], { cwd: root });

  it('prints the declared flags, and names what is missing', async () => {
    const { code, document, stderr } = await run(folder({ 'flags/c.yaml': 'flags:\n  bare: { active: true }\n' }));
    expect(code).toBe(0);
    expect(document()).toEqual({
      $schema: 'https://raw.githubusercontent.com/open-feature/cli/main/schema/v0/flag-manifest.json',
      flags: {
        bare: { flagType: 'boolean', defaultValue: false },
        checkout: { flagType: 'string', defaultValue: '', description: 'One page' },
        search: { flagType: 'boolean', defaultValue: false },
      },
    });
    expect(stderr.split('\n').filter((line) => line !== '')).toEqual([
      'note  The format has no list of variants, so these flags are strings, and "" is off: checkout.',
      'note  These flags do not always answer a variant, so they are booleans: whether the flag is on: bare.',
      'note  The format has one value for each flag, so the payloads of these flags are missing: bare, checkout.',
    ]);
  });

  it('names the keys of which the CLI of OpenFeature cannot make names', async () => {
    const flags = ['2024-sale', 'dark-mode', 'dark_mode', 'darkMode2'].map(
      (key) => `  ${key}: { active: true, rollout_percentage: 5 }\n`,
    );
    const { code, stderr } = await run(folder({ 'flags/c.yaml': `flags:\n${flags.join('')}` }));
    expect(code).toBe(0);
    expect(stderr).toContain('cannot generate code for these flags: 2024-sale.');
    expect(stderr).toContain('reads one of the flags only: dark-mode, dark_mode.');
  });

  it('writes it to a file', async () => {
    const workspace = folder();
    expect(await run(workspace, '--output', 'flags.json')).toMatchObject({ code: 0, stdout: '' });
    expect(JSON.parse(workspace.read('flags.json'))).toHaveProperty('flags.checkout');
  });

  it.each([
    [['--merge'], '--merge and --format openfeature cannot be used together.'],
    [['--dry-run'], '--dry-run and --format openfeature cannot be used together.'],
    [['--report', 'json=report.json'], 'The format openfeature cannot be used together with another format.'],
  ])('refuses %j', async (more, problem) => {
    const { code, stderr } = await run(folder(), ...more);
    expect(code).toBe(1);
    expect(stderr).toContain(problem);
  });

  it('is no format of another command', async () => {
    expect((await runCli(['plan', '--format', 'openfeature'], { cwd: folder().root })).code).toBe(1);
  });
});
