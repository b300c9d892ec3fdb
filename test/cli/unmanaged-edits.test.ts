/** Edits of fields that no manifest declares: shown as not managed, by the activity log, and never as drift. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { forward } from '../helpers/gate.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { openWorld } from '../helpers/world.ts';
import { serve } from '../posthog/client/support/server.ts';

const MODE = 'evaluation_contexts_match_mode';

interface Later {
  /** The newest entries of the log; `undefined`: the key may not read it. */
  readonly log: readonly JsonObject[] | undefined;
  readonly mode?: string;
  readonly runtime?: string;
}

function entry(after: string, more: JsonObject = {}): JsonObject {
  return {
    id: `entry ${after}`,
    activity: 'updated',
    item_id: '1',
    scope: 'FeatureFlag',
    user: { email: 'ann@example.org', first_name: 'Ann' },
    created_at: '2026-11-20T10:00:00Z',
    detail: { name: 'a', changes: [{ type: 'FeatureFlag', action: 'changed', field: MODE, before: 'any', after }] },
    ...more,
  };
}

interface Staged {
  readonly run: (...argv: string[]) => Promise<Ran>;
  readonly asked: string[];
}

/** A service that has one field more than the embedded one. */
async function stage(
  { log, mode = 'all', runtime = 'all' }: Later,
  manifest = 'flags:\n  a: { active: true }\n',
): Promise<Staged> {
  const world = await openWorld('posthog', [
    { id: 1, key: 'a', filters: { groups: [{}] } },
    { id: 2, key: 'other', filters: { groups: [{}] } },
  ]);
  const asked: string[] = [];
  const { host } = await serve(async (request) => {
    asked.push(request.url);
    if (request.url.includes('/feature_flags/activity/')) {
      return log === undefined ? { status: 403, body: {} } : { body: { results: log, total_count: log.length } };
    }
    const answer = await forward(world.url, request);
    if (!request.url.includes('/feature_flags/?')) return answer;
    const page = JSON.parse(String(answer.body)) as { results: JsonObject[] };
    return {
      ...answer,
      body: { ...page, results: page.results.map((flag) => ({ ...flag, [MODE]: mode, evaluation_runtime: runtime })) },
    };
  });
  const { root } = createWorkspace({ 'flags/main.yaml': manifest });
  const env = { POSTHOG_HOST: host, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
  return { run: async (...argv) => runCli(argv, { cwd: root, env }), asked };
}

const editsIn = ({ stdout }: Ran): unknown => (JSON.parse(stdout) as JsonObject)['unmanaged_edits'];

test('an edit by a person is shown once, with -v and in JSON, and is no drift', async () => {
  const { run, asked } = await stage({ log: [entry('all'), entry('any', { created_at: '2026-11-19T10:00:00Z' })] });
  const json = await run('drift', '-f', 'json');
  expect(json.code).toBe(0);
  expect(editsIn(json)).toEqual([
    { key: 'a', field: MODE, before: 'any', after: 'all', at: '2026-11-20T10:00:00Z', by: 'ann@example.org' },
  ]);
  const text = await run('drift', '-v');
  expect(text.code).toBe(0);
  expect(
    text.stdout.match(/Not managed: a evaluation_contexts_match_mode any → all, last edited by ann/g),
  ).toHaveLength(1);
  asked.length = 0;
  expect((await run('drift')).stdout).not.toContain('Not managed');
  expect(asked.filter((url) => url.includes('activity'))).toEqual([]);
});

test('an edit of a field that an export omits while it has its default is shown likewise', async () => {
  const changes = [
    { type: 'FeatureFlag', action: 'changed', field: 'evaluation_runtime', before: 'all', after: 'server' },
  ];
  const { run } = await stage({ log: [entry('', { detail: { name: 'a', changes } })], runtime: 'server' });
  const ran = await run('drift', '-f', 'json');
  expect([ran.code, editsIn(ran)]).toEqual([
    0,
    [expect.objectContaining({ key: 'a', field: 'evaluation_runtime', before: 'all', after: 'server' })],
  ]);
});

test.each<[string, Later, string?]>([
  ['the service made', { log: [entry('all', { user: null, is_system: true })] }],
  ['a background job made', { log: [entry('all', { detail: { ...detailOf('all'), trigger: { job_type: 'x' } } })] }],
  ['was taken back', { log: [entry('any'), entry('all', { created_at: '2026-11-19T10:00:00Z' })], mode: 'all' }],
  ['is of another flag', { log: [entry('all', { item_id: '2' })] }],
  ['nobody may know', { log: undefined }],
  ['is declared', { log: [entry('all')] }, `flags:\n  a: { fields: { ${MODE}: all } }\n`],
])('none that %s', async (_name, later, manifest) => {
  const { run } = await stage(later, manifest);
  expect(editsIn(await run('drift', '-f', 'json'))).toBeUndefined();
});

function detailOf(after: string): JsonObject {
  return entry(after)['detail'] as JsonObject;
}
