/** Who edited a flag last, as the flag itself says (docs/service.md, "Flags"). */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { readLastEdit } from '../../../src/posthog/flag/find-changes.ts';

const AT = '2026-01-31T12:00:00Z';

test.each<[string, JsonObject, unknown]>([
  ['a flag of 2023', {}, undefined],
  ['a flag that no user edited', { last_modified_by: null, updated_at: null }, undefined],
  [
    'an edit by a user',
    { last_modified_by: { email: 'ada@example.org', first_name: 'Ada' }, updated_at: AT },
    { by: 'ada@example.org', at: AT },
  ],
  ['a user without an address', { last_modified_by: { email: '', first_name: 'Ada' } }, { by: 'Ada' }],
  ['an edit of the system', { last_modified_by: null, updated_at: AT }, { at: AT }],
  ['a user of another shape', { last_modified_by: 'ada', updated_at: AT }, { at: AT }],
])('%s', (_, fields, expected) => {
  expect(readLastEdit({ id: 1, key: 'a', ...fields })).toEqual(expected);
});
