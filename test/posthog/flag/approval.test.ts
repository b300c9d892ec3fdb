/** What an open change request asks for, compared with a change of the plan. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ChangeRequest } from '../../../src/core/engine/change-request.ts';
import { compareRequest } from '../../../src/posthog/flag/write.ts';
import type { FlagChange } from '../../../src/posthog/plan.ts';
import { openRun } from '../../../src/posthog/run-state.ts';
import { declared, desiredState, liveFlag, liveState, planFor, rolledOut } from '../../helpers/states.ts';

const asking = (fields: JsonObject, more: Partial<ChangeRequest> = {}): ChangeRequest => ({
  id: 'cr-1',
  asked: () => fields,
  ...more,
});

function compare(wanted: JsonObject, live: JsonObject | undefined, request: ChangeRequest): string | undefined {
  const state = liveState(live === undefined ? [] : [liveFlag(1, 'a', { version: 3, ...live })]);
  const { changes } = planFor(desiredState(declared('a', wanted)), state);
  const run = openRun(state, changes, { resumed: false }).flags;
  return compareRequest(changes[0] as FlagChange, request, run);
}

describe('for an update, an open request', () => {
  const WANTED = { filters: rolledOut(60) };
  const LIVE = { filters: rolledOut(25) };

  test.each<[string, ChangeRequest, string | undefined]>([
    ['for the same', asking({ filters: rolledOut(60) }), 'this_change'],
    [
      'for the same in another form',
      asking({ filters: { ...rolledOut(60), multivariate: null, payloads: {} } }),
      'this_change',
    ],
    ['for the same of this version', asking({ filters: rolledOut(60) }, { version: 3 }), 'this_change'],
    ['for another percentage', asking({ filters: rolledOut(50) }), 'other_values'],
    ['for another field', asking({ active: false }), 'other_values'],
    ['for the same of an earlier version', asking({ filters: rolledOut(60) }, { version: 2 }), 'outdated_version'],
    ['whose fields are unknown', { id: 'cr-1', version: 3 }, undefined],
  ])('%s', (_name, request, asks) => {
    expect(compare(WANTED, LIVE, request)).toBe(asks);
  });
});

describe('for a creation, an open request', () => {
  const WANTED = { name: 'A', active: true, filters: rolledOut(60) };
  const ASKED = { key: 'a', name: 'A', active: true, filters: rolledOut(60) };

  test.each<[string, ChangeRequest, string]>([
    ['for the same flag', asking(ASKED, { key: 'a' }), 'this_change'],
    ['for the same flag with another name', asking({ ...ASKED, name: 'B' }, { key: 'a' }), 'other_values'],
    ['for another flag', asking({ ...ASKED, key: 'b' }, { key: 'b' }), 'other_resource'],
  ])('%s', (_name, request, asks) => {
    expect(compare(WANTED, undefined, request)).toBe(asks);
  });
});
