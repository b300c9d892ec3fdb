/** What kinds with a body do alike, with two resources so that one cannot stand for the other. */

import { describe, expect, test } from 'vitest';
import {
  findEffect,
  findRemainders,
  findToInvert,
  inspect,
  rewrite,
  softDelete,
  type BodyChange,
  type BodyKind,
  type BodyRun,
} from '../../../src/core/engine/body-kind.ts';
import { diff, remainderOf } from '../../../src/core/engine/diff.ts';

interface Thing {
  readonly id: number;
  readonly name: string;
  readonly size?: number;
  readonly deleted?: boolean;
}

type Update = BodyChange & { readonly id: number };

const change = (action: BodyChange['action'], key: string, id?: number): Update => ({
  action,
  ref: `thing:${key}`,
  resource: 'thing',
  key,
  id: id as number,
  fields: [{ path: '/name', before: 'old', after: 'new' }],
  body: { name: 'new' },
  needs: [],
});

function runOf(...things: readonly Thing[]): BodyRun<Thing> & { readonly kept: [string, number][] } {
  const kept: [string, number][] = [];
  return {
    kept,
    idOf: (key) => things.find(({ name }) => name === key)?.id,
    find: (id) => things.find((one) => one.id === id),
    keep: (key, { id }) => kept.push([key, id]),
  };
}

const KIND: BodyKind<Update, Thing, BodyRun<Thing>> = {
  findMissing: ({ body }, { name, size }) => [
    ...(name === body['name'] ? [] : [{ path: '/name' }]),
    ...(size === (body['size'] ?? size) ? [] : [{ path: '/size' }]),
  ],
  findWritten: ({ body }) => diff({ name: 'old', size: 1 }, { name: 'old', size: 1, ...body }),
  findMoved: (_change, live) => (live?.name === 'old' ? [] : [{ path: '/name', ...(live && { after: live.name }) }]),
  findRemainder: (made, { name }) =>
    name === made.body['name'] ? [] : [remainderOf(made, { path: '/name', before: name, after: 'new' })],
};

describe('what live state shows of a change', () => {
  const run = runOf({ id: 1, name: 'old' }, { id: 2, name: 'new' }, { id: 3, name: 'other' });

  test.each<[string, Update, unknown]>([
    ['as planned', change('update', 'a', 1), { kind: 'as_planned' }],
    [
      'more than it shows',
      { ...change('update', 'a', 1), body: { name: 'new', size: 3 } },
      { kind: 'unshown', paths: ['/size'] },
    ],
    [
      'another value than it shows',
      { ...change('update', 'a', 1), body: { name: 'other' } },
      { kind: 'unshown', paths: ['/name'] },
    ],
    [
      'over another value than it shows',
      { ...change('update', 'a', 1), fields: [{ path: '/name', before: 'older', after: 'new' }] },
      { kind: 'unshown', paths: ['/name'] },
    ],
    ['in effect', change('update', 'b', 2), { kind: 'in_effect', id: 2 }],
    ['moved', change('update', 'c', 3), { kind: 'moved', moved: [{ path: '/name', after: 'other' }] }],
    ['gone', change('update', 'd', 9), { kind: 'moved', moved: [{ path: '/name' }] }],
    ['made by another run', change('create', 'new'), { kind: 'in_effect', id: 2 }],
  ])('it is %s', (_name, made, standing) => {
    expect(inspect(made, run, KIND)).toEqual(standing);
  });

  test('a create has an effect only where a resource has its key and what it writes', () => {
    expect(['new', 'other', 'none'].map((key) => findEffect(change('create', key), run, KIND))).toEqual([
      2,
      undefined,
      undefined,
    ]);
  });
});

describe('a write whose answer was lost', () => {
  const lookUp = async (now: Thing | undefined, action: BodyChange['action'], hidesDeleted: boolean) => {
    const run = runOf({ id: 1, name: 'old' });
    const sendOver = (original: Thing | undefined) => async () => original?.id ?? 0;
    const write = rewrite(
      change(action, 'a', 1),
      { run, kind: KIND, sendOver, read: async () => now },
      { hidesDeleted },
    );
    const { kind } = await write.lookUp();
    return [kind, run.kept];
  };

  test('is in effect where the service has what it wrote, which the run keeps', async () => {
    expect(await lookUp({ id: 1, name: 'new' }, 'update', true)).toEqual(['in_effect', [['a', 1]]]);
  });

  test('is to be sent again over what is as before, and not over an edit', async () => {
    expect(await lookUp({ id: 1, name: 'old' }, 'update', true)).toEqual(['unwritten', []]);
    expect(await lookUp({ id: 1, name: 'edited' }, 'update', true)).toEqual(['changed', []]);
  });

  test('deleted what is gone, where the service hides deleted resources, and then alone', async () => {
    expect(await lookUp(undefined, 'delete', true)).toEqual(['in_effect', []]);
    expect(await lookUp(undefined, 'update', true)).toEqual(['changed', []]);
    expect(await lookUp(undefined, 'delete', false)).toEqual(['changed', []]);
  });
});

test('what remains is told of each change: a delete that left its resource, a resource that is gone, a value', () => {
  const things = [
    { id: 1, name: 'old' },
    { id: 2, name: 'old', deleted: true },
    { id: 3, name: 'old' },
    { id: 4, name: 'new' },
  ];
  const read = new Map(things.map((one) => [one.id, one]));
  const changes = [
    change('delete', 'a', 1),
    change('delete', 'b', 2),
    change('update', 'c', 2),
    change('update', 'd', 3),
    change('update', 'e', 4),
    change('update', 'f', 9),
  ];
  const found = findRemainders(changes, read, { run: runOf(...things), kind: KIND });
  expect(found.map(({ key, path, reason }) => [key, path, reason])).toEqual([
    ['a', '/deleted', 'service_changed_value'],
    ['c', '', 'not_found'],
    ['d', '/name', 'service_changed_value'],
    ['f', '', 'not_found'],
  ]);
});

test('a change is reverted only where its resource is live with what it wrote; a created one is found by the answer', () => {
  const things = [
    { id: 1, name: 'new' },
    { id: 2, name: 'edited' },
  ];
  const invert = (made: Update, id?: number): unknown =>
    findToInvert(
      { change: made, ...(id === undefined ? {} : { id }) },
      (wanted) => things.find((one) => one.id === wanted),
      ({ name }) => (name === 'new' ? [] : [{ path: '/name', before: name, after: 'new' }]),
    );
  expect(invert(change('update', 'a', 1))).toEqual({ live: things[0] });
  expect(invert(change('create', 'a'), 1)).toEqual({ live: things[0] });
  expect(invert(change('create', 'a'))).toMatchObject({ refusal: 'gone' });
  expect(invert(change('update', 'b', 2), 1)).toMatchObject({
    refusal: 'moved',
    moved: [{ path: '/name', before: 'new', after: 'edited' }],
  });
});

test('a delete shows the resource as it is and becomes, with the class that it has', () => {
  const deleted = { path: '/deleted', before: false, after: true };
  const made = (divergence?: 'drifted') => softDelete('thing', 'a', { id: 1, base: { version: 3 }, divergence });
  expect(made()).toMatchObject({ action: 'delete', id: 1, body: { deleted: true }, base: { version: 3 } });
  expect(made().fields).toEqual([deleted]);
  expect(made('drifted').fields).toEqual([{ ...deleted, divergence: 'drifted' }]);
});
