import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import {
  compareFields,
  compareWithFormer,
  mixDeclared,
  pickFields,
  type FieldKind,
} from '../../src/engine/field-kind.ts';

/** Strings are trimmed, and every resource exists unless it is declared as gone. */
const TRIMMED: FieldKind<JsonObject> = {
  canonical: trimmed,
  comparable: trimmed,
  implied: { gone: false },
  retired: { gone: true },
  units: new Set(['/tree']),
};

function trimmed(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value]),
  );
}

const declared = (fields: JsonObject) => ({ kind: 'declared', key: 'one', previousKeys: [], fields }) as const;

const LIVE: JsonObject = { gone: false, name: 'live', text: 'old', tree: { a: 1, b: 1 } };

describe('fields in canonical form', () => {
  it('differ only where they are wanted, and not in what the form leaves out', () => {
    expect(compareFields({ name: ' live ', text: 'new' }, LIVE, TRIMMED)).toEqual([
      { path: '/text', before: 'old', after: 'new' },
    ]);
  });

  it.each([
    ['git moved the value', { text: 'old' }, { text: 'new' }, 'pending'],
    ['the service moved the value', { text: 'new' }, { text: 'new' }, 'drifted'],
    ['both moved the value', { text: 'base' }, { text: 'new' }, 'conflict'],
    ['the base did not declare the value', {}, { text: 'new' }, 'pending'],
    ['two parts of one unit moved on both sides', { tree: { a: 0, b: 1 } }, { tree: { a: 0, b: 2 } }, 'conflict'],
  ])('have a class against a base: %s', (_case, base, wanted, divergence) => {
    const former = { base: declared(base) };
    const { differences } = compareWithFormer({ wanted, live: LIVE, former }, TRIMMED);
    expect(new Set(differences.map((one) => one.divergence))).toEqual(new Set([divergence]));
  });

  it('have no class without a base, and the resource that was deleted since is drifted', () => {
    const wanted = { gone: false, name: 'live' };
    const live = { ...LIVE, gone: true };
    expect(compareWithFormer({ wanted, live, former: {} }, TRIMMED)).toEqual({
      differences: [{ path: '/gone', before: true, after: false }],
    });
    const { differences } = compareWithFormer({ wanted, live, former: { base: declared({ name: 'live' }) } }, TRIMMED);
    expect(differences).toMatchObject([{ path: '/gone', divergence: 'drifted' }]);
  });

  it('are counted where both sides moved to the same value', () => {
    const former = { base: declared({ text: 'base' }) };
    expect(compareWithFormer({ wanted: { text: 'old' }, live: LIVE, former }, TRIMMED)).toEqual({
      differences: [],
      converged: 1,
    });
  });

  it('are those of the earlier declaration where they are named, and unmanaged where that lacks them', () => {
    const [later, earlier] = [declared({ name: 'b', text: 'b' }), declared({ name: 'a' })];
    expect(mixDeclared(later, earlier, ['name', 'text'])?.fields).toEqual({ name: 'a' });
    expect(pickFields({ name: 'a' }, ['name', 'text'])).toEqual({ name: 'a' });
  });
});
