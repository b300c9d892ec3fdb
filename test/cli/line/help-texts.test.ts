/** The help that the build made is what the command line would print. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { allCommands } from '../../../src/cli/commands/all-commands.ts';
import { parseCommandLine } from '../../../src/cli/line/command-line.ts';
import { answerAtOnce, findHelp } from '../../../src/cli/line/version.ts';

const HELP = path.join(import.meta.dirname, '../../../dist/cli/help.json');
const { texts: TEXTS } = JSON.parse(readFileSync(HELP, 'utf8')) as { readonly texts: object };

test('every command has one', async () => {
  const { commands, groups } = await allCommands([]);
  const names = [...commands, ...groups].map(({ name }) => name);
  expect(Object.keys(TEXTS)).toEqual(
    expect.arrayContaining(['', ...names, 'help', 'flags list', 'persons update'].filter((name) => name !== 'help')),
  );
});

test.each(Object.keys(TEXTS))('flagwright %s --help, -h and help', async (words) => {
  const names = words.split(' ').filter((word) => word !== '');
  const forms = [
    [...names, '--help'],
    [...names, '-h'],
    ['help', ...names],
  ];
  for (const argv of words === '' ? [...forms, []] : forms) {
    expect({ kind: 'print', text: findHelp(argv, undefined) }).toEqual(parseCommandLine(argv, await allCommands(argv)));
  }
});

test.each<[string, string[], number | undefined]>([
  ['a command that does not exist', ['plam', '--help'], undefined],
  ['a name that every object has', ['constructor', '--help'], undefined],
  ['another option', ['plan', '--prune', '--help'], undefined],
  ['a run', ['plan'], undefined],
  ['a wide terminal', ['plan', '--help'], 132],
])('there is none for %s', (_, argv, columns) => {
  expect(findHelp(argv, columns)).toBe(undefined);
});

test.each<[string[], (text: string | undefined) => boolean]>([
  [['--version'], (text) => /^\d+\.\d+\.\d+\n$/.test(text ?? '')],
  [['-V'], (text) => /^\d+\.\d+\.\d+\n$/.test(text ?? '')],
  [['plan', '--help'], (text) => text === findHelp(['plan', '--help'], 80)],
  [[], (text) => text === findHelp([], 80)],
  [['--version', '--help'], (text) => text === undefined],
  [['plan', '-V'], (text) => text === undefined],
  [['plan'], (text) => text === undefined],
])('%j is answered at once, or by the program', (argv, isAnswer) => {
  expect(isAnswer(answerAtOnce(argv, 80))).toBe(true);
});

test('a terminal of 80 columns, and one without a size, have it', () => {
  expect([findHelp(['plan', '-h'], 80), findHelp(['plan', '-h'], 0)]).toEqual([expect.any(String), expect.any(String)]);
});
