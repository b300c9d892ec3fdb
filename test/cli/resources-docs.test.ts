/** The examples and the help of every command on a resource. */

import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { allCommands, RESOURCE_GROUPS } from '../../src/cli/commands/all-commands.ts';
import { createProgram } from '../../src/cli/line/program.ts';
import { parseCommandLine } from '../../src/cli/line/command-line.ts';

const NAMES = RESOURCE_GROUPS.map(({ name }) => name);
const KNOWN = await allCommands(NAMES);
const GROUPS = await Promise.all(RESOURCE_GROUPS.map(async ({ name, load }) => [name, await load()] as const));
const program = createProgram(KNOWN, () => undefined);

function groupOf(name: string): Command {
  const found = program.commands.find((command) => command.name() === name);
  if (found === undefined) throw new Error(`There is no command ${name}.`);
  return found;
}

describe.each(GROUPS)('flagwright %s', (name, group) => {
  const commands = groupOf(name).commands.filter((child) => group.commands.some((row) => row.name === child.name()));

  test.each(group.commands.map((row) => [row.name, row] as const))(
    '%s has examples that are command lines',
    (_name, row) => {
      expect(row.examples.length).toBeGreaterThan(0);
      for (const example of row.examples)
        expect(parseCommandLine(wordsOf(example), KNOWN), example).toMatchObject({ kind: 'run' });
    },
  );

  test.each(commands.map((child) => [child.name(), child] as const))(
    '%s --help shows an example, and no line of more than 80 columns',
    (child) => {
      const printed = parseCommandLine([name, child, '--help'], KNOWN);
      expect(printed).toMatchObject({ kind: 'print' });
      if (printed.kind !== 'print') return;
      expect(printed.text.split('\n').filter((line) => line.length > 80)).toEqual([]);
      expect(printed.text).toContain(`$ flagwright ${name} ${child}`);
    },
  );
});

test.each([
  ['funnel', 'funnel_step, funnel_window_days, events'],
  ['stickiness', 'stickiness_days'],
  ['trends', 'events, entity_id, date_from, date_to, properties'],
])('persons %s --help names the parameters', (name, words) => {
  const printed = parseCommandLine(['persons', name, '--help'], KNOWN);
  const text = printed.kind === 'print' ? printed.text.replaceAll(/\s+/g, ' ') : '';
  expect(text).toContain('Known parameters:');
  expect(text).toContain(words);
});

/** Splits a line like a shell: at spaces, with single or double quotes. */
function wordsOf(example: string): string[] {
  const words = [...example.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_quoted, single?: string, double?: string) => single ?? double ?? ''),
  );
  return words.slice(1);
}
