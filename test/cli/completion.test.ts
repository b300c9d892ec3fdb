/** Completion in real shells with the built command: bash always, zsh and fish where they are installed. */

import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const BIN = path.resolve(import.meta.dirname, '../../dist/cli/bin.js');
const FILES = {
  'flagwright.yaml': 'projects: { local: { service: embedded }, staging: { service: embedded } }\n',
  'flags/a.yaml': 'flags: { checkout: {}, check-out-2: {}, search: {}, "a$(b)": {} }\n',
  'plan.json': '{}',
};

function hasShell(name: string): boolean {
  return spawnSync(name, ['-c', 'true']).status === 0;
}

/** The answers of bash to lines; the last word of each is completed. */
function completeInBash(...lines: (readonly string[])[]): (readonly string[])[] {
  const workspace = createWorkspace({
    ...FILES,
    '.bin/flagwright': `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`,
  });
  chmodSync(path.join(workspace.root, '.bin/flagwright'), 0o755);
  const asks = lines.map((words) => {
    const quoted = words.map((word) => `'${word}'`).join(' ');
    return `COMP_WORDS=(flagwright ${quoted}); COMP_CWORD=${words.length}; _flagwright flagwright\nprintf '%s\\n' "\${COMPREPLY[@]}" ===`;
  });
  const { stdout, stderr, status } = spawnSync(
    'bash',
    ['-c', `eval "$(flagwright completion bash)"\n${asks.join('\n')}`],
    {
      cwd: workspace.root,
      env: { PATH: `${path.join(workspace.root, '.bin')}:${process.env['PATH'] ?? ''}`, HOME: workspace.root },
      encoding: 'utf8',
    },
  );
  expect([status, stderr]).toEqual([0, '']);
  return stdout
    .split('===\n')
    .slice(0, -1)
    .map((text) => text.split('\n').filter((line) => line !== ''));
}

test('bash completes commands, options, formats, projects, flag keys and files', () => {
  const answers = completeInBash(
    ['pl'],
    ['plan', '--det'],
    ['plan', '-f', 'j'],
    ['plan', '--format', '=', 'm'],
    ['-p', 's'],
    ['plan', '--target', 'che'],
    ['plan', '--target', 'search', 'check-'],
    ['apply', 'pla'],
    ['flags', 'evaluation-'],
    ['flags', 'get', 'sea'],
    ['completion', ''],
    ['nosuch', '--nothing', ''],
  );
  expect(answers).toEqual([
    ['plan'],
    ['--detailed-exitcode'],
    ['json', 'junit'],
    ['markdown', 'message'],
    ['staging'],
    ['check-out-2', 'checkout'],
    ['check-out-2'],
    ['plan.json'],
    ['evaluation-reasons'],
    ['search'],
    ['bash', 'zsh', 'fish', 'candidates'],
    expect.arrayContaining(['plan', 'apply']),
  ]);
});

test.each(['zsh', 'fish'])('the script for %s is one that the shell can read', async (shell) => {
  const { root } = createWorkspace();
  const { code, stdout } = await runCli(['completion', shell], { cwd: root });
  expect([code, stdout]).toEqual([0, expect.stringContaining('flagwright completion candidates --') as string]);
  if (!hasShell(shell)) return;
  const { status, stderr } = spawnSync(shell, [shell === 'fish' ? '--no-execute' : '-n', '/dev/stdin'], {
    input: stdout,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
});
