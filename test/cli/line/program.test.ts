import { expect, test } from 'vitest';
import { allCommands } from '../../../src/cli/commands/all-commands.ts';
import { COMMAND_GROUPS } from '../../../src/cli/line/program.ts';
import { runCli } from '../../helpers/run.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const helpOf = async (...names: string[]): Promise<string> =>
  (await runCli([...names, '--help'], { cwd: createWorkspace().root })).stdout;
const { commands, groups } = await allCommands(['--help']);
const NAMES = [...commands, ...groups].map(({ name }) => name);

const headings = (help: string): string[] => [...help.matchAll(/^\S.*:(?= http|$)/gm)].map(([heading]) => heading);
const commandsIn = (help: string): string[] =>
  [...help.split('\nWhat to work on:')[0]!.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name);

test('the help of the program lists commands in groups, the most used first, then options in groups', async () => {
  const help = await helpOf();
  expect(headings(help)).toEqual([
    ...COMMAND_GROUPS,
    'What to work on:',
    'Output:',
    'Connection and limits:',
    'Help:',
    'Exit codes:',
    'Documentation:',
  ]);
  const names = ['init', 'export', 'doctor', 'validate', 'test', 'plan', 'apply', 'drift', 'accept', 'explain'];
  expect(commandsIn(help).slice(0, 10)).toEqual(names);
  expect(commandsIn(help).toSorted()).toEqual([...NAMES, 'help'].toSorted());
  const [, service = ''] = /^Service:\n((?:.+\n)+)/m.exec(help) ?? [];
  for (const { name } of groups) expect(service).toContain(`\n  ${name} `);
  expect(help).toMatch(/\n {2}-V, --version +print the version\n/);
});

test('the help of a command has its own options first, its exit codes and its page', async () => {
  const help = await helpOf('plan');
  expect(headings(help)).toEqual([
    'Options:',
    'What to work on:',
    'Allow what is refused:',
    'Output:',
    'Connection and limits:',
    'Help:',
    'Examples:',
    'Exit codes:',
    'Documentation:',
  ]);
  expect(help).toContain('\n  2    with --detailed-exitcode: there are changes\n');
  expect(help).toMatch(/\nDocumentation: https:\/\/flagwright\.dev\/commands\/plan\n$/);
  expect(await helpOf('snapshot')).not.toMatch(/^ {2}2 /m);
});

test.each([
  ['plan', 'FLAGWRIGHT_PROJECT, then default_project'],
  ['init', 'production with --host, otherwise all'],
  ['validate', 'all'],
  ['history', 'all'],
  ['catalog', 'all, embedded ones only if there are no others'],
  ['serve', 'default_project'],
])('the help of %s says what it works on without --project', async (name, projects) => {
  const help = (await helpOf(name)).replaceAll(/\n {3,}/g, ' ');
  expect(help).toContain(`project in flagwright.yaml (default: ${projects})`);
});

test('the help of a group lists its commands before the options, and theirs leads to the page of the group', async () => {
  expect(headings(await helpOf('persons'))).toEqual([
    'Commands:',
    'What to work on:',
    'Output:',
    'Connection and limits:',
    'Help:',
    'Exit codes:',
    'Documentation:',
  ]);
  const help = await helpOf('persons', 'delete');
  expect(help).toContain('\n  4    it was not confirmed\n');
  expect(help).toMatch(/\nDocumentation: https:\/\/flagwright\.dev\/commands\/persons\n$/);
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
