/** Every kind of record and outcome is accepted as written, and refused with any member changed or missing. */

import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/loop/apply/result.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { isRecord, type JournalRecord } from '../../../src/loop/journal/record.ts';

const AT = '2026-01-01T00:00:00.000Z';
const ERROR = { code: 'forbidden', message: 'no', status: 403, field: 'key' };
const OUTCOMES: readonly Outcome[] = [
  { outcome: 'applied', id: 4 },
  { outcome: 'failed', error: ERROR },
  { outcome: 'pending', error: ERROR },
  { outcome: 'unknown', error: ERROR },
  { outcome: 'skipped', reason: { code: 'interrupted' } },
  { outcome: 'skipped', reason: { code: 'deadline' } },
  { outcome: 'skipped', reason: { code: 'not_recorded' } },
  { outcome: 'skipped', reason: { code: 'key_refused', ref: 'flag:a' } },
  { outcome: 'skipped', reason: { code: 'needs_failed', refs: ['flag:a', 'flag:b'] } },
  { outcome: 'skipped', reason: { code: 'stale', moved: [{ path: '/name', before: 'x' }, { path: '/active' }] } },
];
const RECORDS: readonly JournalRecord[] = [
  { kind: 'begun', format_version: '1.0', run: 'x', at: AT, plan: {} },
  { kind: 'resumed', at: AT },
  { kind: 'sending', ref: 'flag:a', at: AT },
  ...OUTCOMES.map((result) => ({ kind: 'settled' as const, ref: 'flag:a', at: AT, result })),
  { kind: 'ended', at: AT, outcomes: { applied: 1, failed: 0, skipped: 0, pending: 0, unknown: 0 } },
];

/** Members that may be absent. */
const OPTIONAL: ReadonlySet<string> = new Set(['id', 'status', 'field', 'before']);
/** Members that no code depends on: any value is accepted. */
const FREE: ReadonlySet<string> = new Set(['run', 'outcomes', 'before']);

describe('a record', () => {
  it.each(RECORDS.map((record) => [JSON.stringify(record), record as unknown as JsonObject] as const))(
    '%s',
    (_text, record) => {
      expect(isRecord(record)).toBe(true);
      const misjudged = variantsOf(record).filter(({ value, sound }) => isRecord(value) !== sound);
      expect(misjudged.map(({ what }) => what)).toEqual([]);
    },
  );

  it.each<[JsonValue]>([
    [null],
    [[]],
    ['begun'],
    [{}],
    [{ kind: 'begun' }],
    [{ kind: 'else', at: AT }],
    [{ at: AT }],
    [settled({ outcome: 'skipped', reason: { code: 'else' } })],
    [settled({ outcome: 'skipped' })],
    [settled({ outcome: 'failed' })],
  ])('is not %j', (value) => {
    expect(isRecord(value)).toBe(false);
  });
});

describe('a write that waits for an approval', () => {
  const REQUEST = { id: 'cr-1', url: 'https://x', action: 'a', key: 'k', wasOpen: true, asks: 'this_change' };
  const PARTS = { written: ['filters'], waiting: ['active'], unsent: [], id: 7 };
  const pending = (more: JsonObject): boolean => isRecord(settled({ outcome: 'pending', error: ERROR, ...more }));

  it('is a record with its request and its parts, so that it is resumed and undone', () => {
    expect(pending({ request: REQUEST, parts: PARTS })).toBe(true);
    expect(pending({ request: { id: 'cr-1', wasOpen: false }, parts: { written: [], waiting: [], unsent: [] } })).toBe(
      true,
    );
    expect(isRecord(settled({ outcome: 'failed', error: ERROR, parts: PARTS }))).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ['a request that is no object', { request: 'cr-1' }],
    ['a request without an id', { request: { wasOpen: true } }],
    ['a request whose id is a number', { request: { ...REQUEST, id: 7 } }],
    ['a request that does not say whether it was open', { request: { id: 'cr-1' } }],
    ...['url', 'action', 'key', 'asks'].map((name): [string, JsonObject] => [
      `a request with another ${name}`,
      { request: { ...REQUEST, [name]: 1 } },
    ]),
    ['parts that are no object', { parts: [] }],
    ...['written', 'waiting', 'unsent'].flatMap((name): [string, JsonObject][] => [
      [`parts without ${name}`, { parts: { ...PARTS, [name]: undefined } }],
      [`parts with another ${name}`, { parts: { ...PARTS, [name]: ['x', 1] } }],
      [`parts with ${name} as a string`, { parts: { ...PARTS, [name]: 'filters' } }],
    ]),
    ['parts with another id', { parts: { ...PARTS, id: 'x' } }],
  ])('is none with %s', (_name, more) => {
    expect(pending(more)).toBe(false);
  });
});

function settled(result: JsonObject): JsonObject {
  return { kind: 'settled', ref: 'flag:a', at: AT, result };
}

interface Change {
  readonly what: string;
  readonly value: JsonValue;
  readonly sound: boolean;
}

/** Values that replace a member. */
const OTHERS: readonly JsonValue[] = [null, true, 1.5, 'something else', [], [1], {}, [{}], { code: 1 }];

/** The record with each of its members, at any depth, left out or replaced by a value of each other kind. */
function variantsOf(value: JsonObject): Change[] {
  return Object.entries(value).flatMap(([name, member]) => {
    if (member === undefined) return [];
    const { [name]: _, ...without } = value;
    const changes: Change[] = [
      { what: `without ${name}`, value: without, sound: OPTIONAL.has(name) || FREE.has(name) },
    ];
    for (const other of OTHERS) {
      if (!isSameKind(name, member, other)) {
        changes.push({
          what: `${name}: ${JSON.stringify(other)}`,
          value: { ...value, [name]: other },
          sound: FREE.has(name),
        });
      }
    }
    if (FREE.has(name)) return changes;
    const inner = isJsonObject(member) ? variantsOf(member) : isJsonArray(member) ? elementsOf(member) : [];
    return [
      ...changes,
      ...inner.map((change) => ({
        ...change,
        what: `${name} ${change.what}`,
        value: { ...value, [name]: change.value },
      })),
    ];
  });
}

/** The first item is kept: every item is checked, not just one. */
function elementsOf([first, ...rest]: readonly JsonValue[]): Change[] {
  const other = (value: JsonValue): Change => ({
    what: JSON.stringify(value),
    value: [first ?? null, value],
    sound: false,
  });
  return [other(null), other(7), ...(isJsonObject(rest[0] ?? first) ? [other({}), other({ path: 1 })] : [])];
}

/** Any string is valid except where a set of words is given; an empty list is a list; plans are checked elsewhere. */
function isSameKind(name: string, member: JsonValue, other: JsonValue): boolean {
  if (name === 'plan') return isJsonObject(other);
  if (typeof member === 'string') return typeof other === 'string' && !['kind', 'outcome'].includes(name);
  return isJsonArray(member) && isJsonArray(other) && other.length === 0;
}
