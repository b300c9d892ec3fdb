import { expect, test } from 'vitest';
import type { PlanWarning } from '../../../src/posthog/plan.ts';
import { foldedWarningText, warningText } from '../../../src/report/words/warnings.ts';

test.each<[PlanWarning, string]>([
  [
    { code: 'access_refused', key: 'a' },
    'the API key cannot read who has access to a. The plan leaves its access out. Give the key the scope access_control:read, and access_control:write to apply.',
  ],
  [
    { code: 'access_refused', key: 'a', detail: 'no scope\u001b' },
    'the API key cannot read who has access to a (no scope\\u001b). The plan leaves its access out. Give the key the scope access_control:read, and access_control:write to apply.',
  ],
  [
    { code: 'access_unpaid', key: 'a' },
    "a: the organization does not have PostHog's paid feature role-based access, so the plan leaves the levels of roles out. Add the feature, or remove role_access and access from the manifests.",
  ],
  [
    { code: 'access_fixed', key: 'a' },
    'a: the user of the API key cannot change who has access to this flag, so the change will fail.',
  ],
  [
    { code: 'access_locked', key: 'a', subjects: ['growth', 'everyone'], setting: 'lock_terraform_managed_rules' },
    'a: Terraform manages the access of growth, everyone, and the project lets nobody else change it (lock_terraform_managed_rules), so the plan leaves it out. Change it in Terraform, or turn the setting off in PostHog.',
  ],
  [
    { code: 'access_of_members', key: 'a', members: 2 },
    'a: 2 levels of individual members, which manifests do not manage. They stay as they are.',
  ],
  [
    { code: 'renamed_back', key: 'a', id: 7, current: 'b' },
    'a: the flag with this key (id 7) has the key b in the service. The plan renames it back. To keep the new key, declare the flag as b with previous_keys: [a].',
  ],
  [
    { code: 'renamed_back', key: 'a', id: 7, current: 'b', previous: 'old' },
    'a: the flag that had its previous key old (id 7) has the key b in the service. The plan renames it to a. To keep the new key, declare the flag as b with previous_keys: [old].',
  ],
  [
    {
      code: 'not_enabled',
      key: 'a',
      request: '7',
      url: 'https://x/7',
      state: 'open',
      by: 'ann@example.org',
    },
    'a is disabled: change request 7 of ann@example.org asks to enable it, and waits for approval (https://x/7).',
  ],
  [
    { code: 'not_enabled', key: 'a', request: '7', state: 'failed', reason: 'moved' },
    'a is disabled: change request 7 asked to enable it, and was approved, but the service could not make the change (moved). The manifests do not decide active, so apply does not ask for it: declare active: true to ask, or active: false to keep it disabled.',
  ],
  [
    { code: 'renamed_away', key: 'a', id: 7, current: 'b', why: 'declared' },
    'a: the flag with this key (id 7) has the key b in the service, which the manifests name too. The plan creates another flag.',
  ],
  [
    { code: 'renamed_away', key: 'a', id: 7, current: 'b', why: 'differs', since: '2026-03-01T09:30:00Z' },
    'a: the flag with this key (id 7) has the key b in the service since 2026-03-01 09:30:00 UTC, and it differs from what is declared. The plan creates another flag. If it is the same flag, declare previous_keys: [b].',
  ],
  [
    { code: 'deleted_unknown', key: 'a', why: 'too_long' },
    'a: whether a flag had this key is unknown: only the newest 1,000 entries of the activity log were read. If it was soft-deleted, creating it destroys the old flag with its history; if it was renamed, creating it makes a second flag.',
  ],
])('%j', (warning, text) => {
  expect(warningText(warning)).toBe(text);
});

test.each<[PlanWarning['code'], string | undefined]>([
  [
    'access_refused',
    'the API key cannot read who has access to 2 flags: a, b. The plan leaves their access out. Give the key the scope access_control:read, and access_control:write to apply.',
  ],
  [
    'access_unpaid',
    "the organization does not have PostHog's paid feature role-based access, so the plan leaves the levels of roles out. Add the feature, or remove role_access and access from the manifests. It concerns 2 flags: a, b.",
  ],
  [
    'access_of_members',
    'individual members have levels, which manifests do not manage and which stay, on 2 flags: a, b.',
  ],
  [
    'deleted_unknown',
    'Whether flags had the keys of 2 new flags (a, b) is unknown: the activity log could not be read completely. Creating them destroys those that were soft-deleted, with their history, and duplicates those that were renamed.',
  ],
  [
    'holdout_undeclared',
    'Holdouts are set in PostHog for 2 flags: a, b. flagwright leaves this alone; to manage it, declare it under filters.',
  ],
  [
    'early_access_undeclared',
    'Early access in PostHog also controls 2 flags: a, b. flagwright leaves this alone; to manage it, declare it under filters.',
  ],
  ['access_fixed', undefined],
])('two warnings of the code %s', (code, text) => {
  expect(foldedWarningText(code, ['a', 'b'])).toBe(text);
});
