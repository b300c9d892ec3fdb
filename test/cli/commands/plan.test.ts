import { describe, expect, test } from 'vitest';
import { schemaErrors } from '../../helpers/schemas.ts';
import { keysOf, stage } from '../../helpers/stage.ts';

describe('plan', () => {
  test('shows changes, writes nothing, exits with 0', async () => {
    const { run, world } = await stage();
    const { code, stdout, stderr } = await run('plan');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^ {2}\+ create {2}checkout {2}flags\/main\.yaml:2:3$/m);
    expect(stdout).toMatch(/\nPlan: 2 to create · 0 unchanged\n$/);
    expect(await keysOf(world)).toEqual([]);
  });

  test('as JSON fits the schema, and stdout contains nothing else', async () => {
    const { run } = await stage();
    const { code, document } = await run('plan', '--format', 'json');
    expect(code).toBe(0);
    expect(schemaErrors('plan', document())).toEqual([]);
  });

  test('with --detailed-exitcode exits with 2 for differences and with 0 without', async () => {
    const { run } = await stage();
    expect((await run('plan', '--detailed-exitcode')).code).toBe(2);
    await run('apply', '--yes');
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });

  test('limits itself to targets', async () => {
    const { run } = await stage();
    expect((await run('plan', '--target', 'check*')).stdout).toContain('Plan: 1 to create');
    expect((await run('plan', '--target', '{search,none}', 'checkout')).stdout).toContain('Plan: 2 to create');
  });

  test('as Markdown is a comment, which GitLab allows to be longer, and which has the diagnostics of a failure', async () => {
    const many = Array.from({ length: 900 }, (_, index) => `  flag-${index}: { description: ${'x'.repeat(100)} }`);
    const { runWith, run, workspace } = await stage(`flags:\n${many.join('\n')}\n`);
    const onGithub = (await run('plan', '-f', 'markdown')).stdout;
    expect(onGithub).toContain('**Plan: 900 to create · 0 unchanged**');
    expect(onGithub.length).toBeLessThanOrEqual(64_000);
    expect(onGithub).toContain('Shortened to fit a comment');
    const onGitlab = (await runWith({ env: { GITLAB_CI: 'true' } }, 'plan', '-f', 'markdown')).stdout;
    expect(onGitlab.match(/^\+ create/gm)).toHaveLength(900);
    expect(onGitlab).not.toContain('Shortened');
    workspace.write('flags/main.yaml', 'flags: { a: { active: 7 } }\n');
    expect((await run('plan', '-f', 'markdown', '-o', 'plan.md')).code).toBe(1);
    expect(workspace.read('plan.md')).toContain('flags/main.yaml:1:');
  });

  test('writes the document to --output and nothing to stdout', async () => {
    const { run, workspace } = await stage();
    expect((await run('plan', '-f', 'json', '-o', 'plan.json')).stdout).toBe('');
    expect(schemaErrors('plan', JSON.parse(workspace.read('plan.json')))).toEqual([]);
  });

  test('loses no document when --output cannot be written', async () => {
    const { run } = await stage();
    const { code, document, stderr } = await run('plan', '-f', 'json', '-o', 'nowhere/plan.json');
    expect(code).toBe(1);
    expect(schemaErrors('plan', document())).toEqual([]);
    expect(stderr).toContain('Cannot write nowhere/plan.json: no such file or folder.');
  });
});
