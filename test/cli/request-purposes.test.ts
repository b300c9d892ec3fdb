/** What a run asks of the service, by purpose: the table of docs/requests.md. */

import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { runCli } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { openWorld } from '../helpers/world.ts';

const FLAGS = 1_000;
const IDS = Array.from({ length: FLAGS }, (_, index) => index + 1);
const FILTERS: JsonObject = { groups: [{ properties: [], rollout_percentage: 10 }] };

/** Each request is sent for one of these; a request without a row fails the test. */
const PURPOSES: readonly (readonly [purpose: string, request: RegExp])[] = [
  ['list of flags', /^GET feature_flags\/$/],
  ['activity of the project', /^GET feature_flags\/activity\/$/],
  ['activity of a flag', /^GET feature_flags\/\d+\/activity\/$/],
  ['one flag', /^GET feature_flags\/\d+\/$/],
  ['write', /^PATCH feature_flags\/\d+\/$/],
  ['scheduled changes', /^GET scheduled_changes\/$/],
  ['change requests', /^GET change_requests\/$/],
];

interface Project {
  /** What a command sends, by purpose. */
  readonly count: (...argv: string[]) => Promise<Readonly<Record<string, number>>>;
}

/** A project of which the first flags were edited in the service; git has none of these edits. */
async function openProject(edited: number): Promise<Project> {
  const sent: string[] = [];
  const world = await openWorld(
    'posthog',
    { flags: IDS.map((id) => ({ id, key: `f${id}`, name: '', active: true, filters: FILTERS })) },
    { onRequest: ({ method, path }) => sent.push(`${method} ${path.replace('/api/projects/1/', '')}`) },
  );
  const { root, write } = createWorkspace({
    'flagwright.yaml': `projects:\n  main: { host: ${world.url}, project_id: "1" }\n`,
  });
  const declared = { active: true, description: '', filters: FILTERS };
  write('flags/all.yaml', JSON.stringify({ flags: Object.fromEntries(IDS.map((id) => [`f${id}`, declared])) }));
  for (const id of IDS.slice(0, edited)) await world.client.updateFlag(id, { name: 'edited in the service' });
  return {
    count: async (...argv) => {
      sent.length = 0;
      await runCli(argv, { cwd: root, env: { POSTHOG_API_KEY: 'phx_test' } });
      return countPurposes(sent);
    },
  };
}

function countPurposes(sent: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const request of sent) {
    const purpose = PURPOSES.find(([, pattern]) => pattern.test(request))?.[0] ?? request;
    counts[purpose] = (counts[purpose] ?? 0) + 1;
  }
  return counts;
}

const COMPARISON = { 'list of flags': 2, 'scheduled changes': 1, 'change requests': 1 };

it('an apply of 10 changed flags of 1,000 reads the list before the writes and after them', async () => {
  const { count } = await openProject(10);
  expect(await count('apply', '--yes', '--who')).toEqual({
    'list of flags': 2 + 2 + 2,
    'scheduled changes': 1,
    'change requests': 1,
    'one flag': 1,
    'activity of the project': 1,
    write: 10,
  });
});

it('an apply of 2 reads the flags themselves', async () => {
  const { count } = await openProject(2);
  expect(await count('apply', '--yes')).toEqual({
    'list of flags': 2,
    'scheduled changes': 1,
    'change requests': 1,
    'one flag': 1 + 2 + 2,
    write: 2,
  });
});

it('a plan of one target reads the list of flags', async () => {
  const { count } = await openProject(3);
  expect(await count('plan', '--target', 'f1')).toEqual({ ...COMPARISON, 'one flag': 1 });
});

it('who edited 100 flags is in one page of the activity of the project, and drift measures no write that it will not make', async () => {
  const { count } = await openProject(100);
  expect(await count('drift', '--who')).toEqual({ ...COMPARISON, 'activity of the project': 1 });
});
