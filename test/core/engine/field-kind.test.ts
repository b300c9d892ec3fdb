import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import {
  changeDifferences,
  compareFields,
  compareWithFormer,
  mixDeclared,
  pickFields,
  type FieldKind,
} from '../../../src/core/engine/field-kind.ts';

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

  it('of one that the base had as gone are pending, whatever is live', () => {
    const base = { kind: 'retired', key: 'one', previousKeys: [] } as const;
    const live = { gone: true, name: 'live' };
    const { differences } = compareWithFormer(
      { wanted: { gone: false, name: 'new' }, live, former: { base } },
      TRIMMED,
    );
    expect(differences.map(({ path, divergence }) => [path, divergence])).toEqual([
      ['/gone', 'pending'],
      ['/name', 'pending'],
    ]);
  });

  it.each<[name: string, base: JsonObject, divergence: string]>([
    ['as it was declared', { name: 'new' }, 'drifted'],
    ['declared otherwise', { name: 'old' }, 'conflict'],
  ])('of one that people deleted and that is %s now', (_name, base, divergence) => {
    const kind = { ...TRIMMED, implied: { deleted: false }, retired: { deleted: true } };
    const live = { deleted: true, name: 'old' };
    const { differences } = compareWithFormer(
      { wanted: { deleted: false, name: 'new' }, live, former: { base: declared(base) } },
      kind,
    );
    expect(differences.find(({ path }) => path === '/deleted')?.divergence).toBe(divergence);
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

describe('the change of a resource', () => {
  const place = (line: number) => ({ file: 'a.yaml', line, column: 1 });
  const places = { place: place(1), children: { name: { place: place(2) }, tree: { place: place(3) } } };
  const at = (path: string) => ({ path, before: 'old', after: 'new', divergence: 'pending', at: path }) as const;
  const make = (shown: object) => shown;

  it('has each difference with its place, and writes each field once', () => {
    const differences = [at('/tree/a'), at('/tree/b'), at('/name'), at('/text')];
    const { changes, converged } = changeDifferences({ differences, converged: 2 }, places, make);
    expect(converged).toBe(2);
    expect(changes).toEqual([
      {
        fields: [place(3), place(3), place(2), place(1)].map((source, index) => ({ ...differences[index], source })),
        written: ['tree', 'name', 'text'],
        source: place(3),
      },
    ]);
  });

  it('is none where nothing differs', () => {
    expect(changeDifferences({ differences: [] }, places, make)).toEqual({ changes: [], warnings: [] });
  });
});
