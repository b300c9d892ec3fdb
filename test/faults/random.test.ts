/** Random scripts of faults: every run ends in time, with a true result or an error before the first write. */

import { env, stdout } from 'node:process';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { ApplyResult } from '../../src/loop/apply/result.ts';
import { FlagwrightError } from '../../src/base/errors.ts';
import type { Effects, FaultMatch, FaultRule, Profile, When } from '../../service/src/index.ts';
import type { ServiceEvent } from '../../src/posthog/client/events.ts';
import { ServiceError } from '../../src/posthog/client/service-error.ts';
import { turns } from '../helpers/timers.ts';
import { TIMEOUT_MS } from './catalogue.ts';
import { isDone, KINDS, setUp, wantedOf, type Kind } from './kinds.ts';
import { expectConvergence, expectOnce, expectTruth, look, startRig } from './rig.ts';

const TOO_LONG_MS = 2 * TIMEOUT_MS;
/** The deadline passes after this many requests were sent. */
const MOST_REQUESTS = 80;

const when = fc.constantFrom<When>('before', 'after');
const match = fc.constantFrom<FaultMatch>(
  {},
  { access: 'write' },
  { access: 'read' },
  { operation: 'createFlag' },
  { operation: 'updateFlag' },
  { operation: 'getFlag' },
  { operation: 'listFlags' },
  { operation: 'createRoleAccess' },
  { operation: 'deleteRoleAccess' },
  { operation: 'setAccess' },
  { operation: 'getAccess' },
  { path: '**/role_access/**' },
  { path: '**/access_controls/**' },
);

/** Without statuses that deny an executed request or an existing flag. */
const effects: fc.Arbitrary<Effects> = fc.oneof(
  when.map((moment) => ({ reset: { when: moment } })),
  when.map((moment) => ({ hang: { when: moment } })),
  fc.tuple(when, fc.constantFrom(5, 50, TOO_LONG_MS)).map(([moment, ms]) => ({ latency: { ms, when: moment } })),
  fc
    .record({
      when,
      status: fc.constantFrom(500, 502, 503, 504, 408),
      body: fc.constantFrom('envelope' as const, 'html' as const, 'nothing' as const, 'text' as const),
    })
    .map((answer) => ({ answer })),
  fc.constantFrom(401, 403, 413).map((status) => ({ answer: { status } })),
  fc
    .record({ retry_after: fc.constantFrom(0, 1, 3), retry_after_as: fc.constantFrom('seconds', 'date', 'detail') })
    .map((retry) => ({ answer: { status: 429, ...retry } }) as Effects),
  fc
    .record({ status: fc.constantFrom(200, 201), when, body: fc.constantFrom('html' as const, 'nothing' as const) })
    .map((answer) => ({ answer })),
  fc.constantFrom<Effects>(
    { truncate: {} },
    { endless: {} },
    { drip: { bytes: 20, every_ms: 1 } },
    { drip: { bytes: 1, every_ms: 20 } },
    { content_type: 'text/html' },
    { unknown_fields: { brand_new: true } },
    { next: 'https://elsewhere.example.com' },
    { shrink: {} },
    { answer: { status: 409, code: 'approval_required' } },
    { answer: { status: 302, location: 'https://elsewhere.example.com/', body: 'nothing' } },
    { edit: { method: 'PATCH', path: 'feature_flags/{id}/', body: { tags: ['theirs'] } } },
    { edit: { method: 'PATCH', path: 'feature_flags/{flag:b}/', body: { tags: ['theirs'] }, when: 'after' } },
  ),
);

const rule: fc.Arbitrary<FaultRule> = fc
  .record({ match, from: fc.integer({ min: 1, max: 6 }), count: fc.constantFrom(1, 1, 2, 4, 1000), effects })
  .map(({ effects: effect, ...rest }) => ({ ...rest, ...effect }));

test.concurrent.each([1, 2, 3, 4, 5])('every run ends, and each outcome is true (part %i)', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(rule, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(...KINDS),
      fc.constantFrom<Profile>('documented', 'posthog'),
      fc.integer({ min: 1, max: MOST_REQUESTS }),
      tryOut,
    ),
    { numRuns: env['FAULTS'] === 'long' ? 200 : 8 },
  ),
);

let tried = 0;
let survived = 0;
afterAll(() => {
  stdout.write(`random fault scripts: ${tried} tried, ${survived} survived\n`);
});

async function tryOut(faults: readonly FaultRule[], kind: Kind, drawn: Profile, requests: number): Promise<void> {
  const profile = kind.only ?? drawn;
  tried += 1;
  const rig = await startRig(profile);
  try {
    const { honest } = rig;
    const plan = await setUp(honest, kind);
    const before = await look(honest);
    const deadline = new AbortController();
    let sent = 0;
    const onEvent = (event: ServiceEvent): void => {
      if (event.kind !== 'request' || (sent += 1) !== requests) return;
      setImmediate(() => deadline.abort(new FlagwrightError('deadline', 'time is up')));
    };
    // All creates have the same URL, so the rig cannot tell which of them the service delays.
    const concurrency = kind.name === 'create' ? 1 : 3;
    const faulty = await rig.startFaulty(faults, { concurrency, client: { signal: deadline.signal, onEvent } });
    const result = await faulty.apply(plan, deadline.signal).catch((error: unknown) => error);
    await rig.settle();
    // The deadline gives up requests too.
    await turns(100);
    const seen = await look(honest);
    const context = `${profile}, ${kind.name}: ${JSON.stringify(result)}`;
    if (result instanceof Error) {
      expect(result, context).toBeInstanceOf(ServiceError);
      expect(seen.ourActivity, context).toEqual(before.ourActivity);
    } else {
      const { changes, remainder } = result as ApplyResult;
      for (const {
        change,
        result: { outcome },
      } of changes) {
        const reported = remainder.some(({ ref }) => ref === change.ref);
        expectTruth(outcome, { isDone: isDone(kind, change.key, seen), reported, context });
      }
      expectOnce(seen, before, context);
    }
    await expectConvergence(honest, wantedOf(kind));
    survived += 1;
  } finally {
    await rig.close();
  }
}
