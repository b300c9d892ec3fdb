/** Completion in real shells with the built command: bash always, zsh and fish where they are installed. */

import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { allCommands } from '../../src/cli/commands/all-commands.ts';
import { expectNext } from '../../src/cli/line/candidates.ts';
import { createProgram } from '../../src/cli/line/program.ts';
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
    ['markdown'],
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

describe('the candidates', () => {
  async function candidates(cwd: string, ...words: string[]): Promise<readonly string[]> {
    const ran = await runCli(['completion', 'candidates', '--', ...words], { cwd });
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    return ran.stdout.split('\n').filter((line) => line !== '');
  }

  test('have descriptions, and words with = keep the option', async () => {
    const { root } = createWorkspace(FILES);
    expect(await candidates(root, 'val')).toEqual([
      'validate\tcheck the configuration, the manifests and the test files offline',
    ]);
    expect(await candidates(root, 'plan', '--format=js')).toEqual(['--format=json\t']);
    expect(await candidates(root, 'plan', '--out', '')).toEqual([':files']);
  });

  test('name no project or flag that a shell would execute, and none if the configuration is wrong', async () => {
    const { root, write } = createWorkspace(FILES);
    expect(await candidates(root, 'plan', '-p', '')).toEqual(['local\t', 'staging\t']);
    expect(await candidates(root, 'plan', '--target', '')).toEqual(['check-out-2\t', 'checkout\t', 'search\t']);
    write('other.yaml', 'projects: { elsewhere: { service: embedded } }\n');
    expect(await candidates(root, '-c', 'other.yaml', 'plan', '-p', '')).toEqual(['elsewhere\t']);
    write('flagwright.yaml', 'projects: [');
    expect(await candidates(root, 'plan', '-p', '')).toEqual([]);
    expect(await candidates(root, 'plan', '--target', '')).toEqual([]);
  });

  test('contain every option and every command that the help lists', async () => {
    const known = await allCommands(['flags', 'persons', 'role-access', 'cohorts', 'early-access']);
    const program = createProgram(known, () => undefined);
    const visit = (command: typeof program, words: readonly string[]): void => {
      const help = command.createHelp();
      const options = new Set(expectNext(program, [...words, '-']).candidates.map(({ text }) => text));
      const listed = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
      for (const { long } of listed) expect(options, words.join(' ')).toContain(long);
      const children = help.visibleCommands(command).map((child) => child.name());
      const offered = expectNext(program, [...words, '']).candidates.map(({ text }) => text);
      expect(offered).toEqual(expect.arrayContaining(children));
      for (const child of command.commands) visit(child as typeof program, [...words, child.name()]);
    };
    visit(program, []);
  });
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
