import { describe, expect, test } from 'vitest';
import { FlagwrightError } from '../../src/base/errors.ts';
import { readBaseline, type KnownDrift } from '../../src/config/entries.ts';
import { describe as describeDiagnostic } from '../../src/report/words/diagnostics.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const NOW = Date.parse('2026-06-30T23:59:59Z');

async function read(text: string, project = 'production'): Promise<readonly KnownDrift[]> {
  const { root } = createWorkspace({ 'known.yaml': text });
  return readBaseline({ path: `${root}/known.yaml`, file: 'known.yaml', project, now: NOW });
}

async function refusal(text: string): Promise<FlagwrightError> {
  const error: unknown = await read(text).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(FlagwrightError);
  return error as FlagwrightError;
}

const ENDING = 'reason: x, expires: 2026-12-31';

describe('a file of known drift', () => {
  test('gives each entry with its reason, its last day and its place', async () => {
    const text = 'drift:\n  - key: checkout\n    path: active\n    reason: a ramp\n    expires: 2026-07-01\n';
    expect(await read(text)).toEqual([
      {
        key: 'checkout',
        path: 'active',
        reason: 'a ramp',
        expires: '2026-07-01',
        isExpired: false,
        source: { file: 'known.yaml', line: 2, column: 5 },
      },
    ]);
  });

  test('counts until the end of the last day in UTC, and not on the next', async () => {
    const text = `drift: [{ key: a, reason: x, expires: 2026-06-29 }, { key: b, reason: x, expires: 2026-06-30 }]`;
    expect((await read(text)).map(({ isExpired }) => isExpired)).toEqual([true, false]);
  });

  test('is for the projects that it names, and for all where it names none', async () => {
    const text = `drift: [{ key: a, ${ENDING}, projects: [staging] }, { key: b, ${ENDING} }]`;
    const keys = async (project: string): Promise<string[]> => (await read(text, project)).map(({ key }) => key);
    expect([await keys('production'), await keys('staging')]).toEqual([['b'], ['a', 'b']]);
  });

  test('keeps entries that are there twice, each with its own place', async () => {
    const known = await read(`drift:\n  - { key: a, ${ENDING} }\n  - { key: a, ${ENDING} }\n`);
    expect(known.map(({ source }) => source.line)).toEqual([2, 3]);
  });

  test.each([[''], ['# nothing yet'], ['drift: []'], ['drift:\n']])('%j knows nothing', async (text) => {
    expect(await read(text)).toEqual([]);
  });

  test.each([
    ['no YAML', 'drift: [', ['1:9 yaml-syntax']],
    ['a tab', 'drift:\n\t- key: a\n', ['2:1 yaml-tab']],
    ['a member twice', `drift: [{ key: a, key: b, ${ENDING} }]`, ['1:19 yaml-duplicate-key']],
    ['two documents', 'drift: []\n---\ndrift: []\n', ['3:1 config-several-documents']],
    ['a list at the top', `- { key: a, ${ENDING} }`, ['1:1 type-wrong']],
    ['an unknown member', `drift: [{ kye: a, ${ENDING} }]`, ['1:9 property-missing', '1:11 property-unknown']],
    ['no key', `drift: [{ ${ENDING} }]`, ['1:9 property-missing']],
    ['no reason', 'drift: [{ key: a, expires: 2026-12-31 }]', ['1:9 property-missing']],
    ['no last day', 'drift: [{ key: a, reason: x }]', ['1:9 property-missing']],
    ['a date in another form', 'drift: [{ key: a, reason: x, expires: 31.12.2026 }]', ['1:30 value-pattern']],
    ['a day that does not exist', 'drift: [{ key: a, reason: x, expires: 2026-02-30 }]', ['1:30 date-invalid']],
    ['an invalid glob', `drift: [{ key: "!a", ${ENDING} }]`, ['1:11 key-pattern-invalid']],
    ['a state that is no digest', `drift: [{ key: a, state: 1f, ${ENDING} }]`, ['1:19 value-pattern']],
  ])('with %s is refused at its place', async (_, text, expected) => {
    const { code, diagnostics } = await refusal(text);
    expect(code).toBe('config_invalid');
    expect(diagnostics.map((one) => `${one.place?.line}:${one.place?.column} ${one.code}`)).toEqual(expected);
  });

  test('reports the mistakes of all entries, in the order of the file', async () => {
    const wrong = '{ key: "!a", reason: x, expires: 2026-02-30 }';
    const { diagnostics } = await refusal(`drift:\n  - ${wrong}\n  - ${wrong}\n`);
    expect(diagnostics.map((one) => `${one.place?.line} ${one.code}`)).toEqual([
      '2 key-pattern-invalid',
      '2 date-invalid',
      '3 key-pattern-invalid',
      '3 date-invalid',
    ]);
    expect(diagnostics.map((one) => describeDiagnostic(one).message)[1]).toContain('2026-02-30');
  });

  test('that does not exist is named', async () => {
    const { root } = createWorkspace({});
    const reading = readBaseline({ path: `${root}/gone.yaml`, file: 'gone.yaml', project: 'production', now: NOW });
    const error: unknown = await reading.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'config_invalid' });
    expect((error as FlagwrightError).diagnostics[0]?.place).toMatchObject({ file: 'gone.yaml' });
  });
});
