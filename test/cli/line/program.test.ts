import { expect, test } from 'vitest';
import { allCommands } from '../../../src/cli/commands/all-commands.ts';
import { COMMAND_GROUPS } from '../../../src/cli/line/program.ts';
import { runCli } from '../../helpers/run.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const helpOf = async (...names: string[]): Promise<string> =>
  (await runCli([...names, '--help'], { cwd: createWorkspace().root })).stdout;
const { commands, groups } = await allCommands(['--help']);
const NAMES = [...commands, ...groups].map(({ name }) => name);

test('the help of the program lists commands in groups, then options in groups, exit codes and the documentation', async () => {
  const help = await helpOf();
  expect([...help.matchAll(/^\S.*:(?= http|$)/gm)].map(([heading]) => heading)).toEqual([
    ...COMMAND_GROUPS,
    'Project:',
    'Output:',
    'Requests:',
    'Options:',
    'Exit codes:',
    'Documentation:',
  ]);
  const [, every = ''] = /^Every day:\n((?:.+\n)+)/m.exec(help) ?? [];
  expect([...every.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name)).toEqual(
    commands.flatMap(({ name, group }) => (group === 'Every day:' ? [name] : [])),
  );
  const [, service = ''] = /^Service:\n((?:.+\n)+)/m.exec(help) ?? [];
  for (const { name } of groups) expect(service).toContain(`\n  ${name} `);
  expect(help).toMatch(/\n {2}-V, --version +print the version\n/);
});

test('the help of plan has its own options before the shared ones, and the page of the documentation', async () => {
  const help = await helpOf('plan');
  expect([...help.matchAll(/^\S.*:(?= http|$)/gm)].map(([heading]) => heading)).toEqual([
    'Options:',
    'What to write:',
    'Allow what is refused:',
    'Project:',
    'Output:',
    'Requests:',
    'Examples:',
    'Exit codes:',
    'Documentation:',
  ]);
  expect(help).toContain('2 differences (--detailed-exitcode)');
  expect(await helpOf('snapshot')).not.toContain('2 differences');
  expect(help).toContain('\nDocumentation: https://flagwright.dev/commands/plan\n');
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
