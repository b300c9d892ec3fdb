/** An option without its value is refused where the next argument is an option. */

import { describe, expect, test } from 'vitest';
import { allCommands } from '../../../src/cli/commands/all-commands.ts';
import { parseCommandLine } from '../../../src/cli/line/command-line.ts';

const KNOWN = await allCommands([]);

describe('an option takes no other option as its value', () => {
  test.each([
    [['apply', '-y', '--allow-risky', '-f', 'json', '--journal', 'one'], "--allow-risky needs a value, and '-f'"],
    [['-p', '-q', 'plan'], "-p needs a value, and '-q'"],
    [['drift', '-o', '-f=json'], "-o needs a value, and '-f=json'"],
    [['plan', '--target', '--prune'], "--target needs a value, and '--prune'"],
    [['apply', '-y', '--journal', '--no-journal'], "--journal needs a value, and '--no-journal'"],
    [['drift', '-o', '--format=json'], "-o needs a value, and '--format=json'"],
    [['accept', '--only', '-y', 'checkout'], "--only needs a value, and '-y'"],
    [['-p', 'plan', '--target', 'a', '--override', '-q'], "--override needs a value, and '-q'"],
    // An option of another command.
    [['plan', '--target', '--latency=5'], "--target needs a value, and '--latency=5'"],
  ])('%j', (argv, words) => {
    expect(parseCommandLine(argv, KNOWN)).toMatchObject({
      kind: 'wrong',
      error: { code: 'usage', message: expect.stringContaining(words) as string },
    });
  });

  test.each([
    [['plan', '--target=-f', '-f', 'json']],
    [['plan', '--target', 'a', 'b', '-f', 'json']],
    [['plan', '--target', '-starts-with-a-dash']],
    [['drift', '-o', '-']],
    [['validate', '--', '--target', '-f']],
  ])('%j is read as it is', (argv) => {
    expect(parseCommandLine(argv, KNOWN)).toMatchObject({ kind: 'run' });
  });
});

test.each([
  [['plan', '--target', ''], "'' is invalid. It is empty."],
  [['accept', '--target', ' ', 'checkout'], 'It is empty.'],
  [['plan', '--out', '-'], 'It must name a file. stdout is for --format.'],
  [['snapshot', '--out', ''], 'It must name a file.'],
])('%j is refused with the reason', (argv, words) => {
  expect(parseCommandLine(argv, KNOWN)).toMatchObject({
    kind: 'wrong',
    error: { code: 'usage', message: expect.stringContaining(words) as string },
  });
});
