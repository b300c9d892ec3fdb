/** What a resource command does before and after its requests. */

import { Command } from 'commander';
import { expect, test } from 'vitest';
import { declareGroup, command, type ResourceAnswer, type ResourceGroup } from '../../../src/cli/resources/command.ts';
import { execute, refuseElsewhere } from '../../../src/cli/resources/execute.ts';
import { createSecrets } from '../../../src/cli/session/session-parts.ts';
import type { Execute } from '../../../src/cli/session/session.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ServiceClient } from '../../../src/posthog/service-client.ts';
import { ServiceError } from '../../../src/posthog/client/service-error.ts';
import { type Failure } from '../../../src/posthog/client/failure.ts';
import { watchSession, type Watched } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const ENV = { POSTHOG_HOST: 'https://x.example', POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_12345678' };

const ABOUT = {
  name: 'persons',
  source: {
    project: { name: 'environment', host: 'https://x.example', project_id: '1' },
    at: '1970-01-01T00:00:00.000Z',
  },
};

interface Row {
  readonly run?: () => ResourceAnswer | Promise<ResourceAnswer>;
  readonly more?: object;
  readonly group?: Partial<ResourceGroup>;
  readonly values?: Readonly<Record<string, unknown>>;
}

/** Runs the command in a session of a remote project, to which it sends nothing. */
async function run({ run: answer, more = {}, group = {}, values = {} }: Row): Promise<Watched> {
  const { root } = createWorkspace();
  const watched = watchSession({
    context: {
      cwd: root,
      env: ENV,
      stdin: { isTerminal: false, readLine: async () => Promise.resolve(undefined) },
      stderr: { isTerminal: false, columns: 80, write: async () => Promise.resolve() },
    },
  });
  const row = command({
    ...{ name: 'list', summary: 'x', examples: [], operations: [], parameters: {} },
    run: answer ?? (() => ({ kind: 'done', text: 'Done.', record: {} })),
    ...more,
  });
  const given = { scope: 'person', commands: [row], elsewhere: {}, ...group };
  const session = { ...watched.session, secrets: createSecrets() };
  expect(await execute(session, { group: given, row, values, name: 'persons' })).toBe(0);
  return watched;
}

const records = (limit?: number): ResourceAnswer => ({
  kind: 'records',
  records: [{ id: 1 }, { id: 2 }, { id: 3 }],
  ...(limit === undefined ? {} : { limit }),
});

async function listed({ reports }: Watched): Promise<readonly JsonObject[]> {
  const [report] = reports as unknown as readonly [{ readonly records: AsyncIterable<JsonObject> }];
  const found: JsonObject[] = [];
  for await (const record of report.records) found.push(record);
  return found;
}

test('the columns of a list are those of the command, unless the user chooses some, which have no other layout', async () => {
  const more = { columns: ['id'], csvColumns: ['id', 'name'] };
  const answer = () => ({ ...records(), document: { results: [] }, layout: 'activity' }) as ResourceAnswer;
  const anything: unknown = expect.anything();
  const usual = await run({ run: answer, more });
  expect(usual.reports).toMatchObject([
    { kind: 'records', columns: ['id'], allColumns: ['id', 'name'], layout: 'activity' },
  ]);
  expect(usual.reports).toMatchObject([{ document: { results: [] } }]);
  expect((await run({ run: answer, more, values: { columns: ['name'] } })).reports).toEqual([
    { kind: 'records', records: anything, columns: ['name'], document: { results: [] }, about: ABOUT },
  ]);
  expect((await run({ run: () => records() })).reports).toEqual([
    { kind: 'records', records: anything, columns: [], about: ABOUT },
  ]);
});

test('a list ends at its limit', async () => {
  expect(await listed(await run({ run: () => records(2) }))).toEqual([{ id: 1 }, { id: 2 }]);
  expect(await listed(await run({ run: () => records() }))).toHaveLength(3);
});

test('what is no list is published as it is', async () => {
  const done = { kind: 'done', text: 'Done.', record: { id: 1 } } as const;
  expect((await run({ run: () => done })).reports).toEqual([{ ...done, about: ABOUT }]);
});

test('a question is asked without --yes, with the project, before anything is done', async () => {
  let isRun = false;
  const more = { question: () => 'Delete a\u0007?' };
  const answer = (): ResourceAnswer => ((isRun = true), records());
  await expect(run({ run: answer, more })).rejects.toMatchObject({
    code: 'refused',
    message: 'Confirmation needs a terminal or --yes; nothing was done.',
    remedy: expect.stringMatching(
      /^The question was: Delete a[^?]+\? \(project [^)]+\) Confirm with --yes\.$/,
    ) as string,
  });
  await expect(run({ run: answer, more, values: { yes: false } })).rejects.toMatchObject({ code: 'refused' });
  expect(isRun).toBe(false);
  await run({ run: answer, more, values: { yes: true } });
  expect(isRun).toBe(true);
});

async function leastMsOf(group: Partial<ResourceGroup>): Promise<number> {
  let ms = 0;
  const answer = ({ budget }: ServiceClient): ResourceAnswer => {
    ms = budget.leastMs(5000);
    return records();
  };
  await run({ group, more: { run: answer } });
  return ms;
}

test('a smaller budget of the resource counts, and no larger one', async () => {
  const [usual, smaller, larger] = [
    await leastMsOf({}),
    await leastMsOf({ requestsPerMinute: 60 }),
    await leastMsOf({ requestsPerMinute: 100_000 }),
  ];
  expect(smaller).toBeGreaterThan(2 * usual);
  expect(larger).toBe(usual);
});

const failed = (failure: Failure, more: object = {}): ServiceError =>
  new ServiceError({
    ...{ failure, operation: 'getPerson', method: 'GET', path: '/api/persons/7/', attempts: 1, mayHaveHappened: false },
    ...{ callee: { host: 'https://x.example' }, ...more },
  });

test.each<[Failure, object]>([
  [
    { kind: 'forbidden', detail: null },
    {
      code: 'forbidden',
      remedy: 'The API key needs the scope person:read; for writes person:write; for activity activity_log:read.',
    },
  ],
  [
    { kind: 'not_found', detail: null },
    {
      code: 'service_refused',
      message: 'https://x.example did not find the requested object (GET /api/persons/7/).',
      remedy:
        'Check the id and the project. Newer services have removed some operations: https://flagwright.dev/service/persons',
    },
  ],
  [
    { kind: 'not_found', detail: 'Gone.' },
    { message: 'https://x.example did not find the requested object: Gone. (GET /api/persons/7/).' },
  ],
  [
    { kind: 'unexpected_status', status: 405, code: null, detail: null } as unknown as Failure,
    { remedy: expect.stringContaining('creates persons from events') as string },
  ],
])('the error of %j names what a person can do', async (failure, words) => {
  const error = failed(failure);
  await expect(run({ run: async () => Promise.reject(error) })).rejects.toMatchObject({ ...words, cause: error });
});

test.each([
  failed({ kind: 'server', status: 503, detail: null }),
  failed({ kind: 'unexpected_status', status: 418, code: null, detail: null } as unknown as Failure),
  new TypeError('x'),
])('%s is told as it is', async (error) => {
  await expect(run({ run: async () => Promise.reject(error) })).rejects.toBe(error);
});

test('a command that is elsewhere is no command here', async () => {
  await expect(refuseElsewhere('persons delete', 'Do it there.')).rejects.toMatchObject({
    code: 'usage',
    message: "The command 'persons delete' does not exist.",
    remedy: 'Do it there.',
  });
});

test('a group declares its rows, and hides what is elsewhere', async () => {
  const row = (name: string, more: object = {}) =>
    command({
      ...{ name, summary: 'list it', examples: ['persons list'], operations: [], parameters: {} },
      run: () => records(),
      ...more,
    });
  const group: ResourceGroup = {
    scope: 'person',
    commands: [row('list', { columns: ['id', 'name'], description: 'All.' }), row('drop', { question: () => 'Sure?' })],
    elsewhere: { update: 'Do it there.' },
  };
  const parent = new Command('persons');
  const chosen: Execute[] = [];
  declareGroup(parent, group, (one) => void chosen.push(one));
  const [list, drop, update] = parent.commands;
  expect(parent.helpInformation()).toContain('list');
  expect(parent.helpInformation()).not.toContain('update');
  expect([list?.description(), drop?.description()]).toEqual(['List it. All.', 'List it.']);
  expect([list, drop, update].map((one) => one?.options.map(({ flags }) => flags))).toEqual([
    ['--columns <names>'],
    ['-y, --yes'],
    [],
  ]);
  expect(list?.options[0]?.description).toBe('columns to show, for example id,name');
  await parent.parseAsync(['update', '7', '--whatever'], { from: 'user' });
  await expect(chosen[0]?.(watchSession().session)).rejects.toMatchObject({
    message: "The command 'persons update' does not exist.",
    remedy: 'Do it there.',
  });
  await list?.parseAsync(['--columns', ' id , ,name,'], { from: 'user' });
  expect([list?.opts(), chosen.length]).toEqual([{ columns: ['id', 'name'] }, 2]);
});
