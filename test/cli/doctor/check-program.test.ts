import { expect, test } from 'vitest';
import { checkProgram, isAtLeast, sqliteResult } from '../../../src/cli/actions/doctor.ts';
import type { Configuration } from '../../../src/cli/doctor/surroundings.ts';
import { neededNode, version } from '../../../src/cli/line/version.ts';
import type { Session } from '../../../src/cli/session/session.ts';

test.each([
  ['20.19.0', true],
  ['20.18.3', false],
  ['18.99.0', false],
  ['21.0.0', true],
  ['100.0.0', true],
  ['20', false],
])('Node.js %s is supported: %s', (node, expected) => {
  expect(isAtLeast(node, '>=20.19')).toBe(expected);
});

test.each([
  ['18.0.0', ['remote', 'embedded'], 'problem', true],
  ['20.19.0', ['remote'], 'ok', false],
  ['20.19.0', undefined, 'ok', false],
])('Node.js %s with projects of the services %j', async (node, services, status, needed) => {
  const configuration =
    services === undefined
      ? { kind: 'unusable' }
      : { kind: 'usable', projects: services.map((service) => ({ service })) };
  const session = { context: { system: { node, platform: 'linux x64' } } } as unknown as Session;
  expect(await checkProgram(session, configuration as unknown as Configuration)).toEqual([
    {
      section: 'program',
      status,
      code: 'node_version',
      facts: { version: version(), node, needs: neededNode(), system: 'linux x64' },
    },
    sqliteResult(needed, undefined),
  ]);
});

test.each([
  [true, undefined, 'ok', { installed: true, needed: true }],
  [false, undefined, 'ok', { installed: true, needed: false }],
  [true, 'x', 'problem', { installed: false, needed: true, reason: 'x' }],
  [false, 'x', 'ok', { installed: false, needed: false, reason: 'x' }],
])('a database that is needed: %s, and lacks: %s, is %s', (needed, reason, status, facts) => {
  expect(sqliteResult(needed, reason)).toEqual({ section: 'program', status, code: 'sqlite', facts });
});
