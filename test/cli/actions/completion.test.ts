/** The candidates of the command line, which the scripts of the shells ask for. */

import { describe, expect, test } from 'vitest';
import { allCommands } from '../../../src/cli/commands/all-commands.ts';
import { expectNext } from '../../../src/cli/actions/completion.ts';
import { createProgram } from '../../../src/cli/line/program.ts';
import { runCli } from '../../helpers/run.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const FILES = {
  'flagwright.yaml': 'projects: { local: { service: embedded }, staging: { service: embedded } }\n',
  'flags/a.yaml': 'flags: { checkout: {}, check-out-2: {}, search: {}, "a$(b)": {} }\n',
  'plan.json': '{}',
};

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

  test('are those that continue the word', async () => {
    const { root } = createWorkspace(FILES);
    const found = await candidates(root, 'flags', 'e');
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((line) => !/^e\S*\t\S/.test(line))).toEqual([]);
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
