/** What the built command loads before it does its work: counted, since that is what a short run takes its time for. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cli } from '../helpers/cli.ts';
import { createWorkspace } from '../helpers/workspace.ts';

interface Loads {
  readonly files: readonly string[];
  readonly bytes: number;
  readonly builtin: readonly string[];
}

async function loadsOf(...argv: string[]): Promise<Loads> {
  const { root } = createWorkspace({
    'flags/a.yaml': 'flags:\n  a: { active: true }\n',
    'flagwright.yaml': 'projects: { local: { service: embedded } }\ndefault_project: local\n',
  });
  const file = path.join(root, 'loads.json');
  const recorder = path.join(import.meta.dirname, '../helpers/record-loads.cjs');
  const env = { LOADS_FILE: file, NODE_OPTIONS: `--require=${recorder}` };
  expect(await cli(argv, { cwd: root, env })).toMatchObject({ code: 0, stderr: '' });
  const { read, builtin } = JSON.parse(readFileSync(file, 'utf8')) as {
    read: { file: string; bytes: number }[];
    builtin: string[];
  };
  const bytes = read.reduce((sum, one) => sum + one.bytes, 0);
  return { files: read.map((one) => one.file), bytes, builtin };
}

test('the version needs only what starts the command', async () => {
  const { files, bytes } = await loadsOf('--version');
  expect(files).toEqual(['cli/bin.js']);
  expect(bytes).toBeLessThan(10_000);
});

test.each([[['--help']], [['plan', '--help']], [['help', 'flags']]])(
  '%s needs the texts of the build and no more',
  async (argv) => {
    expect((await loadsOf(...argv)).files).toEqual(['cli/bin.js', 'cli/help.json']);
  },
);

test('validate reads a sixth of the program, each file once, and leaves alone what it has no use for', async () => {
  const { files, bytes, builtin } = await loadsOf('validate');
  expect(new Set(files).size).toBe(files.length);
  expect(files.length).toBeLessThanOrEqual(24);
  expect(bytes).toBeLessThan(560_000);
  expect(files).not.toContain('cli/yaml.js');
  expect(files).not.toContain('cli/validators.js');
  const costly = ['child_process', 'crypto', 'http', 'https', 'tls'];
  expect(builtin.filter((name) => costly.includes(name))).toEqual([]);
});
