/** What holds of the declaration of every command: its examples run what it does, and what it names exists. */

import type { Argument, Command, Option } from 'commander';
import { describe, expect, test } from 'vitest';
import { allCommands, RESOURCE_GROUPS } from '../../../src/cli/commands/all-commands.ts';
import { parseCommandLine } from '../../../src/cli/line/command-line.ts';
import { createProgram } from '../../../src/cli/line/program.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import { createClient } from '../../../src/posthog/service-client.ts';

const NAMES = RESOURCE_GROUPS.map(({ name }) => name);
const known = await allCommands(NAMES);
const groups = await Promise.all(RESOURCE_GROUPS.map(async ({ name, load }) => [name, await load()] as const));
const client = createClient({ host: 'http://127.0.0.1:9', projectId: '1', apiKey: 'phx_none' });

/** What a line of the command may have. */
const wordsIn = (own: Command | undefined): readonly (Argument | Option)[] => [
  ...(own?.registeredArguments ?? []),
  ...(own?.options ?? []),
];

/** Whatever a command does begins with the session. */
const ASKED = 'The session was asked.';
const session = new Proxy({} as Session, {
  get: () => {
    throw new Error(ASKED);
  },
});

/** The words of a line as a shell has them, up to a pipe or the end of the command. */
function wordsOf(line: string): readonly string[] {
  const [, inner = line] = /\$\((.*)\)/.exec(line) ?? [];
  const words = [...inner.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_quoted, single?: string, double?: string) => single ?? double ?? ''),
  );
  const end = words.findIndex((word) => ['|', '>', '&&', ';'].includes(word));
  return words.slice(0, end === -1 ? undefined : end).filter((word) => !/^[A-Z_]+=/.test(word));
}

describe.each(known.commands.map((command) => [command.name, command] as const))('flagwright %s', (name, command) => {
  test('has examples, each of which runs what it does', async () => {
    expect(command.examples.length).toBeGreaterThan(0);
    for (const example of command.examples) {
      const words = wordsOf(example);
      const at = words.indexOf('flagwright');
      expect([example, ...words.slice(at, at + 2)]).toEqual([example, 'flagwright', name]);
      const parsed = parseCommandLine(words.slice(at + 1), known);
      expect(parsed, example).toMatchObject({ kind: 'run' });
      if (parsed.kind === 'run') await expect((async () => parsed.run(session))(), example).rejects.toThrow(ASKED);
    }
  });

  test('says in its help what it does', () => {
    const program = createProgram(known, () => undefined);
    const own = program.commands.find((one) => one.name() === name);
    expect(own?.description()).toMatch(/^[A-Z`].*[.)]$/s);
    expect(own?.summary()).toMatch(/^[a-z].*[^.]$/);
    for (const one of wordsIn(own)) expect(one.description, one.name()).toMatch(/^\S.*[^.]$/);
    expect(new Set(command.reports).size).toBe(command.reports.length);
    const options = own?.options.map(({ long }) => long) ?? [];
    for (const [option] of JSON.stringify(command.exits ?? {}).matchAll(/--[a-z-]+/g))
      expect(options).toContain(option);
  });
});

/** What a run over several projects does with the path that an option names. */
const PATHS_OF_SEVERAL: Readonly<Record<string, 'read' | 'one for all' | 'in order' | 'refused'>> = {
  'plan --out': 'one for all',
  'plan --against': 'read',
  'plan --persons': 'read',
  'plan --verdicts': 'read',
  'catalog --against': 'read',
  'catalog --verdicts': 'read',
  'apply --verdicts': 'read',
  'drift --verdicts': 'read',
  // A folder: each run has a file of its own name in it.
  'apply --journal': 'one for all',
  'drift --write-exceptions': 'refused',
  'export --dir': 'in order',
};

test('no option of a run over several projects names a file that each of them would write', () => {
  const several = known.commands.filter(({ projects }) => projects === 'several');
  const found = several.flatMap(({ name, parameters }) =>
    Object.values(parameters).flatMap(({ syntax, alone }) => {
      const [, option] = /(--[a-z-]+) <(?:file|dir|path)>/.exec(syntax) ?? [];
      return option === undefined ? [] : [[`${name} ${option}`, alone !== undefined] as const];
    }),
  );
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(PATHS_OF_SEVERAL).map(([option, what]) => [option, what === 'refused'])),
  );
});

describe.each(groups)('flagwright %s', (name, group) => {
  test.each(group.commands.map((command) => [command.name, command] as const))(
    '%s names methods of the client and columns, and only a command that writes asks',
    (_name, { operations, columns = ['id'], csvColumns = columns, writes, question, summary }) => {
      expect(operations.length).toBeGreaterThan(0);
      expect(operations.filter((one) => typeof client[one] !== 'function')).toEqual([]);
      expect(new Set(columns).size).toBe(columns.length);
      for (const column of [...columns, ...csvColumns]) expect(column).toMatch(/^[$a-z_]+(?:\.[$a-z_]+)*$/);
      expect(columns.filter((column) => !csvColumns.includes(column))).toEqual([]);
      if (question !== undefined) expect(writes).toBe(true);
      expect(summary).toMatch(/^[a-z].*[^.]$/);
    },
  );

  test('says what each word of a line means', () => {
    const own = createProgram(known, () => undefined).commands.find((one) => one.name() === name);
    const isOwn = (one: Command): boolean => group.commands.some((command) => command.name === one.name());
    const words = (own?.commands ?? []).filter(isOwn).flatMap(wordsIn);
    expect(words.length).toBeGreaterThan(0);
    for (const one of words) expect(one.description, one.name()).toMatch(/^\S.*[^.]$/);
  });

  test('has a scope of keys, and says of what is done elsewhere where', () => {
    expect(`${name} ${group.scope}`).toMatch(/^[a-z-]+ [a-z_]+$/);
    for (const remedy of Object.values(group.elsewhere)) expect(remedy).toMatch(/flagwright .*\.$/);
  });
});
