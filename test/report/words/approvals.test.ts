/** What is said of the request that a change waits for, of who made a difference, and when. */

import { expect, test } from 'vitest';
import type { KnownRequest, RequestStanding } from '../../../src/core/engine/change-request.ts';
import {
  approvalsSummary,
  approvalText,
  lastEditText,
  standingText,
  undoneRequestText,
  viaText,
} from '../../../src/report/words/authors.ts';

const quote = (text: string): string => `«${text}»`;
const open = (asks?: string, more: object = {}): RequestStanding =>
  ({ kind: 'open', ...(asks && { asks }), ...more }) as RequestStanding;

test.each<[RequestStanding, string, string]>([
  [open(), 'change request «7» is open for this flag', ''],
  [open('this_change', { by: 'ann' }), 'waits for approval: change request «7» of «ann» asks for this change', ''],
  [open('part_of_this_change'), 'waits for approval: change request «7» asks for a part of this change', ''],
  [
    open('other_values', { by: 'ann' }),
    'change request «7» of «ann» is open and asks for other values: the service does not accept this change until it is decided',
    '',
  ],
  [
    open('outdated_version'),
    'change request «7» is open for an earlier version of the flag: have it rejected or withdrawn',
    '',
  ],
  [
    open('other_resource', { for: 'search' }),
    'change request «7» is open for the creation of «search»: the service takes one creation at a time',
    '',
  ],
  [
    open('other_resource'),
    'change request «7» is open for the creation of another flag: the service takes one creation at a time',
    '',
  ],
  [
    { kind: 'rejected', by: 'ben', reason: 'too early' },
    'change request «7» asked for this change and was rejected by «ben» («too early»)',
    '; apply asks again',
  ],
  [{ kind: 'rejected' }, 'change request «7» asked for this change and was rejected', '; apply asks again'],
  [
    { kind: 'withdrawn', by: 'ann' },
    'change request «7» asked for this change and was withdrawn by «ann»',
    '; apply asks again',
  ],
  [
    { kind: 'failed', why: 'gone' },
    'change request «7» asked for this change and was approved, but the service could not make it («gone»)',
    '; apply asks again',
  ],
  [{ kind: 'expired' }, 'change request «7» asked for this change and expired', '; apply asks again'],
])('%j is told, and what apply does then', (standing, text, next) => {
  const request = { id: '7', standing };
  expect(standingText(request, quote)).toBe(text);
  expect(approvalText(request, quote)).toBe(`${text}${next}`);
});

test('the changes that wait are counted, each once, and no others', () => {
  const request = (ref: string, standing: RequestStanding): KnownRequest =>
    ({ id: '7', ref, standing }) as KnownRequest;
  const waits = [request('a', open('this_change')), request('a', open('part_of_this_change'))];
  expect(approvalsSummary([])).toEqual([]);
  expect(approvalsSummary([request('a', open('other_values')), request('b', { kind: 'expired' })])).toEqual([]);
  expect(approvalsSummary(waits)).toEqual(['1 change waits for approval.']);
  expect(approvalsSummary([...waits, request('b', open('this_change'))])).toEqual(['2 changes wait for approval.']);
});

test('a request that undo leaves open is told with its page, if it has one', () => {
  const request = { id: '7', url: 'https://x.example/7' } as Parameters<typeof undoneRequestText>[1];
  const text =
    'a: change request "7" was open when the run ended, and undo does not withdraw it. If it is still open, withdraw it, or its approval will make the change.';
  expect(undoneRequestText('a', request)).toBe(`${text} https://x.example/7`.replace('"7"', '7'));
  const { url: _, ...pageless } = request;
  expect(undoneRequestText('a', pageless as typeof request)).toBe(text.replace('"7"', '7'));
});

test('who edited last, and when, is told as far as it is known', () => {
  expect([
    lastEditText({ by: 'ada@example.org', at: '2026-01-31T12:00:00Z' }),
    lastEditText({ by: 'ada@example.org' }),
    lastEditText({ at: '2026-01-31T12:00:00Z' }),
  ]).toEqual([
    'last edited by ada@example.org on 2026-01-31 12:00:00 UTC',
    'last edited by ada@example.org',
    'last edited on 2026-01-31 12:00:00 UTC',
  ]);
});

test.each<[Parameters<typeof viaText>[0], string]>([
  [{ via: 'web_or_key' }, 'in the web interface or with an API key'],
  [{ via: 'api_client', client: 'terraform' }, 'with the API client «terraform»'],
  [{ via: 'apply' }, 'with flagwright, in a run that is not recorded here'],
  [{ via: 'apply', run: 'run-1' }, 'in run «run-1» of flagwright'],
  [{ via: 'schedule' }, 'by a scheduled change'],
  [{ via: 'experiment' }, 'by an experiment'],
  [{ via: 'early_access' }, 'by early access management'],
  [{ via: 'staff' }, "by PostHog's staff in the name of that user"],
  [{ via: 'system' }, 'by the service itself'],
])('an edit by %j was made %s', (attribution, text) => {
  expect(viaText(attribution, quote)).toBe(text);
});
