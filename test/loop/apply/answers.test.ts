/**
 * What proves a write: the answer that the service gives to it, or a look-up. Any other answer with a success status (a
 * login page, an empty body, another flag) proves nothing.
 */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { applyPlan } from '../../../src/loop/apply/apply-plan.ts';
import type { ApplyResult } from '../../../src/loop/apply/result.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import type { ServiceClient } from '../../../src/posthog/service-client.ts';
import { isDone, KEYS, KINDS, kindsOfRow, setUp } from '../../faults/kinds.ts';
import { look } from '../../faults/rig.ts';
import { startLiar } from '../../helpers/liar.ts';
import { holdsAsync } from '../../helpers/runs.ts';
import { ROLE_IDS, startWorld, type World } from '../../helpers/world.ts';
import type { Reply } from '../../posthog/client/support/server.ts';

const OTHER_ROLE = ROLE_IDS[1] ?? '';
const FLAG = { id: 987_654, key: 'somebody-elses', name: 'new', active: true, filters: { groups: [] }, tags: [] };

/** Neither a service nor a proxy that forwards answers gives these to a write. */
const NO_ANSWERS: readonly (readonly [name: string, reply: Reply])[] = [
  [
    'a login page with 200',
    { status: 200, headers: { 'content-type': 'text/html' }, body: '<html><body>Log in</body></html>' },
  ],
  ['a page with the content type of JSON', { status: 201, body: '<!doctype html>' }],
  ['200 without a body', { status: 200 }],
  ['201 without a body', { status: 201 }],
  ['202 without a body', { status: 202 }],
  ['null', { status: 200, body: 'null' }],
  ['an array', { status: 200, body: [FLAG] }],
  ['an object without members', { status: 200, body: {} }],
  ['an acknowledgement of something else', { status: 201, body: { success: true } }],
  ['a flag with another id and key', { status: 200, body: FLAG }],
  ['an entry of another role', { status: 201, body: { id: 1, role: { id: OTHER_ROLE, name: 'x' } } }],
  ['a redirect to a login page', { status: 302, headers: { location: 'https://login.example.com/' } }],
];

let world: World;
beforeEach(async () => {
  world = await startWorld('posthog');
});
afterEach(() => world.close());

const apply = (plan: Plan, client: ServiceClient): Promise<ApplyResult> => applyPlan(plan, client, { concurrency: 1 });

const lies = NO_ANSWERS.flatMap(([name, reply]) =>
  [true, false].map((carriedOut) => ({
    name: `${name}, ${carriedOut ? 'after it was made' : 'in place of making it'}`,
    reply,
    carriedOut,
  })),
).flatMap((lie, row) =>
  kindsOfRow(row).map((kind) => ({ ...lie, kind, name: `${kind.name} is looked up after ${lie.name}` })),
);

test.each(lies)('$name', async ({ kind, reply, carriedOut }) => {
  const plan = await setUp(world, kind);
  const { client, seen } = await startLiar(world, (write) => (write === 2 ? { reply, carriedOut } : undefined));
  expect(await apply(plan, client)).toMatchObject({ outcomes: { applied: 3 }, remainder: [], verified: true });
  const now = await look(world);
  expect(plan.changes.map(({ key }) => isDone(kind, key, now))).toEqual([true, true, true]);
  expect(seen.filter(({ method }) => method !== 'GET')).toHaveLength(carriedOut ? 3 : 4);
});

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('%s', (_kind, kind) => {
  test('fails when no answer comes from the service and no look-up finds it', async () => {
    const plan = await setUp(world, kind);
    const { client, seen } = await startLiar(world, (write) =>
      write === 0 ? undefined : { reply: { status: 200, body: '<html>' }, carriedOut: false },
    );
    const result = await apply({ ...plan, changes: plan.changes.slice(0, 1) }, client);
    expect(result).toMatchObject({
      outcomes: { failed: 1 },
      changes: [{ result: { error: { code: 'invalid_answer', message: 'invalid answer (not_json)' } } }],
    });
    // Looked up after each of three attempts.
    expect(seen.filter(({ method }) => method !== 'GET')).toHaveLength(3);
  });

  test('is unknown when it cannot be looked up', async () => {
    const plan = await setUp(world, kind);
    let isBlind = false;
    const { client, seen } = await startLiar(world, (write) => {
      if (write === 1) isBlind = true;
      return isBlind ? { reply: { status: 200, body: '<html>' }, carriedOut: write !== 0 } : undefined;
    });
    const { changes } = await apply({ ...plan, changes: plan.changes.slice(0, 1) }, client);
    expect(changes[0]?.result).toMatchObject({ outcome: 'unknown', error: { code: 'invalid_answer' } });
    expect(seen.filter(({ method }) => method !== 'GET')).toHaveLength(1);
  });
});

/** Success statuses with any body that is no answer to the write of this flag. */
const anyReply: fc.Arbitrary<Reply> = fc.record({
  status: fc.constantFrom(200, 201, 202, 203, 206),
  body: fc.oneof(
    fc.string(),
    fc.json(),
    fc.jsonValue().map((value) => JSON.stringify({ results: [value] })),
    fc.record({ id: fc.nat(), key: fc.string() }).map((flag) => JSON.stringify({ ...flag, id: flag.id + 100 })),
    fc.constant(''),
  ),
});

test('with any other answer, applied means made and failed means not made', () =>
  holdsAsync(
    25,
    [fc.constantFrom(...KINDS), fc.array(fc.tuple(anyReply, fc.boolean()), { minLength: 1, maxLength: 6 })],
    async (kind, lies) => {
      const own = await startWorld('posthog');
      const plan = await setUp(own, kind);
      const before = await look(own);
      const { client } = await startLiar(own, (write) => {
        const [reply, carriedOut] = lies[write - 1] ?? [];
        return reply === undefined || carriedOut === undefined ? undefined : { reply, carriedOut };
      });
      const { changes, remainder, verified } = await apply(plan, client);
      const now = await look(own);
      expect({ remainder, verified }).toEqual({ remainder: [], verified: true });
      expect(changes.map(({ result }) => result.outcome)).toEqual(
        KEYS.map((key) => (isDone(kind, keyAfter(plan, key), now) ? 'applied' : 'failed')),
      );
      const written = now.ourActivity.slice(0, now.ourActivity.length - before.ourActivity.length);
      expect(new Set(written).size).toBe(written.length);
      await own.close();
    },
  ));

const keyAfter = (plan: Plan, key: string): string =>
  plan.changes.find((change) => change.key.startsWith(key))?.key ?? key;
