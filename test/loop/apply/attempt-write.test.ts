/** The write loop by itself: when a write is looked up, when it is sent again, and what its outcome is. */

import { describe, expect, test } from 'vitest';
import { attemptWrite } from '../../../src/loop/apply/apply-plan.ts';
import { NO_RECORDER, watched, type ApplyRecorder } from '../../../src/loop/apply/recorder.ts';
import type { LookUpResult, Write } from '../../../src/core/engine/writer.ts';
import type { ServiceEvent } from '../../../src/posthog/client/events.ts';
import { ServiceError } from '../../../src/posthog/client/service-error.ts';
import { type Failure } from '../../../src/posthog/client/failure.ts';
import { createClient } from '../../../src/posthog/service-client.ts';
import { createVirtualTime } from '../../helpers/virtual-time.ts';
import type { Change } from '../../../src/posthog/plan.ts';

/** Its waits take no time. */
function attempting(recorder: ApplyRecorder = NO_RECORDER, random = 0) {
  const { clock } = createVirtualTime();
  const options = { host: 'http://localhost', projectId: '1', apiKey: 'phx_test', clock, random: () => random };
  const waits: ServiceEvent[] = [];
  const client = createClient({ ...options, onEvent: (event) => void waits.push(event) });
  return { recorder, client, clock, waits };
}

const CHANGE = { action: 'revoke', resource: 'role_access', ref: 'r', key: 'a', needs: [] } as unknown as Change;
const MOVED = [{ path: '/name', after: 'theirs' }];

function failure(kind: Failure, mayHaveHappened = false): ServiceError {
  return new ServiceError({ failure: kind, operation: 'x', method: 'POST', path: '/', attempts: 1, mayHaveHappened });
}

const LOST = failure({ kind: 'server', status: 500, detail: null }, true);
const CONFLICT = failure({ kind: 'conflict', code: null, detail: null });
const FORBIDDEN = failure({ kind: 'forbidden', detail: null });
const WAITS = failure({ kind: 'conflict', code: 'change_request_pending', detail: null });

interface Script {
  /** What each attempt throws; the one after the last succeeds. */
  readonly errors: readonly Error[];
  /** What each look-up finds; `undefined` where it fails. */
  readonly findings?: readonly (Omit<LookUpResult, 'send'> | undefined)[];
  readonly repeatRefused?: boolean;
}

async function attempt({ errors, findings = [], repeatRefused = true }: Script): Promise<object> {
  const calls: string[] = [];
  const send = (): Promise<number> => {
    const error = errors[calls.filter((call) => call === 'send').length];
    calls.push('send');
    return error === undefined ? Promise.resolve(7) : Promise.reject(error);
  };
  const write: Write = {
    send,
    lookUpAfter: 'conflict',
    repeatRefused,
    lookUp: () => {
      const finding = findings[calls.filter((call) => call === 'look up').length];
      calls.push('look up');
      if (finding === undefined) return Promise.reject(FORBIDDEN);
      return Promise.resolve({ ...finding, send } as LookUpResult);
    },
  };
  return { ...(await attemptWrite(CHANGE, write, attempting())), calls: calls.join(', ') };
}

const UNWRITTEN = { kind: 'unwritten' } as const;
const IN_EFFECT = { kind: 'in_effect', id: 9 } as const;

describe('a write', () => {
  test.each<[string, Script, object]>([
    ['that succeeds is sent once', { errors: [] }, { outcome: 'applied', id: 7, calls: 'send' }],
    [
      'that waits for an approval without naming a request is pending',
      { errors: [WAITS] },
      { outcome: 'pending', calls: 'send' },
    ],
    ['that is refused is not looked up', { errors: [FORBIDDEN] }, { outcome: 'failed', calls: 'send' }],
    [
      'whose answer is lost is looked up before it is sent again',
      { errors: [LOST], findings: [UNWRITTEN] },
      { outcome: 'applied', id: 7, calls: 'send, look up, send' },
    ],
    [
      'that a look-up finds is not sent again, and is ours when an answer was lost',
      { errors: [LOST], findings: [IN_EFFECT] },
      { outcome: 'applied', id: 9, calls: 'send, look up' },
    ],
    [
      'that a look-up finds after a refusal was made by another',
      { errors: [CONFLICT], findings: [IN_EFFECT] },
      { outcome: 'applied', id: 9, already: true, calls: 'send, look up' },
    ],
    [
      'is sent three times at most, and looked up after each',
      { errors: [LOST, LOST, LOST, LOST], findings: [UNWRITTEN, UNWRITTEN, UNWRITTEN] },
      { outcome: 'failed', calls: 'send, look up, send, look up, send, look up' },
    ],
    [
      'is unknown when the look-up fails after a lost answer',
      { errors: [LOST], findings: [undefined] },
      { outcome: 'unknown', calls: 'send, look up' },
    ],
    [
      'failed when the look-up fails after a refusal',
      { errors: [CONFLICT], findings: [undefined] },
      { outcome: 'failed', calls: 'send, look up' },
    ],
    [
      'is stale when the look-up after a refusal finds something else',
      { errors: [CONFLICT], findings: [{ kind: 'changed', moved: MOVED } as LookUpResult] },
      { outcome: 'skipped', reason: { code: 'stale', moved: MOVED }, calls: 'send, look up' },
    ],
    [
      'is unknown when the look-up after a lost answer finds something else',
      { errors: [LOST], findings: [{ kind: 'changed', moved: MOVED } as LookUpResult] },
      { outcome: 'unknown', calls: 'send, look up' },
    ],
    [
      'failed with its refusal when the look-up finds something else that needs no list of fields',
      { errors: [CONFLICT], findings: [{ kind: 'changed' }] },
      { outcome: 'failed', error: { code: 'conflict' }, calls: 'send, look up' },
    ],
    [
      'is sent again after a refusal that the look-up does not explain',
      { errors: [CONFLICT], findings: [UNWRITTEN] },
      { outcome: 'applied', calls: 'send, look up, send' },
    ],
    [
      'is not sent again after that refusal where repeating it is useless',
      { errors: [CONFLICT], findings: [UNWRITTEN], repeatRefused: false },
      { outcome: 'failed', calls: 'send, look up' },
    ],
  ])('%s', async (_name, script, expected) => {
    expect(await attempt(script)).toMatchObject(expected);
  });

  test.each<[string, number, Failure]>([
    ['2 s', 2000, { kind: 'server', status: 503, detail: null }],
    ['10 s', 10_000, { kind: 'server', status: 503, detail: null }],
    ['10 s, while connections break', 10_000, { kind: 'network', code: 'ECONNRESET' }],
  ])('outlasts a service that is down for %s, with the shortest waits', async (_, downMs, why) => {
    const { clock, waits, ...given } = attempting();
    const until = clock.now() + downMs;
    let sent = 0;
    const send = (): Promise<number> => {
      sent += 1;
      return clock.now() < until ? Promise.reject(failure(why, true)) : Promise.resolve(7);
    };
    const lookUp = (): Promise<LookUpResult> => Promise.resolve({ kind: 'unwritten', send });
    const write: Write = { send, lookUpAfter: 'conflict', repeatRefused: true, lookUp };
    expect(await attemptWrite(CHANGE, write, given)).toEqual({ outcome: 'applied', id: 7 });
    expect(waits).toHaveLength(sent - 1);
    expect(waits[0]).toEqual({
      ...{ kind: 'retry', operation: 'x', failure: why.kind, why, attempt: 2, attempts: 10, waitMs: 125 },
    });
  });

  test('waits for a service that stays down for 24 s at most', async () => {
    const { clock, waits, ...given } = attempting(NO_RECORDER, 1);
    const from = clock.now();
    const send = (): Promise<number> => Promise.reject(failure({ kind: 'server', status: 503, detail: null }, true));
    const lookUp = (): Promise<LookUpResult> => Promise.resolve({ kind: 'unwritten', send });
    const write: Write = { send, lookUpAfter: 'conflict', repeatRefused: true, lookUp };
    expect(await attemptWrite(CHANGE, write, given)).toMatchObject({ outcome: 'failed', error: { status: 503 } });
    expect([waits.length, clock.now() - from]).toEqual([9, 23_750]);
  });

  test('is not sent without its record', async () => {
    let sent = 0;
    const send = (): Promise<number> => Promise.resolve((sent += 1));
    const write: Write = { send, lookUpAfter: 'conflict', repeatRefused: true, lookUp: () => Promise.reject(LOST) };
    const recorder = watched({ ...NO_RECORDER, sending: () => Promise.reject(new Error('disk full')) });
    expect(await attemptWrite(CHANGE, write, attempting(recorder))).toEqual({
      outcome: 'skipped',
      reason: { code: 'not_recorded' },
    });
    expect(sent).toBe(0);
  });
});

describe('an answered write that is looked up', () => {
  const confirmed = async (confirm: NonNullable<Write['confirm']>): Promise<object> =>
    attemptWrite(
      CHANGE,
      { send: () => Promise.resolve(7), lookUpAfter: 'conflict', repeatRefused: false, lookUp: never, confirm },
      attempting(),
    );
  const never = (): never => {
    throw new Error('The answer was not lost.');
  };

  test.each<[string, Awaited<ReturnType<NonNullable<Write['confirm']>>>, object]>([
    ['and stands', { kind: 'in_effect', id: 7 }, { outcome: 'applied', id: 7 }],
    [
      'and gave way to the one of another process is not this run’s own',
      { kind: 'in_effect', id: 5, already: true },
      { outcome: 'applied', id: 5, already: true },
    ],
    [
      'and stands beside another one is unknown',
      { kind: 'doubled', code: 'name_shared', message: 'Two.' },
      { outcome: 'unknown', error: { code: 'name_shared', message: 'Two.' } },
    ],
  ])('%s', async (_name, confirmation, outcome) => {
    expect(await confirmed(async (id) => (id === 7 ? confirmation : never()))).toEqual(outcome);
  });

  test('stands where the look-up fails', async () => {
    expect(await confirmed(async () => Promise.reject(FORBIDDEN))).toEqual({ outcome: 'applied', id: 7 });
  });
});
