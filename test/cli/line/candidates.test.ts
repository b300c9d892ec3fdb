/** What may follow on a command line, as bash and the other shells hand over its words. */

import { expect, test } from 'vitest';
import { allCommands } from '../../../src/cli/commands/all-commands.ts';
import { expectNext, type ExpectedWord } from '../../../src/cli/actions/completion.ts';
import { createProgram } from '../../../src/cli/line/program.ts';

const known = await allCommands(['flags', 'persons', 'role-access', 'cohorts', 'early-access']);
const program = createProgram(known, () => undefined);

const texts = ({ candidates }: ExpectedWord): readonly string[] => candidates.map(({ text }) => text);

test.each<[string, readonly string[], Partial<ExpectedWord>]>([
  ['a file after an option', ['plan', '--out', ''], { files: true, typed: '' }],
  ['keys after each word of a list', ['plan', '--target', 'a', 'b', 'c'], { names: 'flags', typed: 'c' }],
  ['projects after a short option', ['plan', '-p', 's'], { names: 'projects', typed: 's' }],
  ['a plan once the option has its value', ['apply', '--output', 'x', 'pl'], { files: true, typed: 'pl' }],
  [
    'a plan, and no project, once the option has its value',
    ['apply', '-p', 'x', 'pl'],
    { candidates: [], files: true },
  ],
  ['a plan after a switch', ['apply', '--yes', 'pl'], { files: true, typed: 'pl' }],
  ['files for each further file', ['validate', 'a.yaml', 'b'], { files: true, typed: 'b' }],
  ['a flag', ['flags', 'get', 'se'], { names: 'flags', typed: 'se' }],
  [
    'a value that the shell splits at =',
    ['plan', '--project', '=', 'st'],
    { names: 'projects', prefix: '', typed: 'st' },
  ],
  [
    'a value that the shell splits at =, still empty',
    ['plan', '--project', '='],
    { names: 'projects', prefix: '', typed: '' },
  ],
  [
    'a plan after a value that the shell split at =',
    ['apply', '--format', '=', 'json', 'pl'],
    { files: true, typed: 'pl' },
  ],
  ['a value of one word with =', ['plan', '--project=st'], { names: 'projects', prefix: '--project=', typed: 'st' }],
  ['nothing known for a number', ['plan', '--concurrency', ''], { candidates: [], files: false }],
  ['nothing known after an unknown option with =', ['plan', '--nosuch=a'], { files: false, typed: '--nosuch=a' }],
])('expects %s', (_, words, expected) => {
  expect(expectNext(program, words)).toMatchObject(expected);
});

test('describes commands and options as their help does', () => {
  const { commands } = known;
  const plan = commands.find(({ name }) => name === 'plan');
  expect(expectNext(program, ['']).candidates).toEqual(
    expect.arrayContaining([
      { text: 'plan', description: plan?.summary },
      { text: 'help', description: 'print help for a command' },
    ]),
  );
  expect(expectNext(program, ['plan', '--pr'])).toMatchObject({ prefix: '', files: false, typed: '--pr' });
  expect(expectNext(program, ['plan', '--pr']).candidates).toEqual(
    expect.arrayContaining([
      { text: '--prune', description: plan?.parameters['prune']?.description },
      { text: '--project', description: expect.stringContaining('FLAGWRIGHT_PROJECT') as string },
    ]),
  );
});

test('completes a value that the shell split, before further words', () => {
  expect(texts(expectNext(program, ['--format', '=', 'json', 'plan', '--det']))).toContain('--detailed-exitcode');
  expect(texts(expectNext(program, ['plan', '--format', '=', 'json', '--det']))).toContain('--detailed-exitcode');
});

test('offers commands for the first word, and for a word that follows = alone', () => {
  expect(texts(expectNext(program, ['']))).toContain('validate');
  expect(texts(expectNext(program, []))).toContain('validate');
  expect(texts(expectNext(program, ['=', '']))).toContain('validate');
});

test('offers the values of an option or an argument that has a list of them', () => {
  expect(texts(expectNext(program, ['completion', '']))).toEqual(['bash', 'zsh', 'fish', 'candidates']);
  expect(expectNext(program, ['completion', ''])).toMatchObject({ files: false });
  expect(texts(expectNext(program, ['serve', '--profile', '']))).toEqual(['documented', 'posthog']);
  expect(texts(expectNext(program, ['init', '--ci=']))).toEqual(['github', 'gitlab', 'none']);
  expect(texts(expectNext(program, ['drift', '--report', '']))).toEqual(expect.arrayContaining(['text=', 'markdown=']));
});
