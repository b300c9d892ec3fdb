import { describe, expect, test } from 'vitest';
import { createSecrets } from '../../../src/cli/session/session-parts.ts';

describe('secrets', () => {
  test.each([
    ['plain', 'Bearer phx_SECRETSECRET!', 'Bearer [redacted]!'],
    ['twice', 'phx_SECRETSECRET phx_SECRETSECRET', '[redacted] [redacted]'],
    ['not there', 'nothing', 'nothing'],
  ])('are redacted: %s', (_, text, expected) => {
    const secrets = createSecrets();
    secrets.add('phx_SECRETSECRET');
    expect(secrets.redact(text)).toBe(expected);
  });

  test('are redacted in escaped forms too', () => {
    const secrets = createSecrets();
    secrets.add('a"b\\c/secret');
    expect(secrets.redact(JSON.stringify({ x: 'a"b\\c/secret' }))).toBe('{"x":"[redacted]"}');
    expect(secrets.redact(encodeURIComponent('a"b\\c/secret'))).toBe('[redacted]');
  });

  test('a string too short to be a key is not redacted', () => {
    const secrets = createSecrets();
    secrets.add('key');
    expect(secrets.redact('{"key": 1}')).toBe('{"key": 1}');
  });

  test('of eight characters are redacted, and a text with one is refused where it must stay as it is', () => {
    const secrets = createSecrets();
    for (const secret of ['12345678', 'abcdefg']) secrets.add(secret);
    expect(secrets.redact('12345678 abcdefg')).toBe('[redacted] abcdefg');
    const refusal = { message: 'Nothing was applied.', source: 'the manifests' };
    secrets.refuse('abcdefg', refusal);
    expect(() => secrets.refuse('a 12345678', refusal)).toThrow(
      expect.objectContaining({
        code: 'refused',
        message: 'Nothing was applied.',
        remedy: 'Find the key in descriptions and payloads of the manifests, and replace it.',
      }) as Error,
    );
  });
});
