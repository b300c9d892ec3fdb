import { describe, expect, test } from 'vitest';
import { FlagwrightError } from '../../src/base/errors.ts';
import { readPermits } from '../../src/config/entries.ts';
import type { GivenPermit } from '../../src/core/engine/safety.ts';
import { describe as describeDiagnostic } from '../../src/report/words/diagnostics.ts';
import { createWorkspace } from '../helpers/workspace.ts';

async function read(text: string, project = 'production'): Promise<readonly GivenPermit[]> {
  const { root } = createWorkspace({ 'permits.yaml': text });
  return readPermits({
    path: `${root}/permits.yaml`,
    file: 'permits.yaml',
    project,
    allProjects: ['production', 'staging'],
    now: Date.parse('2026-06-30T23:59:59Z'),
  });
}

async function problems(text: string): Promise<string[]> {
  const error: unknown = await read(text).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(FlagwrightError);
  const { diagnostics, code } = error as FlagwrightError;
  expect(code).toBe('config_invalid');
  return diagnostics.map((one) => `${one.place?.line}:${one.place?.column} ${one.code}`);
}

const ENDING = 'reason: x, expires: 2026-12-31';

describe('a file of permits', () => {
  test('gives each permit with its reason, its last day and its place', async () => {
    const permits = await read(
      'permits:\n  - risky: "old-*"\n    reason: its experiment ended\n    expires: 2026-06-30\n',
    );
    expect(permits).toEqual([
      {
        permit: { kind: 'risky', value: 'old-*' },
        reason: 'its experiment ended',
        expires: '2026-06-30',
        isExpired: false,
        source: { file: 'permits.yaml', line: 2, column: 5 },
      },
    ]);
  });

  test('of a flag may override what people changed', async () => {
    const [permit] = await read(`permits: [{ override: "shop-*", ${ENDING} }]`);
    expect(permit?.permit).toEqual({ kind: 'override', value: 'shop-*' });
  });

  test('is valid on its last day in UTC, and not on the next', async () => {
    const text = `permits: [{ deletes: 9, reason: x, expires: 2026-06-29 }, { deletes: 9, reason: x, expires: 2026-06-30 }]`;
    expect((await read(text)).map(({ isExpired }) => isExpired)).toEqual([true, false]);
  });

  test('is for the projects that it names', async () => {
    const text = `permits: [{ deletes: 9, ${ENDING}, projects: [staging] }, { disables: 1, ${ENDING} }]`;
    const kinds = async (project: string): Promise<string[]> =>
      (await read(text, project)).map(({ permit: { kind } }) => kind);
    expect([await kinds('production'), await kinds('staging')]).toEqual([['disables'], ['deletes', 'disables']]);
  });

  test.each([[''], ['permits: []'], ['permits:\n']])('%j permits nothing', async (text) => {
    expect(await read(text)).toEqual([]);
  });

  test.each([
    ['nothing that is allowed', `permits: [{ ${ENDING} }]`, ['1:11 permit-kind']],
    ['two things at once', `permits: [{ deletes: 1, risky: a, ${ENDING} }]`, ['1:11 permit-kind']],
    ['an override and another', `permits: [{ override: a, risky: a, ${ENDING} }]`, ['1:11 permit-kind']],
    ['no reason', 'permits: [{ deletes: 1, expires: 2026-12-31 }]', ['1:11 property-missing']],
    ['a blank reason', 'permits: [{ deletes: 1, reason: " ", expires: 2026-12-31 }]', ['1:25 value-pattern']],
    ['no last day', 'permits: [{ deletes: 1, reason: x }]', ['1:11 property-missing']],
    [
      'a day that does not exist',
      'permits: [{ deletes: 1, reason: x, expires: 2026-02-30 }]',
      ['1:36 permit-date-invalid'],
    ],
    ['a date in another form', 'permits: [{ deletes: 1, reason: x, expires: 31.12.2026 }]', ['1:36 value-pattern']],
    ['an unknown project', `permits: [{ deletes: 1, ${ENDING}, projects: [prod] }]`, ['1:68 project-unknown']],
    ['an invalid glob', `permits: [{ risky: "!a", ${ENDING} }]`, ['1:13 key-pattern-invalid']],
    ['an unknown member', `permits: [{ delets: 1, ${ENDING} }]`, ['1:13 property-unknown']],
    ['a list at the top', `- { deletes: 1, ${ENDING} }`, ['1:1 type-wrong']],
    ['two documents', 'permits: []\n---\npermits: []\n', ['3:1 config-several-documents']],
    ['no YAML', 'permits: [', ['1:11 yaml-syntax']],
  ])('with %s is refused at its place', async (_, text, expected) => {
    expect(await problems(text)).toEqual(expected);
  });

  test('says what a day and a reason look like', async () => {
    const error: unknown = await read('permits: [{ deletes: 1, reason: " ", expires: soon }]').catch(
      (thrown: unknown) => thrown,
    );
    expect((error as FlagwrightError).diagnostics.map((one) => describeDiagnostic(one).message)).toEqual([
      '" " is not a string with more than spaces.',
      '"soon" is not a day such as "2026-12-31".',
    ]);
  });

  test('that does not exist is refused', async () => {
    const options = { path: '/nowhere/permits.yaml', file: 'permits.yaml', project: 'a', allProjects: ['a'], now: 0 };
    await expect(readPermits(options)).rejects.toMatchObject({ code: 'config_invalid' });
  });
});
