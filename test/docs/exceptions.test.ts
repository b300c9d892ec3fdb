/** The page of exceptions says of every rule what the table of rules says. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formOf, kindOfPermit, SAFETY } from '../../src/review/policy/broken-rules.ts';
import { POLICIES } from '../../src/review/policy/built-in.ts';
import { allCommands } from '../../src/cli/commands/all-commands.ts';
import { createProgram } from '../../src/cli/line/program.ts';
import { exceptionText } from '../../src/report/words/rules.ts';

const text = readFileSync(new URL('../../docs/exceptions.md', import.meta.url), 'utf8');
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

function exceptionOf(rule: string): string {
  const form = formOf(rule);
  if (form !== undefined) return `\`${form}\``;
  const kind = kindOfPermit(rule);
  return kind === undefined ? 'none' : `of \`${kind}\``;
}

function optionOf(rule: string): string {
  const kind = kindOfPermit(rule);
  if (kind === undefined) return 'none';
  return `\`${kind === 'override' ? '--override' : `--allow-${kind}`}\``;
}

test('the page has every rule, with what an exception says of it and with its option', () => {
  const [, list = ''] =
    /An exception from a .* names `keys`\. No option lifts a policy.*\n\n((?:- .*\n)+)/.exec(text) ?? [];
  const policies = [...list.matchAll(/^- `([a-z-]+)`: /gm)].map(([, rule = '']) => [rule, '`keys`', 'none']);
  const safety = rows.flatMap(([rule = '', , exception, option]) =>
    /^`[a-z_-]+`$/.test(rule) && option !== undefined ? [[rule.slice(1, -1), exception, option]] : [],
  );
  const listed = [...safety, ...policies];
  const expected = Object.keys({ ...SAFETY, ...POLICIES }).map((rule) => [rule, exceptionOf(rule), optionOf(rule)]);
  expect(new Set(listed.map(String))).toEqual(new Set(expected.map(String)));
  expect(listed).toHaveLength(expected.length);
});

test('the table names every option of `plan` that lifts a rule', async () => {
  const commands = createProgram(await allCommands([]), () => undefined).commands;
  const options = commands.find((command) => command.name() === 'plan')?.options.map(({ long }) => long ?? '');
  const named = rows.flatMap(([, , , option = '']) => /^`(--.*)`$/.exec(option)?.[1] ?? []);
  expect(new Set(named)).toEqual(new Set(options?.filter((long) => /^--(?:allow-|override$)/.test(long))));
});

test('the list of codes has all of them', () => {
  const facts = { rules: ['a'], reason: 'r', until: '2026-12-31', granted_by: 'ann' };
  const source = { file: 'exceptions.yaml', line: 1, column: 1 };
  const codes = [...text.matchAll(/^- `(exception_\w+)`: /gm)].map(([, code = '']) => code);
  expect(codes).toHaveLength(6);
  for (const code of codes) expect(exceptionText({ code: code as 'exception_used', ...facts, source })).toContain('a');
});

test('the page is short', () => {
  expect(text.split(/\s+/).length).toBeLessThan(1500);
});
