/** Pages agree with the code: what is generated in docs/commands.md and in the page of each command is current; labels, formats and scopes. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { blocksOfPages, withBlocks } from '../../scripts/command-pages.mjs';
import { allCommands, RESOURCE_GROUPS } from '../../src/cli/commands/all-commands.ts';
import * as exits from '../../src/cli/line/exit.ts';
import * as options from '../../src/cli/line/options.ts';
import * as line from '../../src/cli/line/program.ts';
import { FLAG_LABELS } from '../../src/posthog/flag/labels.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const doc = read('docs/commands.md');
const [reports = ''] = read('docs/reports.md').split('\n## ');
const security = read('docs/security.md');
const program = line.createProgram(await allCommands([]), () => undefined);
const COMMANDS = program.commands.filter((command) => command.name() !== 'help');
const BLOCKS = await blocksOfPages({ ...line, ...options, ...exits, allCommands, RESOURCE_GROUPS });

describe('the pages of commands', () => {
  test.each([...BLOCKS])('%s is what `npm run pages` writes', (page, blocks) => {
    expect(withBlocks(read(page), blocks)).toBe(read(page));
  });

  test('are one for each command and none else, each with its title', () => {
    const pages = readdirSync(path.join(ROOT, 'docs/commands')).map((file) => `docs/commands/${file}`);
    expect(pages.toSorted()).toEqual(COMMANDS.map((command) => `docs/commands/${command.name()}.md`).toSorted());
    for (const command of COMMANDS)
      expect(read(`docs/commands/${command.name()}.md`)).toMatch(new RegExp(`^# flagwright ${command.name()}\n`));
  });

  test('are short: no page has more than 2,500 words, and all have at most 9,850', () => {
    const counts = [...BLOCKS.keys()].map((page) => read(page).trim().split(/\s+/).length);
    expect(Math.max(...counts)).toBeLessThanOrEqual(2500);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(WORDS);
  });
});
const WORDS = 9850;

test('docs/reports.md has the commands of each format', () => {
  const namesIn = (part: string): readonly string[] => [...part.matchAll(/`([a-z]+)`/g)].map(([, name = '']) => name);
  const shown = [...reports.matchAll(/^- (`[a-z]+`.*?): (.*`[a-z]+`.*)$/gm)]
    .filter(([, formats = '']) => !/`(?:text|json)`/.test(formats))
    .flatMap(([, formats = '', names = '']) =>
      namesIn(formats).flatMap((format) => namesIn(names).map((name) => `${format} ${name}`)),
    );
  // Groups have the formats of lists.
  const found = COMMANDS.filter((command) => !line.formatsOfCommand(program, command).includes('table')).flatMap(
    (command) =>
      line
        .formatsOfCommand(program, command)
        .filter((format) => !['text', 'json'].includes(format))
        .map((format) => `${format} ${command.name()}`),
  );
  expect(shown.toSorted()).toEqual(found.toSorted());
});

test('docs/security.md has the scopes of every command', () => {
  const [, list = ''] = /^## Keys and their scopes\n[^]*?\n((?:- .*\n)+)/m.exec(security) ?? [];
  const named = new Set([...list.matchAll(/^- (.*?): /gm)].flatMap(([, names = '']) => names.match(/[a-z-]+(?=`)/g)));
  expect(COMMANDS.map((command) => command.name()).filter((name) => !named.has(name))).toEqual([]);
});

test('the labels of fields', () => {
  const [, section = ''] = doc.split('## Field names in text\n');
  const table = section.split('\n').filter((row) => row.startsWith('|'));
  const labels = table.slice(2).map((row) => row.split('|').map((cell) => cell.trim()));
  expect(labels.length).toBeGreaterThan(5);
  for (const [, label, pointer] of labels) expect(FLAG_LABELS.field(unquoted(pointer))).toBe(unquoted(label));
});

function unquoted(cell: string | undefined): string {
  return (cell ?? '').replace(/^`|`$/g, '');
}
