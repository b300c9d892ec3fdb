/**
 * Faults while apply reads: before the writes, where no guess is allowed, and after them, where no outcome may be lost. `FAULTS=long`
 * tries every temporary fault with every kind of write; otherwise four kinds for each, which take turns.
 */

import { describe, expect, test } from 'vitest';
import type { Effects } from '../../service/src/index.ts';
import { ServiceError } from '../../src/posthog/client/service-error.ts';
import { declared, desiredState } from '../helpers/states.ts';
import { isDone, KEYS, KINDS, kindsOfRow, setUp, wantedOf, type Kind } from './kinds.ts';
import { expectConvergence, look, startRig, type Rig } from './rig.ts';

const PASSING: readonly (readonly [name: string, effects: Effects, count: number])[] = [
  ['500', { answer: { status: 500 } }, 3],
  ['502 with a page', { answer: { status: 502, body: 'html' } }, 2],
  ['503 with nothing', { answer: { status: 503, body: 'nothing', retry_after: 1 } }, 2],
  ['429', { answer: { status: 429, retry_after: 1 } }, 3],
  ['a reset', { reset: {} }, 2],
  ['a hang', { hang: {} }, 1],
  ['a late answer', { latency: { ms: 400 } }, 1],
  ['a truncated body', { truncate: {} }, 2],
  ['a slow drip', { drip: { bytes: 1, every_ms: 10 } }, 1],
  ['a page that shrinks', { shrink: {} }, 2],
  ['unknown fields', { unknown_fields: { brand_new: 1 } }, 9],
  ['another content type', { content_type: 'text/html' }, 9],
  ['links to another host', { next: 'https://elsewhere.example.com' }, 9],
  [
    'a redirect within the host',
    { answer: { status: 302, location: '/api/projects/1/feature_flags/', body: 'nothing' } },
    1,
  ],
];

const LASTING: readonly (readonly [name: string, effects: Effects])[] = [
  ['401', { answer: { status: 401 } }],
  ['403', { answer: { status: 403 } }],
  ['404', { answer: { status: 404 } }],
  ['500', { answer: { status: 500 } }],
  ['a page of a proxy', { answer: { status: 200, body: 'html' } }],
  ['an empty body', { answer: { status: 200, body: 'nothing' } }],
  [
    'a redirect to another host',
    { answer: { status: 302, location: 'https://elsewhere.example.com/', body: 'nothing' } },
  ],
  ['resets', { reset: {} }],
  ['a truncated body', { truncate: {} }],
  ['an endless body', { endless: {} }],
  ['a page that shrinks', { shrink: {} }],
];

const LIST = { match: { operation: 'listFlags' } } as const;

async function withRig(work: (rig: Rig) => Promise<void>): Promise<void> {
  const rig = await startRig('posthog');
  try {
    await work(rig);
  } finally {
    await rig.close();
  }
}

const temporary = PASSING.flatMap(([name, effects, count]) => [
  { name: `${name}, before the writes`, rule: { ...LIST, count, ...effects } },
  { name: `${name}, after them`, rule: { ...LIST, from: 2, count, ...effects } },
]).flatMap((fault, row) => kindsOfRow(row).map((kind) => ({ ...fault, kind, name: `${kind.name}: ${fault.name}` })));

test.concurrent.each(temporary)('a temporary fault does no harm to a run of $name', ({ rule, kind }) =>
  withRig(async ({ honest, startFaulty }) => {
    const plan = await setUp(honest, kind);
    const faulty = await startFaulty([rule]);
    const result = await faulty.apply(plan);
    expect(result).toMatchObject({ outcomes: { applied: KEYS.length }, remainder: [], verified: true });
    const seen = await look(honest);
    expect(plan.changes.map(({ key }) => isDone(kind, key, seen))).toEqual([true, true, true]);
  }),
);

describe.concurrent('a lasting fault', () => {
  const kind = KINDS.find(({ name }) => name === 'update') as Kind;

  test.each(LASTING)('before the writes stops the run without a write: %s', (_name, effects) =>
    withRig(async ({ honest, startFaulty }) => {
      const plan = await setUp(honest, kind);
      const before = await look(honest);
      const faulty = await startFaulty([{ ...LIST, count: 1000, ...effects }]);
      await expect(faulty.apply(plan)).rejects.toBeInstanceOf(ServiceError);
      expect((await look(honest)).ourActivity).toEqual(before.ourActivity);
      await expectConvergence(honest, wantedOf(kind));
    }),
  );

  test.each(LASTING)('after the writes leaves them applied and not verified: %s', (_name, effects) =>
    withRig(async ({ honest, startFaulty }) => {
      const plan = await setUp(honest, kind);
      const faulty = await startFaulty([{ ...LIST, from: 2, count: 1000, ...effects }]);
      const { outcomes, verified, remainder } = await faulty.apply(plan);
      expect({ outcomes, verified, remainder }).toMatchObject({
        outcomes: { applied: 3 },
        verified: false,
        remainder: [],
      });
      await expectConvergence(honest, wantedOf(kind));
    }),
  );

  test('role access that cannot be read does not count as empty', () =>
    withRig(async ({ honest, startFaulty }) => {
      await honest.client.createFlag({ key: 'a', filters: { groups: [{ rollout_percentage: 1 }] } });
      const plan = await honest.plan(
        desiredState(declared('a', {}, { roles: ['0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11'] })),
      );
      const faulty = await startFaulty([{ match: { operation: 'getAccess' }, count: 1000, answer: { status: 403 } }]);
      expect((await faulty.apply(plan)).changes[0]?.result).toMatchObject({
        outcome: 'failed',
        error: { code: 'forbidden' },
      });
      const seen = await look(honest);
      expect(seen.rolesOf(seen.flags[0])).toEqual([]);
    }));
});

test('a flag that is deleted while the pages are read does not hide another', () =>
  withRig(async ({ honest, startFaulty }) => {
    for (let number = 0; number < 5; number += 1) {
      await honest.client.createFlag({ key: `f${number}`, filters: { groups: [{ rollout_percentage: 1 }] } });
    }
    const edit = { method: 'PATCH', path: 'feature_flags/{flag:f4}/', body: { deleted: true } } as const;
    const faulty = await startFaulty([{ ...LIST, from: 2, edit }]);
    const flags = await faulty.client.listFlags({ pageSize: 2 });
    expect(flags.map((flag) => flag.key).sort()).toEqual(['f0', 'f1', 'f2', 'f3']);
  }));
