import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli, type Ran } from '../../helpers/run.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const MANIFEST = 'flags:\n  a: { active: true }\n';
const NOTE = 'using the project local of the embedded service (.flagwright/local.db)';

describe('a project of the embedded service without data', () => {
  test.each([
    [['plan'], 0],
    [['drift'], 2],
    [['flags', 'list'], 0],
    [['flags', 'get', 'none'], 1],
    [['persons', 'list'], 0],
    [['history'], 0],
    [['apply'], 4],
    [['apply', '--yes', '--target', 'none'], 1],
    [['undo', '--yes'], 1],
    [['export', '--dir', 'out'], 0],
  ])('%j says which project it uses, and creates no data', async (argv, code) => {
    const root = folder();
    const ran = await at(root, ...argv);
    expect(ran).toMatchObject({ code, stderr: expect.stringContaining(NOTE) as string });
    expect(existsSync(path.join(root, '.flagwright'))).toBe(false);
  });

  test.each([[['apply', '--yes']], [['persons', 'create', '--set', 'a=1']]])(
    '%j creates the data, which the next run reads',
    async (argv) => {
      const root = folder();
      expect((await at(root, ...argv)).code).toBe(0);
      expect(existsSync(path.join(root, '.flagwright/local.db'))).toBe(true);
      expect(existsSync(path.join(root, '.flagwright/.gitignore'))).toBe(true);
      if (argv[0] === 'apply') expect((await at(root, 'drift')).code).toBe(0);
      else expect((await at(root, 'persons', 'list', '-f', 'json')).stdout).toContain('"a"');
    },
  );

  test('needs no note with --quiet or with a configuration', async () => {
    const root = folder();
    expect((await at(root, 'plan', '--quiet')).stderr).toBe('');
    writeFileSync(path.join(root, 'flagwright.yaml'), 'manifests: [flags/*.yaml]\n');
    expect((await at(root, 'plan')).stderr).toBe('');
  });
});

function folder(): string {
  return createWorkspace({ 'flags/a.yaml': MANIFEST }).root;
}

async function at(root: string, ...argv: string[]): Promise<Ran> {
  return runCli(argv, { cwd: root });
}
