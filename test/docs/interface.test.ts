/** docs/interface.md is complete and agrees with the client, the command line, the embedded service and the tests. */

import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { createProgram } from '../../src/cli/line/program.ts';
import { RESOURCE_GROUPS, allCommands } from '../../src/cli/commands/all-commands.ts';
import { startEmbedded, type EmbeddedService, type Profile } from '../../service/src/index.ts';
import { createClient, type ServiceClient } from '../../src/posthog/service-client.ts';
import { clientFor } from '../posthog/client/support/client.ts';
import { serve } from '../posthog/client/support/server.ts';

interface Row {
  readonly method: string;
  /** Relative to the project, unless it begins with a slash. */
  readonly path: string;
  readonly client: string;
  readonly command: string;
  readonly status: Readonly<Record<Profile, number>>;
  readonly file: string;
}

const docs = path.join(import.meta.dirname, '../../docs');
const ROWS = readRows();
const ROLE = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';
const OTHER_ROLE = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c22';
const MEMBER = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1d01';
const ALERT = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1f01';
/** The service chooses the id of a created one. */
let feature = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1e01';

/** Members that are no operation, or are another way to call one. */
const NO_OPERATIONS = ['budget', 'stats', 'wait', 'waitToRepeat', 'close', 'csv', 'pageFlags', 'pagePersons'];

/** One call of each operation; `{id}` is 7, `{uuid}` an early access feature, `{alert}` an alert, and 12 the flag of a role access entry. */
const CALLS: Readonly<Record<string, (client: ServiceClient) => Promise<unknown>>> = {
  listFlags: (c) => c.listFlags(),
  createFlag: (c) => c.createFlag({ key: 'made-here' }),
  getFlag: (c) => c.getFlag(7),
  updateFlag: (c) => c.updateFlag(7, { name: 'changed' }),
  disableFlag: (c) => c.disableFlag(7),
  deleteFlag: (c) => c.deleteFlag(7),
  dependentFlags: (c) => c.dependentFlags(7),
  flagStatus: (c) => c.flagStatus(7),
  flagActivity: (c) => c.flagActivity(7),
  projectFlagActivity: (c) => c.projectFlagActivity(),
  evaluationReasons: (c) => c.evaluationReasons({ distinctId: 'a' }),
  localEvaluation: (c) => c.localEvaluation(),
  myFlags: (c) => c.myFlags(),
  userBlastRadius: (c) => c.userBlastRadius({ condition: { properties: [], rollout_percentage: 100 } }),
  listRoleAccess: (c) => c.listRoleAccess(12),
  createRoleAccess: (c) => c.createRoleAccess(12, OTHER_ROLE),
  getRoleAccess: (c) => c.getRoleAccess(12, 7),
  deleteRoleAccess: (c) => c.deleteRoleAccess(12, 7),
  getAccess: (c) => c.getAccess(12),
  setAccess: (c) => c.setAccess(12, { role: OTHER_ROLE, level: 'viewer' }),
  getAccessSettings: (c) => c.getAccessSettings(),
  listDefaultAccess: (c) => c.listDefaultAccess(),
  listAccessOfRole: (c) => c.listAccessOfRole(OTHER_ROLE),
  listAccessOfMember: (c) => c.listAccessOfMember(MEMBER),
  getProject: (c) => c.getProject(),
  getOrganization: (c) => c.getOrganization('@current'),
  listRoles: (c) => c.listRoles('@current'),
  listMembers: (c) => c.listMembers('@current'),
  listCohorts: (c) => c.listCohorts(),
  getCohort: (c) => c.getCohort(7),
  createCohort: (c) => c.createCohort({ name: 'made-here' }),
  updateCohort: (c) => c.updateCohort(7, { name: 'changed' }),
  cohortActivity: (c) => c.cohortActivity(7),
  projectCohortActivity: (c) => c.projectCohortActivity(),
  listEarlyAccessFeatures: (c) => c.listEarlyAccessFeatures(),
  createEarlyAccessFeature: (c) => c.createEarlyAccessFeature({ name: 'Offered', stage: 'draft' }),
  getEarlyAccessFeature: (c) => c.getEarlyAccessFeature(feature),
  updateEarlyAccessFeature: (c) => c.updateEarlyAccessFeature(feature, { name: 'Changed' }),
  deleteEarlyAccessFeature: (c) => c.deleteEarlyAccessFeature(feature),
  listScheduledChanges: (c) => c.listScheduledChanges(),
  listChangeRequests: (c) => c.listChangeRequests(),
  listAlerts: (c) => c.listAlerts(),
  readAlert: (c) => c.readAlert(ALERT),
  getCurrentKey: (c) => c.getCurrentKey(),
  getDefinitions: (c) => c.getDefinitions('phc_1'),
  listPersons: (c) => c.listPersons().all(),
  createPerson: (c) => c.createPerson({ email: 'x@example.org' }),
  getPerson: (c) => c.getPerson(7),
  updatePerson: (c) => c.updatePerson(7, { plan: 'pro' }),
  deletePerson: (c) => c.deletePerson(7),
  personActivity: (c) => c.personActivity(7),
  unsetPersonProperty: (c) => c.unsetPersonProperty(7, 'plan'),
  personPropertiesTimeline: (c) => c.personPropertiesTimeline(7),
  splitPerson: (c) => c.splitPerson(7),
  setPersonProperty: (c) => c.setPersonProperty(7, 'plan', 'max'),
  projectPersonActivity: (c) => c.projectPersonActivity(),
  personCohorts: (c) => c.personCohorts(7),
  personFunnel: (c) => c.personFunnel({ events: [{ id: 'opened' }, { id: 'paid' }], funnel_step: 1 }),
  postPersonFunnel: (c) => c.postPersonFunnel({ events: [{ id: 'opened' }, { id: 'paid' }], funnel_step: 1 }),
  personFunnelCorrelation: (c) => c.personFunnelCorrelation({ events: [{ id: 'opened' }, { id: 'paid' }] }),
  postPersonFunnelCorrelation: (c) => c.postPersonFunnelCorrelation({ events: [{ id: 'opened' }, { id: 'paid' }] }),
  personLifecycle: (c) => c.personLifecycle({ target_date: '2026-03-01', lifecycle_type: 'new' }),
  personPath: (c) => c.personPath({ path_start_key: '1_opened' }),
  postPersonPath: (c) => c.postPersonPath({ path_start_key: '1_opened' }),
  personProperties: (c) => c.personProperties(),
  personRetention: (c) => c.personRetention({ target_entity: { id: 'opened' }, returning_entity: { id: 'paid' } }),
  personStickiness: (c) => c.personStickiness({ entity_id: 'opened', stickiness_days: 1 }),
  personTrends: (c) => c.personTrends({ entity_id: 'opened' }),
  personValues: (c) => c.personValues({ key: 'plan' }),
};

test('the page has every operation of the client once: 67 of them', () => {
  expect(ROWS).toHaveLength(69);
  expect(new Set(ROWS.map(({ method, path: at }) => `${method} ${at}`)).size).toBe(69);
  const client = createClient({ host: 'http://127.0.0.1:9', projectId: '1', apiKey: 'phx_none' });
  const operations = Object.keys(client).filter((name) => !NO_OPERATIONS.includes(name));
  expect(ROWS.map((row) => row.client).sort()).toEqual(operations.sort());
  expect(Object.keys(CALLS).sort()).toEqual(operations.sort());
  expect(Object.keys(client.csv).sort()).toEqual(
    ROWS.filter(({ path: at }) => at.startsWith('persons/'))
      .map((row) => row.client)
      .filter((name) => name !== 'deletePerson')
      .sort(),
  );
});

describe.each(ROWS.map((row) => [row.client, row] as const))('%s', (name, row) => {
  test('sends the request of its item', async () => {
    const { host, seen } = await serve(() => ({
      body: { id: 7, key: 'a', role: { id: ROLE }, results: [], affected: 1, total: 1 },
    }));
    await CALLS[name]?.(clientFor(host)).catch(() => undefined);
    const at = row.path
      .replace('{flag}', '12')
      .replace('{id}', '7')
      .replace('{uuid}', feature)
      .replace('{alert}', ALERT);
    expect(seen[0]).toMatchObject({ method: row.method });
    expect(seen[0]?.url.split('?')[0]).toBe(at.startsWith('/') ? at : `/api/projects/1/${at}`);
  });

  test('is called by its command', async () => {
    const [group = '', command] = row.command.split(' ');
    const program = createProgram(await allCommands([group]), () => undefined);
    const named = row.command
      .split(' ')
      .reduce<Command | undefined>((parent, part) => parent?.commands.find((child) => child.name() === part), program);
    expect(named, `flagwright ${row.command}`).toBeDefined();
    if (command === undefined) return;
    const table = await RESOURCE_GROUPS.find((heading) => heading.name === group)?.load();
    expect(table?.commands.find((one) => one.name === command)?.operations).toContain(name);
  });

  test('is used in its test', () => {
    const file = path.join(docs, '..', row.file);
    expect(existsSync(file)).toBe(true);
    expect(new RegExp(`\\b${name}\\b`).test(readFileSync(file, 'utf8')), `${row.file} names ${name}`).toBe(true);
  });
});

const SEED: JsonObject = {
  roles: [
    { id: ROLE, name: 'engineering' },
    { id: OTHER_ROLE, name: 'support' },
  ],
  members: [{ id: MEMBER, email: 'ada@example.org' }],
  flags: [7, 12].map((id) => ({
    id,
    key: `flag-${id}`,
    filters: { groups: [{ properties: [], rollout_percentage: 100 }] },
  })),
  alerts: [{ id: ALERT, name: 'Checkout errors' }],
  cohorts: [{ id: 7, name: 'Beta' }],
  persons: [{ id: 7, distinct_ids: ['a', 'b'], properties: { email: 'ada@example.org', plan: 'pro' } }],
  events: ['opened', 'paid'].map((event) => ({ event, distinct_id: 'a', timestamp: '2026-03-01T09:30:00Z' })),
};

describe.each<Profile>(['documented', 'posthog'])('the embedded service, profile %s', (profile) => {
  let service: EmbeddedService;
  const statuses: number[] = [];
  let client: ServiceClient;

  beforeAll(async () => {
    service = await startEmbedded({
      data: ':memory:',
      profile,
      seed: SEED,
      now: () => new Date('2026-03-02'),
      randomUuid: randomUUID,
    });
    client = createClient({
      host: service.url,
      projectId: '1',
      apiKey: 'phx_any_key',
      onEvent: (event) => event.kind === 'response' && statuses.push(event.status ?? 0),
    });
    if (profile === 'posthog') {
      const body = { name: 'Beta', stage: 'draft', feature_flag_id: 12 };
      feature = (await client.createEarlyAccessFeature(body)).id;
    }
    // The entry that the rows read, and the one that they delete.
    for (let id = 0; id < 7 && profile === 'documented';) {
      ({ id } = await client.createRoleAccess(12, ROLE));
      if (id < 7) await client.deleteRoleAccess(12, id);
    }
  });

  afterAll(async () => {
    await client.close();
    await service.close();
  });

  const deletesLast = ROWS.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
  test.each(deletesLast.map((row) => [row.client, row.status[profile]] as const))(
    '%s is answered with %i',
    async (name, status) => {
      statuses.length = 0;
      const call = CALLS[name]?.(client);
      if (status < 400) await call;
      else await expect(call).rejects.toMatchObject({ name: 'ServiceError' });
      expect(statuses[0]).toBe(status);
    },
  );
});

function readRows(): Row[] {
  const lines = readFileSync(path.join(docs, 'interface.md'), 'utf8').split('\n');
  let file = '';
  return lines.flatMap((line) => {
    file = /^Test: `(.*)`$/.exec(line)?.[1] ?? file;
    const item = /^- `([A-Z]+) (\S+)`: `(\w+)`, `([^`]+)`; (.+)$/.exec(line);
    if (item === null) return [];
    const [, method = '', at = '', client = '', command = '', answer = ''] = item;
    const [documented = '', posthog = documented] = answer.split(' / ');
    const status = { documented: Number.parseInt(documented, 10), posthog: Number.parseInt(posthog, 10) };
    return [{ method, path: at, client, command, status, file }];
  });
}
