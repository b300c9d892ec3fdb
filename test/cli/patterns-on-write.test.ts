/** Regular expressions whose syntax PostHog refuses where they are new, against the embedded service. */

import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { startEmbedded } from '../../service/src/index.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const withPatterns = (...patterns: readonly string[]): JsonObject => ({
  filters: {
    groups: patterns.map((value) => ({
      properties: [{ key: 'email', type: 'person', operator: 'regex', value }],
      rollout_percentage: 100,
    })),
  },
});

async function start(
  seed: JsonObject[],
): Promise<{ run: (...argv: string[]) => Promise<Ran>; write: (file: string, text: string) => void }> {
  const service = await startEmbedded({
    data: ':memory:',
    profile: 'posthog',
    seed,
    now: () => new Date('2026-03-02T00:00:00Z'),
    randomUuid: randomUUID,
  });
  onTestFinished(() => service.close());
  const env = { POSTHOG_HOST: service.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_any_key_at_all' };
  const { root, write } = createWorkspace();
  return { run: (...argv) => runCli(argv, { cwd: root, env }), write };
}

test('a new pattern that the service refuses is a warning, and the service refuses it', async () => {
  const { run, write } = await start([]);
  write('flags/a.yaml', JSON.stringify({ flags: { a: withPatterns('\\p{L}+') } }));
  const validated = await run('validate');
  expect(validated).toMatchObject({ code: 0 });
  expect(validated.stdout + validated.stderr).toContain(
    'The service refuses "\\p{L}+" where it is new: in Python\'s syntax, the escape \\p is unknown.  regex-refused',
  );
  const applied = await run('apply', '-y');
  expect(applied.code).not.toBe(0);
  expect(applied.stdout + applied.stderr).toContain('is not a regular expression');
});

test('live patterns are exported, and validate without an error', async () => {
  const { run } = await start([{ key: 'a', ...withPatterns('\\p{L}+', '(?<n>a)', '(?a)b', '(?>a|ab)c') }]);
  expect((await run('export')).code).toBe(0);
  const validated = await run('validate');
  expect(validated.code).toBe(0);
  expect(validated.stderr + validated.stdout).toContain('3 warnings');
  expect((await run('plan')).code).toBe(0);
});
