import { expect, test } from 'vitest';
import type { RequestMatch } from '../../../src/core/engine/change-request.ts';
import { partsText, remainderText, requestText, skipText } from '../../../src/report/words/outcomes.ts';

const ROLE = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';

test.each<[readonly string[], string]>([
  [['flag:search'], 'it needs search, which was not applied'],
  [['flag:search', 'flag_active:search', 'flag:b:c'], 'it needs search, b:c, which was not applied'],
  [[`role_access:search:${ROLE}`], 'it needs a grant on search, which was not applied'],
  [[`role_access:b:c:${ROLE}`, 'flag:d'], 'it needs d and a grant on b:c, which was not applied'],
])('a change that waits for %j', (refs, text) => {
  expect(skipText({ code: 'needs_failed', refs })).toBe(text);
});

test('a difference of unknown cause and an unrecorded write say no more than is known', () => {
  const rest = { ref: 'flag:a', key: 'a', path: '/name', wanted: 'ours', reason: 'changed_afterwards' } as const;
  expect(remainderText({ ...rest, found: 'theirs' })).toBe(
    'found theirs instead of ours: another user or the service changed it after the write',
  );
  expect(remainderText(rest)).toContain('found nothing instead of ours');
  expect(skipText({ code: 'key_refused', ref: 'flag:a' })).toBe('not sent: the service refused the API key for a');
  expect(skipText({ code: 'not_recorded' })).toBe('not sent: the journal could not be written');
});

test.each([
  [{ code: 'interrupted' } as const, 'the run was interrupted before this change started'],
  [{ code: 'deadline' } as const, 'the deadline passed before this change started'],
  [{ code: 'stale', moved: [] } as const, 'the flag changed after the plan was made'],
])('a change that was skipped for %j', (reason, text) => {
  expect(skipText(reason)).toBe(text);
});

test.each([
  ['service_changed_value', 'the service stored 5 instead of 10'],
  ['service_dropped_value', 'the service dropped 10'],
  ['service_ignores_field', 'the service has no such field; later plans leave it out'],
  ['not_found', 'it no longer exists in the service'],
] as const)('what still differs for the reason %s', (reason, text) => {
  expect(remainderText({ ref: 'flag:a', key: 'a', path: '/x', wanted: 10, found: 5, reason })).toBe(text);
});

test.each<[RequestMatch | undefined, string]>([
  ['this_change', 'change request 7 is open and asks for this change'],
  ['other_values', 'change request 7 is open and asks for other values'],
  ['other_resource', 'change request 7 is open for beta: the service takes one creation at a time'],
  [
    'outdated_version',
    'change request 7 is open, but the flag has changed since, so the service cannot make the requested change',
  ],
  [undefined, 'change request 7 is open'],
])('an open change request that asks for %s', (asks, text) => {
  expect(requestText({ id: '7', key: 'beta', wasOpen: true, ...(asks === undefined ? {} : { asks }) })).toBe(text);
});

test('a change request that this run opened', () => {
  expect(requestText({ id: '7\u001b[2J', wasOpen: false })).not.toContain('\u001b');
  expect(requestText({ id: '7', wasOpen: false, asks: 'this_change' })).toBe('change request 7 waits for approval');
});

test('a change that was sent in parts', () => {
  expect(partsText({ written: ['filters', 'name'], waiting: ['active'], unsent: [] })).toBe(
    'sent in parts; written: filters, name · not written: active',
  );
  expect(partsText({ written: [], waiting: ['active'], unsent: ['filters'] })).toContain(
    'not written: active · not sent: filters',
  );
});
