import { describe, expect, test } from 'vitest';
import type { FlagwrightError } from '../../../src/base/errors.ts';
import { findOtherFile, parsePlan } from '../../../src/core/engine/read-plan-document.ts';

describe('a file other than a saved plan is identified by its first characters', () => {
  test.each([
    ['an empty file', ''],
    ['an empty file', '\n\n'],
    ['the text of a plan', 'Plan for local (embedded service)\n'],
    ['the text of a plan', 'Drift of production\n'],
    ['a manifest', 'flags:\n  a: {}\n'],
    ['a manifest', '# yaml-language-server: $schema=x\n\n---\nrole_access:\n'],
    ['a manifest', 'early_access:\n  assistant: {}\n'],
    ['the journal of a run', '{"kind":"begun","format_version":"1.0"}\n'],
    ['a compressed archive', 'PK\u0003\u0004'],
    ['a compressed archive', Buffer.from([0x1f, 0x8b, 8, 0]).toString()],
    ['a UTF-16 file', Buffer.from('\uFEFF{"a":1}', 'utf16le').toString()],
    ['a UTF-16 file', Buffer.from('{"a":1}', 'utf16le').toString()],
    ['not a flagwright plan', 'hello'],
  ])('%s: %j', (what, text) => {
    expect(findOtherFile(text)?.what).toBe(what);
  });

  test.each(['{"format_version":"1.0"}', '\uFEFF\n{', '[]'])('%j is not rejected, because it may be JSON', (text) => {
    expect(findOtherFile(text)).toBeUndefined();
  });
});

test('what is no plan is refused with what it is, and what helps', () => {
  const refusal = (text: string): unknown => {
    try {
      return parsePlan(text);
    } catch (error) {
      const { code, message, remedy } = error as FlagwrightError;
      return [code, message, remedy];
    }
  };
  expect(refusal('PK\u0003\u0004')).toEqual([
    'plan_invalid',
    'The saved plan cannot be used. It is a compressed archive.',
    'Unpack it first.',
  ]);
  expect(refusal('{"kind":"snapshot"}')).toEqual([
    'plan_invalid',
    expect.stringMatching(/It is a snapshot of a project/),
    expect.any(String),
  ]);
  expect(refusal('[]')).toEqual([
    'plan_invalid',
    'The saved plan cannot be used. It is not a flagwright plan.',
    'Make a new one with `flagwright plan --out FILE`.',
  ]);
  expect(refusal('{"format_version": 7}')).toEqual([
    'plan_invalid',
    expect.stringMatching(/It has format version null, /),
    expect.any(String),
  ]);
  expect(refusal('{"a": [')).toEqual([
    'plan_invalid',
    expect.stringMatching(/The file is not complete JSON\./),
    expect.any(String),
  ]);
});
