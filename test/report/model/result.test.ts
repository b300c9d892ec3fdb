/** The entries and facts of the result of a run. */

import { describe, expect, test } from 'vitest';
import type { ApplyResult, Outcome } from '../../../src/loop/apply/result.ts';
import { CHANGES, RESULT, VIEW } from '../samples.ts';
import { resultText } from '../texts.ts';

const shown = (result: ApplyResult, durationMs = 0): string => resultText({ kind: 'result', result, durationMs }, VIEW);

describe('result as text', () => {
  const text = shown(RESULT, 1234);

  test.each([
    ['an applied change', '  ✓ + create  help-centre\n'],
    [
      'a failure with its remedy',
      '✗ ~ update  new-checkout  failed\n      400 unique (key): taken\n      Another flag has this key',
    ],
    [
      'what moved under a stale change',
      '○ ↺ restore search  skipped\n      the flag changed after the plan was made\n        active  true → false\n',
    ],
    ['a change that waits for another', 'it needs search, which was not applied\n'],
    [
      'an approval with its request and page',
      '… - delete  old-banner  pending\n      409 approval_required: It waits.\n      change request 9 waits for approval\n      https://us.posthog.com/project/1/approvals/9\n',
    ],
    ['a lost answer', '? - delete  stray  unknown\n      The answer was lost'],
    [
      'what the service changed',
      'help-centre  description  /name: the service stored "Help centre" instead of "Help centre "\n',
    ],
    ['what the service dropped', 'help-centre  tags  /tags: the service dropped [a]\n'],
    ['a flag that no longer exists', '  help-centre: it no longer exists in the service\n'],
    ['the sum', 'Applied 2 of 7 changes: 1 failed, 2 skipped, 1 pending, 1 unknown · 12 requests · 1.2 s\n'],
  ])('shows %s', (_, expected) => {
    expect(text).toContain(expected);
  });

  test('lists what was not applied together, after what was, right before the summary', () => {
    const marks = [...text.matchAll(/^ {2}([✓✗○…?]) /gm)].map(([, mark]) => mark);
    expect(marks.lastIndexOf('✓')).toBe(1);
    expect(marks.slice(2)).toEqual(['✗', '○', '○', '…', '?']);
  });

  test.each<[string, Outcome, string, string]>([
    [
      'a refusal, once',
      { outcome: 'failed', error: { code: 'forbidden', status: 403, message: 'You do not have access.' } },
      '      403 forbidden: You do not have access.\n',
      'Applied 0 of 1 change: 1 failed',
    ],
    [
      'a cohort that another process created too, whose answer was not lost',
      { outcome: 'unknown', error: { code: 'name_shared', message: 'Now there are 2 (ids 7, 8).' } },
      '  unknown\n      name_shared: Now there are 2 (ids 7, 8).\n      Run `flagwright plan`: it says',
      'Applied 0 of 1 change: 1 unknown',
    ],
    [
      'a condition on a flag that the service does not know',
      {
        outcome: 'failed',
        error: {
          code: 'invalid_input',
          status: 400,
          field: 'filters',
          message: 'Invalid filters: a flag for persons can only have person and cohort conditions.',
        },
      },
      'This service accepts neither conditions on other flags',
      'Applied 0 of 1 change: 1 failed',
    ],
    [
      'a plan that was applied before',
      { outcome: 'applied', already: true },
      'already up to date',
      'Nothing left to do: 1 change already up to date',
    ],
  ])('shows %s', (_, result, line, sum) => {
    const [change] = CHANGES;
    const outcomes = { applied: 0, failed: 0, skipped: 0, pending: 0, unknown: 0, [result.outcome]: 1 };
    const changes = change === undefined ? [] : [{ change, result }];
    const found = shown({ ...RESULT, changes, outcomes, remainder: [] });
    expect(found).toContain(line);
    expect(found).toContain(sum);
  });

  test('says that nothing was verified', () => {
    expect(shown({ ...RESULT, verified: false })).toContain('Not verified:');
  });
});
