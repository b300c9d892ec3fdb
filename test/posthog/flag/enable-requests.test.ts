/** Flags that nobody sees because their enabling waits: each is named with its own request, and no flag that is off on purpose. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ListedRequest } from '../../../src/core/engine/change-request.ts';
import { findUndecided, warnOfEnabling } from '../../../src/posthog/planning/change-requests.ts';
import { declared, desiredState, liveFlag, liveState, planFor, planOptions, retired } from '../../helpers/states.ts';

const OFF = { active: false };

test('the undecided flags are declared, disabled and not changed, and neither declared disabled nor archived', () => {
  const flags = [
    declared('waits'),
    declared('waits-too', { name: 'x' }),
    declared('on'),
    declared('off', OFF),
    declared('archived', { archived: true }),
    declared('changed', { name: 'new' }),
    declared('deleted'),
    retired('gone'),
  ];
  const live = [
    liveFlag(1, 'waits', OFF),
    liveFlag(2, 'waits-too', { ...OFF, name: 'x' }),
    liveFlag(3, 'on'),
    liveFlag(4, 'off', OFF),
    liveFlag(5, 'archived', { ...OFF, archived: true }),
    liveFlag(6, 'changed', OFF),
    liveFlag(7, 'deleted', { ...OFF, deleted: true }),
    liveFlag(8, 'undeclared', OFF),
    liveFlag(9, 'gone', { ...OFF, deleted: true }),
  ];
  const { changes } = planFor(desiredState(...flags), liveState(live.slice(0, 6)));
  const own = changes.filter(({ key }) => key === 'changed');
  expect(own).toHaveLength(1);
  expect(findUndecided({ changes: own }, flags, live).map(({ key }) => key)).toEqual(['waits', 'waits-too']);
});

describe('an undecided flag', () => {
  const [FLAG, OTHER] = [liveFlag(1, 'a', OFF), liveFlag(2, 'b', OFF)];
  const request = (fields: JsonObject, more: Partial<ListedRequest> = {}): ListedRequest => ({
    id: 'cr-1',
    state: 'pending',
    resourceId: 1,
    asked: () => fields,
    ...more,
  });
  const ENABLING = { active: true };
  const creation = (fields: JsonObject, more: Partial<ListedRequest> = {}): ListedRequest => {
    const { resourceId: _, ...made } = request(fields, { state: 'applied', key: 'a', ...more });
    return made;
  };
  const { project } = planOptions();
  const warnings = (...requests: readonly ListedRequest[]) => warnOfEnabling([OTHER, FLAG], requests, project);

  test.each<[string, readonly ListedRequest[], object]>([
    ['waits', [request(ENABLING, { openedBy: 'Bob' })], { state: 'open', by: 'Bob' }],
    ['waits for the service', [request(ENABLING, { state: 'approved' })], { state: 'open' }],
    [
      'was refused',
      [request(ENABLING, { state: 'rejected', openedBy: 'Bob', rejection: { by: 'Ann', reason: 'No.' } })],
      { state: 'rejected', by: 'Ann', reason: 'No.' },
    ],
    [
      'was withdrawn',
      [request(ENABLING, { state: 'rejected', openedBy: 'Bob', rejection: { by: 'Bob' } })],
      { state: 'withdrawn', by: 'Bob' },
    ],
    ['failed', [request(ENABLING, { state: 'failed', failure: 'Why.' })], { state: 'failed', reason: 'Why.' }],
    ['expired', [request(ENABLING, { state: 'expired' })], { state: 'expired' }],
    ['was never asked for', [creation({ active: false })], { state: 'not_requested' }],
    [
      'waits, whatever other requests ask for',
      [request({ name: 'x' }, { id: 'cr-9' }), request(ENABLING, { id: 'cr-8', resourceId: 3 }), request(ENABLING)],
      { state: 'open' },
    ],
    ['waits again', [request(ENABLING), request(ENABLING, { id: 'cr-0', state: 'rejected' })], { state: 'open' }],
  ])('is named with the request whose enabling %s', (_, requests, state) => {
    const url = 'https://flags.example.com/project/1/approvals/cr-1';
    expect(warnings(...requests)).toEqual([{ code: 'not_enabled', key: 'a', request: 'cr-1', url, ...state }]);
  });

  test.each<[string, readonly ListedRequest[]]>([
    ['nothing was asked for', []],
    ['another change was asked for', [request({ name: 'x' })]],
    ['the request does not tell what was asked for', [{ id: 'cr-1', state: 'pending', resourceId: 1 }]],
    ['its enabling was applied, and people disabled it since', [request(ENABLING, { state: 'applied' })]],
    ['it was created enabled', [creation({ active: true })]],
    ['its creation was refused', [creation({ active: false }, { state: 'rejected' })]],
    ['another flag was created disabled', [creation({ active: false }, { key: 'c' })]],
  ])('is not named where %s', (_, requests) => {
    expect(warnings(...requests)).toEqual([]);
  });
});
