import { expect, test } from 'vitest';
import { allCommands } from '../../../src/cli/commands/all-commands.ts';
import { runCli } from '../../helpers/run.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const helpOf = async (...names: string[]): Promise<string> =>
  (await runCli([...names, '--help'], { cwd: createWorkspace().root })).stdout;
const { commands, groups } = await allCommands(['--help']);
const NAMES = [...commands, ...groups].map(({ name }) => name);

test('the help of the program lists commands before options', async () => {
  const help = await helpOf();
  expect(help.indexOf('\nCommands:')).toBeLessThan(help.indexOf('\nOptions:'));
  expect(help.indexOf('\nOptions:')).toBeLessThan(help.indexOf('\nExamples:'));
});

test('the help of the program has the option that prints the version, and examples', async () => {
  const help = await helpOf();
  expect(help).toMatch(/\n {2}-V, --version +print the version\n/);
  expect(help).toContain('\nExamples:\n  $ flagwright init\n  $ flagwright validate\n');
});

test.each(commands)('the help of $name has its examples, each as one line or folded', async ({ name, examples }) => {
  const help = (await helpOf(name)).replaceAll(' \\\n      ', ' ');
  expect(help).toContain(`\nExamples:\n${examples.map((line) => `  $ ${line}\n`).join('')}`);
});

test.each(['', ...NAMES])('the help of %j fits 80 columns', async (name) => {
  const lines = (await helpOf(...(name === '' ? [] : [name]))).split('\n');
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test.each([
  ['serve', ['text', 'json']],
  ['init', ['text', 'json']],
])('the help of %s lists the formats that it has, and it refuses others', async (name, formats) => {
  const help = await helpOf(name);
  const [, choices = ''] = /--format <format>\s+output format \(choices:([^)]*?), default/s.exec(help) ?? [];
  expect(choices.match(/\w+/g)).toEqual(formats);
  expect((await runCli([name, '--format', 'sarif'], { cwd: createWorkspace().root })).code).toBe(1);
});
