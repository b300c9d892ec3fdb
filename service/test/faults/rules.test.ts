/** The rules that are active for a request. */

import { describe, expect, test } from 'vitest';
import { OPERATION_NAMES, findOperationName, findActive, newHistory } from '../../src/faults/faults.ts';
import type { FaultRule } from '../../src/faults/script.ts';

const FLAGS = '/api/projects/1/feature_flags/';

/** Whether the rule is active, for each request in turn; a request is a method, a path and a time. */
function activity(
  rule: FaultRule,
  requests: readonly (readonly [method: string, path: string, now?: number])[],
): string {
  let history = newHistory([rule]);
  return requests
    .map(([method, path, now = 0]) => {
      const found = findActive([rule], history, { method, path, now });
      history = found.history;
      return found.active.length;
    })
    .join('');
}

const FIVE_GETS = Array.from({ length: 5 }, () => ['GET', FLAGS] as const);

describe('in time', () => {
  test.each<[string, FaultRule, string]>([
    ['once, from the first', { reset: {} }, '10000'],
    ['once, from the third', { from: 3, reset: {} }, '00100'],
    ['for a count', { from: 2, count: 3, reset: {} }, '01110'],
  ])('%s', (_name, rule, expected) => {
    expect(activity(rule, FIVE_GETS)).toBe(expected);
  });

  test('a rule is active for a time from its first request', () => {
    const rule: FaultRule = { from: 2, for_ms: 1000, reset: {} };
    const at = [0, 5000, 5500, 5999, 6000, 9000].map((now) => ['GET', FLAGS, now] as const);
    expect(activity(rule, at)).toBe('011100');
  });

  test('requests that do not match do not count', () => {
    const rule: FaultRule = { match: { method: 'POST' }, from: 2, reset: {} };
    const requests = ['GET', 'POST', 'GET', 'POST', 'POST'].map((method) => [method, FLAGS] as const);
    expect(activity(rule, requests)).toBe('00010');
  });
});

describe('by request', () => {
  test.each<[NonNullable<FaultRule['match']>, string, string, boolean]>([
    [{}, 'GET', FLAGS, true],
    [{ method: 'GET' }, 'HEAD', FLAGS, true],
    [{ method: 'PATCH' }, 'POST', FLAGS, false],
    [{ access: 'read' }, 'GET', FLAGS, true],
    [{ access: 'read' }, 'DELETE', `${FLAGS}7/`, false],
    [{ access: 'write' }, 'PATCH', `${FLAGS}7/`, true],
    [{ operation: 'createFlag' }, 'POST', FLAGS, true],
    [{ operation: 'createFlag' }, 'POST', FLAGS.slice(0, -1), true],
    [{ operation: 'createFlag' }, 'GET', FLAGS, false],
    [{ operation: 'getFlag' }, 'GET', `${FLAGS}activity/`, false],
    [{ path: '/api/projects/1/feature_flags' }, 'GET', FLAGS, true],
    [{ path: '**/feature_flags/*/' }, 'GET', `${FLAGS}7/`, true],
    [{ path: '**/feature_flags/*' }, 'GET', `${FLAGS}7/role_access/`, false],
    [{ path: '**/role_access/**' }, 'DELETE', `${FLAGS}7/role_access/2/`, true],
    [{ path: '**/role_access/**', method: 'POST' }, 'DELETE', `${FLAGS}7/role_access/2/`, false],
  ])('%j and %s %s: %s', (match, method, path, expected) => {
    expect(activity({ match, reset: {} }, [[method, path]])).toBe(expected ? '1' : '0');
  });

  test.each([
    ['listFlags', 'GET', FLAGS],
    ['createFlag', 'POST', FLAGS],
    ['getFlag', 'GET', `${FLAGS}7/`],
    ['updateFlag', 'PATCH', `${FLAGS}7/`],
    ['deleteFlag', 'DELETE', `${FLAGS}7/`],
    ['listRoleAccess', 'GET', `${FLAGS}7/role_access/`],
    ['createRoleAccess', 'POST', `${FLAGS}7/role_access/`],
    ['getRoleAccess', 'GET', `${FLAGS}7/role_access/2/`],
    ['deleteRoleAccess', 'DELETE', '/api/environments/@current/feature_flags/7/role_access/2'],
    ['listAlerts', 'GET', '/api/environments/1/alerts/'],
    ['readAlert', 'GET', '/api/projects/1/alerts/0191b000-0000-7000-8000-000000000001/'],
    ['createAlert', 'POST', '/api/projects/1/alerts/'],
    ['updateAlert', 'PATCH', '/api/projects/1/alerts/1/'],
    ['deleteAlert', 'DELETE', '/api/projects/1/alerts/1'],
    ['evaluateFlag', 'POST', '/ofrep/v1/evaluate/flags/checkout'],
    ['evaluateFlags', 'POST', '/ofrep/v1/evaluate/flags'],
    [undefined, 'GET', '/api/projects/1/persons/'],
  ])('%s is %s %s', (name, method, path) => {
    expect(findOperationName({ method, path })).toBe(name);
    if (name !== undefined) expect(OPERATION_NAMES).toContain(name);
  });
});

test('several rules are active together, in script order', () => {
  const rules: FaultRule[] = [{ latency: { ms: 1 } }, { match: { method: 'POST' }, reset: {} }, { hang: {} }];
  const { active } = findActive(rules, newHistory(rules), { method: 'GET', path: FLAGS, now: 0 });
  expect(active).toEqual([rules[0], rules[2]]);
});
