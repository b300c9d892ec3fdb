/** The remedy of a change that was not applied, by its code, its status or the reason why it was skipped. */

import { describe, expect, test } from 'vitest';
import type { OutcomeError, SkipReason } from '../../../src/loop/apply/result.ts';
import type { RequestMatch } from '../../../src/core/engine/change-request.ts';
import type { Change } from '../../../src/posthog/plan.ts';
import { remedyOf } from '../../../src/report/words/outcomes.ts';
import { CHANGES } from '../samples.ts';

const [CHANGE] = CHANGES as [Change];

describe('a change that failed', () => {
  test.each<[string, OutcomeError, string | undefined]>([
    ['a taken key', { code: 'unique', message: '', status: 400, field: 'key' }, 'Another flag has this key'],
    ['a conflict', { code: 'conflict', message: '', status: 409 }, 'Another user changed the flag'],
    ['two cohorts of one name', { code: 'name_shared', message: '' }, 'how to merge them'],
    ['an open change request', { code: 'change_request_pending', message: '', status: 409 }, 'approved or withdrawn'],
    ['an unknown role', { code: 'does_not_exist', message: '', status: 400 }, 'ids of roles and cohorts'],
    ['a missing scope', { code: 'permission_denied', message: '', status: 403 }, 'feature_flag:write'],
    ['a lost connection', { code: 'ECONNRESET', message: '' }, 'Check the network'],
    ['another refusal', { code: 'invalid_input', message: 'Wrong.', status: 400 }, undefined],
    ['a code that is a member of objects', { code: 'constructor', message: '' }, undefined],
  ])('%s', (_name, error, words) => {
    const remedy = remedyOf({ outcome: 'failed', error }, CHANGE);
    if (words === undefined) expect(remedy).toBeUndefined();
    else expect(remedy).toContain(words);
  });

  test.each([
    ['can only have person and cohort properties', 'filters', true],
    ['can only use person and cohort properties', 'filters', true],
    ['can only use person and cohort properties', 'name', false],
  ])('a service that says %j of the field %s does not know conditions on flags: %s', (message, field, isKnown) => {
    const remedy = remedyOf(
      { outcome: 'failed', error: { code: 'invalid_input', message, status: 400, field } },
      CHANGE,
    );
    expect(remedy?.includes('profile: posthog') ?? false).toBe(isKnown);
  });
});

test.each<[SkipReason, string | undefined]>([
  [{ code: 'stale', moved: [] }, 'apply the new plan'],
  [{ code: 'interrupted' }, 'Run the same command again'],
  [{ code: 'deadline' }, 'Run the same command again'],
  [{ code: 'needs_failed', refs: ['flag:a'] }, undefined],
  [{ code: 'not_recorded' }, undefined],
])('a change that was skipped: %j', (reason, words) => {
  const remedy = remedyOf({ outcome: 'skipped', reason }, CHANGE);
  if (words === undefined) expect(remedy).toBeUndefined();
  else expect(remedy).toContain(words);
});

describe('a change that waits for approval', () => {
  const error = { code: 'change_request_pending', message: '', status: 409 };

  test.each<[RequestMatch, string]>([
    ['this_change', 'the service makes the change by itself'],
    ['other_values', 'rejected or withdrawn'],
    ['other_resource', 'nobody was asked to approve this change'],
    ['outdated_version', 'rejected or withdrawn'],
  ])('whose open request asks for %s', (asks, words) => {
    expect(remedyOf({ outcome: 'pending', error, request: { id: '7', wasOpen: true, asks } }, CHANGE)).toContain(words);
  });

  test('of which a part is not requested yet', () => {
    const request = { id: '7', wasOpen: false, asks: 'this_change' } as const;
    const parts = { written: [], waiting: ['active'], unsent: ['filters'] };
    expect(remedyOf({ outcome: 'pending', error, request, parts }, CHANGE)).toContain('the rest is not requested yet');
    expect(remedyOf({ outcome: 'pending', error, request, parts: { ...parts, unsent: [] } }, CHANGE)).not.toContain(
      'rest',
    );
  });

  test('whose request is not described', () => {
    expect(remedyOf({ outcome: 'pending', error }, CHANGE)).toBe(remedyOf({ outcome: 'failed', error }, CHANGE));
    expect(remedyOf({ outcome: 'pending', error, request: { id: '7', wasOpen: true } }, CHANGE)).toBe(
      remedyOf({ outcome: 'failed', error }, CHANGE),
    );
  });
});
