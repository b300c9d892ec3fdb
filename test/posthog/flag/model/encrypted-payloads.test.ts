import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import {
  ENCRYPTED_PAYLOAD,
  hasEncryptedPayloads,
  holdsPayloadDigest,
  payloadsOf,
  withDeclaredSecrecy,
  withKeptPayloads,
  withMarksReplaced,
  withMissingDigests,
  withPayloadDigests,
} from '../../../../src/posthog/flag/model/encrypted-payloads.ts';

const holding = (payloads: JsonValue): JsonObject => ({ name: 'a', filters: { groups: [], payloads } });
const digested = withPayloadDigests(holding({ true: 'secret' }));
const digest = payloadsOf(digested)['true'] as JsonObject;

describe('encrypted payloads', () => {
  it('exist only if has_encrypted_payloads is true', () => {
    for (const value of [false, null, 'true', 1])
      expect(hasEncryptedPayloads({ has_encrypted_payloads: value })).toBe(false);
    expect(hasEncryptedPayloads({ has_encrypted_payloads: true })).toBe(true);
    expect(hasEncryptedPayloads({})).toBe(false);
  });

  it('are secret if a manifest declares encryption and the service does not report it', () => {
    const declared = { has_encrypted_payloads: true };
    expect(withDeclaredSecrecy({ a: 1 }, declared)).toEqual({ a: 1, has_encrypted_payloads: true });
    for (const [flag, by] of [
      [{ has_encrypted_payloads: false }, declared],
      [{ has_encrypted_payloads: null }, declared],
      [{ a: 1 }, { has_encrypted_payloads: false }],
      [{ a: 1 }, {}],
    ] as const) {
      expect(withDeclaredSecrecy<JsonObject>(flag, by)).toBe(flag);
    }
  });

  it('have digests, which are equal for equal payloads', () => {
    expect(digest).toEqual({ encrypted_payload: expect.stringMatching(/^sha256:[0-9a-f]{12}$/) as unknown });
    expect(digested).toMatchObject({ name: 'a', filters: { groups: [] } });
    const two = payloadsOf(withPayloadDigests(holding({ a: { x: 1, y: 2 }, b: { y: 2, x: 1 }, c: 'other' })));
    expect(two['a']).toEqual(two['b']);
    expect(two['a']).not.toEqual(two['c']);
    expect(payloadsOf(withPayloadDigests(holding({ true: ENCRYPTED_PAYLOAD })))).toEqual({ true: ENCRYPTED_PAYLOAD });
  });

  it('have no digests if there are no payloads', () => {
    for (const fields of [{}, { filters: 'x' }, { filters: {} }, holding(null), holding([1])]) {
      expect(withPayloadDigests(fields)).toBe(fields);
      expect(holdsPayloadDigest(fields)).toBe(false);
      expect(payloadsOf(fields)).toEqual({});
    }
  });

  it('keep the digests of a saved plan', () => {
    expect(withMissingDigests(digested)).toEqual(digested);
    expect(withMissingDigests(holding({ true: 'secret' }))).toEqual(digested);
    expect(withPayloadDigests(digested)).not.toEqual(digested);
  });

  it.each<[string, JsonValue, boolean]>([
    ['a digest', digest, true],
    ['a digest and more', { ...digest, a: 1 }, false],
    ['another member', { payload: 'sha256:0123456789ab' }, false],
    ['a digest that is too short', { encrypted_payload: 'sha256:0123' }, false],
    ['a digest that is too long', { encrypted_payload: 'sha256:0123456789abc' }, false],
    ['a digest with a prefix', { encrypted_payload: 'xsha256:0123456789ab' }, false],
    ['a number', { encrypted_payload: 1 }, false],
    ['a secret', 'sha256:0123456789ab', false],
  ])('are recognised by a valid digest only: %s', (_name, payload, isDigest) => {
    expect(holdsPayloadDigest(holding({ a: 1, b: payload }))).toBe(isDigest);
  });

  it('are replaced by the mark if the digest is unchanged', () => {
    const fields = holding({ a: digest, b: digest, c: 'plain' });
    expect(withKeptPayloads(fields, (variant, found) => variant !== 'b' && found === digest)).toEqual(
      holding({ a: ENCRYPTED_PAYLOAD, b: digest, c: 'plain' }),
    );
  });

  it('are sent with their former values in place of marks', () => {
    const fields = holding({ a: ENCRYPTED_PAYLOAD, b: ENCRYPTED_PAYLOAD, c: 'new' });
    expect(withMarksReplaced(fields, holding({ a: 'old', c: 'old' }))).toEqual(
      holding({ a: 'old', b: ENCRYPTED_PAYLOAD, c: 'new' }),
    );
  });
});
