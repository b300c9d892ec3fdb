/** Pages agree with the code: the options, exit codes, error codes and labels of docs/commands.md, formats and scopes. */

import { readFileSync } from 'node:fs';
import type { Command, Option } from 'commander';
import { describe, expect, test } from 'vitest';
import { ERRORS, EXIT_CODES } from '../../src/cli/line/exit.ts';
import { allCommands } from '../../src/cli/commands/all-commands.ts';
import { createProgram, formatsOfCommand, usesOption } from '../../src/cli/line/program.ts';
import { FLAG_LABELS } from '../../src/posthog/flag/labels.ts';

const doc = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8');
const reports = readFileSync(new URL('../../docs/reports.md', import.meta.url), 'utf8');
const security = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
const known = await allCommands([]);
const program = createProgram(known, () => undefined);
program.version('0.0.0', '-V, --version', 'print the version');

/** The text between a heading and the next one of the same or a higher level. */
function section(heading: string): string {
  const level = heading.indexOf(' ');
  const lines = doc.split('\n');
  const start = lines.indexOf(heading);
  expect(start, `the heading "${heading}"`).toBeGreaterThan(-1);
  const length = lines.slice(start + 1).findIndex((line) => /^#+ /.test(line) && line.indexOf(' ') <= level);
  return lines.slice(start, length === -1 ? undefined : start + 1 + length).join('\n');
}

/** The rows of the only table in a section, without its header; cells are trimmed. */
function rows(heading: string): string[][] {
  const lines = section(heading)
    .split('\n')
    .filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
}

function optionRows(command: Command): string[][] {
  return command.options.filter((option) => !option.hidden).map((option) => [`\`${option.flags}\``, meaning(option)]);
}

function meaning({ description, argChoices, defaultValue }: Option): string {
  const choices = argChoices === undefined ? '' : `; one of ${argChoices.map((choice) => `\`${choice}\``).join(', ')}`;
  const preset =
    defaultValue === undefined || typeof defaultValue === 'boolean' ? '' : `; default \`${String(defaultValue)}\``;
  return `${description}${choices}${preset}`;
}

const COMMANDS = program.commands.filter((command) => command.name() !== 'help');
const isShared = (option: Option): boolean => COMMANDS.every((command) => usesOption(command, option));

test('the options of every command', () => {
  expect(rows('## Options of every command')).toEqual(optionRows(program).filter((_, index) => isSharedAt(index)));
});

test('the options of several commands, with those that refuse them', () => {
  const selective = optionRows(program).flatMap((row, index) => (isSharedAt(index) ? [] : [[...row, refusers(index)]]));
  const wordsOf = (all: string[][]): Set<string> =>
    new Set(all.map((cells) => [...new Set(cells.join(' ').split(/[ ,]+/))].toSorted().join(' ')));
  expect(wordsOf(rows('## Options of several commands'))).toEqual(wordsOf(selective));
});

function isSharedAt(index: number): boolean {
  const option = program.options[index];
  return option !== undefined && isShared(option);
}

function refusers(index: number): string {
  const option = program.options[index];
  const names = COMMANDS.filter((command) => option !== undefined && !usesOption(command, option));
  return names.map((command) => `\`${command.name()}\``).join(', ');
}

test('docs/reports.md has the commands of each format', () => {
  const shown = [...reports.matchAll(/^\| `([a-z]+)` +\| .*? \| (`.*?) +\|$/gm)].flatMap(([, format, names = '']) =>
    [...names.matchAll(/`([a-z]+)`/g)].map(([, name]) => `${format ?? ''} ${name ?? ''}`),
  );
  // Groups have the formats of lists.
  const found = COMMANDS.filter((command) => !formatsOfCommand(program, command).includes('table')).flatMap((command) =>
    formatsOfCommand(program, command)
      .filter((format) => !['text', 'json'].includes(format))
      .map((format) => `${format} ${command.name()}`),
  );
  expect(shown.toSorted()).toEqual(found.toSorted());
});

test('docs/security.md has the scopes of every command', () => {
  const [, table = ''] = /^## Keys and their scopes\n[^]*?\n((?:\|.*\n)+)/m.exec(security) ?? [];
  const named = new Set([...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) => cell.match(/[a-z-]+(?=`)/g)));
  expect(COMMANDS.map((command) => command.name()).filter((name) => !named.has(name))).toEqual([]);
});

test('the table of commands names every command', () => {
  const table = /^\| command .*\n(?:\|.*\n)+/m.exec(doc)?.[0] ?? '';
  const named = new Set([...table.matchAll(/`([a-z-]+)[^`]*`/g)].map(([, name]) => name));
  expect(COMMANDS.map((command) => command.name()).filter((name) => !named.has(name))).toEqual([]);
});

describe('each command has its section', () => {
  test.each(
    program.commands
      .filter((command) => command.name() !== 'help')
      .map((command) => [command.name(), command] as const),
  )('%s', (name, command) => {
    expect(section(`### flagwright ${name}`)).toContain(command.description());
    if (command.options.length > 0)
      expect(new Set(rows(`### flagwright ${name}`).map(String))).toEqual(new Set(optionRows(command).map(String)));
  });

  test('and no section describes a command that does not exist', () => {
    const named = [...doc.matchAll(/^### flagwright ([\w-]+)$/gm)].map((match) => match[1]);
    expect(named.toSorted()).toEqual(COMMANDS.map((command) => command.name()).toSorted());
  });
});

test('the exit codes', () => {
  expect(rows('## Exit codes')).toEqual(Object.entries(EXIT_CODES));
});

test('the error codes', () => {
  expect(rows('## Error codes')).toEqual(
    Object.entries(ERRORS).map(([code, error]) => [`\`${code}\``, String(error.exit), error.meaning]),
  );
});

test('the labels of fields', () => {
  const labels = rows('## Field names in text');
  expect(labels.length).toBeGreaterThan(5);
  for (const [label, pointer] of labels) expect(FLAG_LABELS.field(unquoted(pointer))).toBe(unquoted(label));
});

test('every example is a command line that exists', () => {
  const examples = [...doc.matchAll(/^\$ flagwright ([\w-]+)/gm)].map((match) => match[1]);
  expect(examples.length).toBeGreaterThan(5);
  for (const name of examples) expect(program.commands.map((command) => command.name())).toContain(name);
});

function unquoted(cell: string | undefined): string {
  return (cell ?? '').replace(/^`|`$/g, '');
}
