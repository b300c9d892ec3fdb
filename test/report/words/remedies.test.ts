/** The remedy of a change that was not applied, by its code, its status or the reason why it was skipped. */

import { describe, expect, test } from 'vitest';
import type { OutcomeError, SkipReason } from '../../../src/apply/result.ts';
import { outcomeRemedy, skipRemedy } from '../../../src/report/words/remedies.ts';

describe('a change that failed', () => {
  test.each<[string, OutcomeError, string | undefined]>([
    ['a taken key', { code: 'unique', message: '', status: 400, field: 'key' }, 'Another flag has this key'],
    ['a conflict', { code: 'conflict', message: '', status: 409 }, 'Another user changed the flag'],
    ['an open change request', { code: 'change_request_pending', message: '', status: 409 }, 'approved or withdrawn'],
    ['an unknown role', { code: 'does_not_exist', message: '', status: 400 }, 'ids of roles and cohorts'],
    ['a missing scope', { code: 'permission_denied', message: '', status: 403 }, 'feature_flag:write'],
    ['a lost connection', { code: 'ECONNRESET', message: '' }, 'Check the network'],
    ['another refusal', { code: 'invalid_input', message: 'Wrong.', status: 400 }, undefined],
    ['a code that is a member of objects', { code: 'constructor', message: '' }, undefined],
  ])('%s', (_name, error, words) => {
    const remedy = outcomeRemedy(error);
    if (words === undefined) expect(remedy).toBeUndefined();
    else expect(remedy).toContain(words);
  });

  test.each([
    ['can only have person and cohort properties', 'filters', true],
    ['can only use person and cohort properties', 'filters', true],
    ['can only use person and cohort properties', 'name', false],
  ])('a service that says %j of the field %s does not know conditions on flags: %s', (message, field, isKnown) => {
    const remedy = outcomeRemedy({ code: 'invalid_input', message, status: 400, field });
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
  const remedy = skipRemedy(reason);
  if (words === undefined) expect(remedy).toBeUndefined();
  else expect(remedy).toContain(words);
});
