import { describe, expect, test } from 'vitest';
import { FlagwrightError } from '../../src/base/errors.ts';
import { type ExceptionEntry, readExceptions } from '../../src/config/entries.ts';
import { createWorkspace } from '../helpers/workspace.ts';

async function read(text: string): Promise<readonly ExceptionEntry[]> {
  const file = 'exceptions.yaml';
  const { root } = createWorkspace({ [file]: text });
  const allProjects = ['production', 'staging'];
  return readExceptions({ path: `${root}/${file}`, file, allProjects, policies: ['max-widen', 'own-rule'] });
}

async function problems(text: string): Promise<string[]> {
  const error: unknown = await read(text).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(FlagwrightError);
  const { diagnostics, code } = error as FlagwrightError;
  expect(code).toBe('config_invalid');
  return diagnostics.map((one) => `${one.place?.line}:${one.place?.column} ${one.code}`);
}

const ENDING = 'reason: x, until: 2026-12-31, granted_by: ann';

describe('a file of exceptions', () => {
  test('gives each with its rule, keys or number, reason, last day, grantor and place', async () => {
    const text = `exceptions:\n  - { rule: protected, keys: [old-*, cohort:vips], ${ENDING} }\n  - { rule: deletes, most: 12, projects: [staging], ${ENDING} }\n`;
    const common = { reason: 'x', until: '2026-12-31', grantedBy: 'ann' };
    expect(await read(text)).toEqual([
      {
        ...common,
        rule: 'protected',
        keys: ['old-*', 'cohort:vips'],
        place: { file: 'exceptions.yaml', line: 2, column: 5 },
      },
      {
        ...{ ...common, rule: 'deletes', keys: [], most: 12, projects: ['staging'] },
        place: { file: 'exceptions.yaml', line: 3, column: 5 },
      },
    ]);
  });

  test('may be from drift, at a place and in a state', async () => {
    const state = `sha256:${'0'.repeat(64)}`;
    const text = `exceptions: [{ rule: drift, keys: [a], path: active, state: "${state}", ${ENDING} }]`;
    expect(await read(text)).toMatchObject([{ rule: 'drift', keys: ['a'], path: 'active', state }]);
  });

  test.each([[''], ['exceptions: []'], ['exceptions:\n']])('%j has none', async (text) => {
    expect(await read(text)).toEqual([]);
  });

  test('that does not exist has none', async () => {
    const file = { path: '/nowhere/exceptions.yaml', file: 'exceptions.yaml', allProjects: [], policies: [] };
    expect(await readExceptions(file)).toEqual([]);
  });

  test.each([
    ['no rule', `exceptions: [{ keys: [a], ${ENDING} }]`, ['1:14 property-missing']],
    ['an unknown rule', `exceptions: [{ rule: protectd, keys: [a], ${ENDING} }]`, ['1:16 exception-rule-unknown']],
    ['a kind of option', `exceptions: [{ rule: risky, keys: [a], ${ENDING} }]`, ['1:16 exception-rule-unknown']],
    [
      'a rule that the service refuses anyway',
      `exceptions: [{ rule: replay_linked, keys: [a], ${ENDING} }]`,
      ['1:16 exception-impossible'],
    ],
    ['a share', `exceptions: [{ rule: deletes_percent, most: 9, ${ENDING} }]`, ['1:16 exception-impossible']],
    ['a number for a rule of keys', `exceptions: [{ rule: protected, most: 1, ${ENDING} }]`, ['1:14 exception-form']],
    ['keys for a number', `exceptions: [{ rule: deletes, keys: [a], ${ENDING} }]`, ['1:14 exception-form']],
    ['both', `exceptions: [{ rule: deletes, keys: [a], most: 1, ${ENDING} }]`, ['1:14 exception-form']],
    ['neither', `exceptions: [{ rule: max-widen, ${ENDING} }]`, ['1:14 exception-form']],
    ['known drift without keys', `exceptions: [{ rule: drift, ${ENDING} }]`, ['1:14 exception-form']],
    [
      'a place for a rule',
      `exceptions: [{ rule: protected, keys: [a], path: active, ${ENDING} }]`,
      ['1:14 exception-form'],
    ],
    [
      'a place that a flag does not have',
      `exceptions: [{ rule: drift, keys: [a], path: activ, ${ENDING} }]`,
      ['1:40 exception-path-invalid'],
    ],
    [
      'a place that flags have, but no cohort',
      `exceptions: [{ rule: drift, keys: [a, cohort:b], path: active, ${ENDING} }]`,
      ['1:50 exception-path-invalid'],
    ],
    [
      'a state that is no digest',
      `exceptions: [{ rule: drift, keys: [a], state: 1f, ${ENDING} }]`,
      ['1:40 value-pattern'],
    ],
    [
      'no reason',
      'exceptions: [{ rule: protected, keys: [a], until: 2026-12-31, granted_by: ann }]',
      ['1:14 property-missing'],
    ],
    [
      'a blank reason',
      'exceptions: [{ rule: protected, keys: [a], reason: " ", until: 2026-12-31, granted_by: ann }]',
      ['1:44 value-pattern'],
    ],
    [
      'no last day',
      'exceptions: [{ rule: protected, keys: [a], reason: x, granted_by: ann }]',
      ['1:14 property-missing'],
    ],
    [
      'nobody who grants it',
      'exceptions: [{ rule: protected, keys: [a], reason: x, until: 2026-12-31 }]',
      ['1:14 property-missing'],
    ],
    [
      'a day that does not exist',
      'exceptions: [{ rule: protected, keys: [a], reason: x, until: 2026-02-30, granted_by: ann }]',
      ['1:55 date-invalid'],
    ],
    [
      'an unknown project',
      `exceptions: [{ rule: protected, keys: [a], ${ENDING}, projects: [prod] }]`,
      ['1:102 project-unknown'],
    ],
    ['an invalid glob', `exceptions: [{ rule: protected, keys: [a, "!b"], ${ENDING} }]`, ['1:43 key-pattern-invalid']],
    ['an empty key', `exceptions: [{ rule: protected, keys: [""], ${ENDING} }]`, ['1:40 length-out-of-range']],
    ['an unknown member', `exceptions: [{ rule: protected, keys: [a], key: a, ${ENDING} }]`, ['1:44 property-unknown']],
    ['a list at the top', `- { rule: protected, keys: [a], ${ENDING} }`, ['1:1 type-wrong']],
    ['two documents', 'exceptions: []\n---\nexceptions: []\n', ['3:1 config-several-documents']],
    ['no YAML', 'exceptions: [', ['1:14 yaml-syntax']],
  ])('with %s is refused at its place', async (_, text, expected) => {
    expect(await problems(text)).toEqual(expected);
  });
});
