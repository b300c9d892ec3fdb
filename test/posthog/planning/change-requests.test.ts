/** Which change requests of the service concern the changes of a plan, and what they say of them. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { KnownRequest, ListedRequest } from '../../../src/core/engine/change-request.ts';
import { findKnownRequests } from '../../../src/posthog/planning/change-requests.ts';
import { approvalText } from '../../../src/report/words/authors.ts';
import { declared, desiredState, liveFlag, liveState, planFor, rolledOut } from '../../helpers/states.ts';

function listed(more: Partial<ListedRequest> & { readonly fields?: JsonObject } = {}): ListedRequest {
  const { fields, ...others } = more;
  return {
    id: 'cr-1',
    state: 'pending',
    action: 'feature_flag.update',
    resourceId: 1,
    ...(fields === undefined ? {} : { asked: () => fields }),
    ...others,
  };
}

/** The flag a at 25%, version 3, that is to have 60%. */
function find(...requests: readonly ListedRequest[]): readonly KnownRequest[] {
  const live = liveState([liveFlag(1, 'a', { version: 3, filters: rolledOut(25) })]);
  const plan = planFor(desiredState(declared('a', { filters: rolledOut(60) })), live);
  return findKnownRequests(plan, live, requests);
}

const SAME = { fields: { filters: rolledOut(60) } };

describe('of a request', () => {
  test.each<[string, Partial<ListedRequest> & { readonly fields?: JsonObject }, object]>([
    ['that is approved and not applied yet', { ...SAME, state: 'approved' }, { kind: 'open', asks: 'this_change' }],
    ['without its fields', {}, { kind: 'open' }],
    ['of somebody', { ...SAME, openedBy: 'Bob' }, { kind: 'open', asks: 'this_change', by: 'Bob' }],
    ['that was rejected', { ...SAME, state: 'rejected', version: 2, rejection: {} }, { kind: 'rejected' }],
    [
      'that its requester rejected',
      { ...SAME, state: 'rejected', openedBy: 'Bob', rejection: { by: 'Bob', reason: 'x' } },
      { kind: 'withdrawn', by: 'Bob', reason: 'x' },
    ],
    ['that could not be made', { ...SAME, state: 'failed', failure: 'x' }, { kind: 'failed', why: 'x' }],
    ['that failed without a reason', { ...SAME, state: 'failed' }, { kind: 'failed' }],
    ['that expired', { ...SAME, state: 'expired' }, { kind: 'expired' }],
  ])('%s', (_name, more, standing) => {
    expect(find(listed(more))).toEqual([
      {
        ref: 'flag:a',
        key: 'a',
        id: 'cr-1',
        url: 'https://flags.example.com/project/1/approvals/cr-1',
        action: 'feature_flag.update',
        standing,
      },
    ]);
  });

  test.each<[string, Partial<ListedRequest> & { readonly fields?: JsonObject }]>([
    ['for another flag', { ...SAME, resourceId: 2 }],
    ['of a state of a service to come', { ...SAME, state: 'paused' }],
    ['that asked for something else and was rejected', { fields: { filters: rolledOut(50) }, state: 'rejected' }],
    ['without its fields that was rejected', { state: 'rejected' }],
  ])('%s nothing is said', (_name, more) => {
    expect(find(listed(more))).toEqual([]);
  });
});

test('only the newest request of each action counts', () => {
  const found = find(
    listed({ ...SAME, id: 'cr-3' }),
    listed({ id: 'cr-2', action: 'feature_flag.disable', fields: { active: false } }),
    listed({ ...SAME, state: 'rejected' }),
  );
  expect(found.map(({ id, standing }) => [id, standing])).toEqual([
    ['cr-3', { kind: 'open', asks: 'this_change' }],
    ['cr-2', { kind: 'open', asks: 'other_values' }],
  ]);
});

test('who opened a request, why it was rejected and the other flag are quoted', () => {
  const quote = (text: string): string => `<${text}>`;
  const told = (standing: KnownRequest['standing']): string => approvalText({ id: '7', standing }, quote);
  expect(told({ kind: 'rejected', by: 'Ann', reason: 'no' })).toContain('by <Ann> (<no>)');
  expect(told({ kind: 'open', asks: 'other_resource', for: 'b' })).toContain(
    'change request <7> is open for the creation of <b>',
  );
  expect(told({ kind: 'open', asks: 'other_resource' })).toContain('of another flag');
  expect(told({ kind: 'open', by: 'Ann' })).toBe('change request <7> of <Ann> is open for this flag');
  expect(told({ kind: 'failed', why: 'x' })).toContain('could not make it (<x>)');
});
