/** Runs the behaviours that PostHog's own tests demand, each over HTTP against an embedded project of its own. */

import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmbedded, type Profile } from '../../src/index.ts';
import { run } from './runner.ts';
import { NOW } from './seed.ts';
import type { ServerTest } from './server-tests/case.ts';
import { SERVER_TESTS } from './server-tests/index.ts';

const PROFILES = ['documented', 'posthog'] as const;

describe.each(PROFILES.flatMap(listSubjects))('%s: %s', (profile, _subject, tests) => {
  test.each(tests.map((one) => [one.name, one] as const))('%s', async (_name, behaviour) => {
    const { seed, projects } = behaviour;
    const service = await startEmbedded({
      data: ':memory:',
      profile,
      now: () => NOW,
      randomUuid: randomUUID,
      ...(seed !== undefined && { seed }),
      ...(projects !== undefined && { projects }),
    });
    onTestFinished(async () => service.close());
    await run(behaviour, { host: service.url, projectId: '1', apiKey: 'phx_server', profile, prefix: 'server' });
  });
});

test.each(PROFILES)('each of PostHog’s tests has one row in the profile %s', (profile) => {
  const names = listSubjects(profile).flatMap(([, , tests]) => tests.map(({ name }) => name));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

function listSubjects(profile: Profile): [profile: Profile, subject: string, tests: ServerTest[]][] {
  return Object.entries(SERVER_TESTS)
    .map(([subject, tests]): [Profile, string, ServerTest[]] => [
      profile,
      subject,
      tests.filter(({ only = profile }) => only === profile),
    ])
    .filter(([, , tests]) => tests.length > 0);
}
