/** Options in the spelling of other tools are refused, which would be read as short options: `-out=FILE` as `-o ut=FILE`. */

import { describe, expect, test } from 'vitest';
import { allCommands } from '../../../src/cli/commands/all-commands.ts';
import { parseCommandLine } from '../../../src/cli/line/command-line.ts';

const KNOWN = await allCommands([]);

describe('an option in the spelling of another tool is refused with the right one', () => {
  test.each([
    [['plan', '-out=plan.json'], 'Write --out=plan.json.'],
    [['plan', '-out', 'plan.json'], 'Write --out.'],
    [['plan', '-target=search'], 'Write --target=search.'],
    [['plan', '-detailed-exitcode'], 'Write --detailed-exitcode.'],
    [['-project=x', 'plan'], 'Write --project=x.'],
    [['apply', '-prune'], 'Write --prune.'],
    [['plan', '-o=plan.txt'], 'Write -o plan.txt.'],
    [['drift', '-p=production'], 'Write -p production.'],
    [['history', '-n='], 'Write -n.'],
    // An option of another command.
    [['plan', '-latency=5'], 'Write --latency=5.'],
  ])('%j', (argv, remedy) => {
    expect(parseCommandLine(argv, KNOWN)).toMatchObject({ kind: 'wrong', error: { code: 'usage', remedy } });
  });

  test.each([
    [['plan', '-opn.txt', '-ftext']],
    [['plan', '-qv']],
    [['plan', '-o', '-out=plan']],
    [['validate', '--', '-out=x']],
  ])('%j is read as it is', (argv) => {
    expect(parseCommandLine(argv, KNOWN)).toMatchObject({ kind: 'run' });
  });
});

describe('--output to a data file without its format', () => {
  test.each([
    [['plan', '-o', 'plan.json'], 'To save the plan for apply, write --out plan.json.'],
    [['drift', '-o', 'drift.JSON'], 'would contain text, not json. For the document, add --format json.'],
  ])('%j is refused', (argv, words) => {
    const parsed = parseCommandLine(argv, KNOWN);
    expect(parsed).toMatchObject({ kind: 'wrong', error: { message: expect.stringContaining(words) as string } });
  });

  test.each([
    [['snapshot', '--out', 'flags/shop.yaml'], '--out flags/shop.yaml would not be YAML'],
    [['plan', '--out', 'flagwright.YML'], '--out flagwright.YML would not be YAML'],
    [['plan', '-f', 'json', '-o', 'flags/shop.yaml'], '--output flags/shop.yaml would not be YAML'],
  ])('%j is refused, since it would replace a manifest', (argv, words) => {
    const parsed = parseCommandLine(argv, KNOWN);
    expect(parsed).toMatchObject({ kind: 'wrong', error: { message: expect.stringContaining(words) as string } });
  });

  test.each([
    [['plan', '-o', 'plan.txt']],
    [['plan', '-o', 'plan.text']],
    [['plan', '-f', 'text', '-o', 'plan.json']],
    [['plan', '-f', 'json', '-o', 'x.json']],
  ])('%j is accepted', (argv) => {
    expect(parseCommandLine(argv, KNOWN)).toMatchObject({ kind: 'run' });
  });
});
