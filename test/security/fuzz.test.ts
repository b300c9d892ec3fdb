/** Random input for everything that parses: no crash, no hang, always a value or an error of ours. FUZZ_RUNS=N for more. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { fingerprintOf } from '../../src/core/engine/plan-document.ts';
import { ServiceError } from '../../src/posthog/client/service-error.ts';
import { describe as wordsOf } from '../../src/report/words/diagnostics.ts';
import type { Diagnostic } from '../../src/base/diagnostic.ts';
import { FlagwrightError } from '../../src/base/errors.ts';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { readYaml } from '../../src/base/yaml/read.ts';
import { resolveConfig } from '../../src/config/resolve.ts';
import { startEmbedded, type EmbeddedOptions } from '../../service/src/index.ts';
import { readRun } from '../../src/loop/journal/read.ts';
import { journalFile } from '../../src/loop/journal/write.ts';
import { writeManifests } from '../../src/loop/export/write-manifests.ts';
import { parseManifest } from '../../src/posthog/manifests/manifests.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { planDocument, parsePlanDocument } from '../../src/posthog/planning/plan-document.ts';
import { jsonText } from '../../src/report/formats/json/seal.ts';
import { VIEW } from '../report/samples.ts';
import { toRecordedRun } from '../../src/cli/runs/find-runs.ts';
import { readFlag, UnexpectedShape } from '../../src/posthog/client/shape.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import { createClient } from '../../src/posthog/service-client.ts';
import { runCli } from '../helpers/run.ts';
import { declared, dependsOn, desiredState, entry, liveFlag, liveState, planFor, retired } from '../helpers/states.ts';
import { check } from '../core/manifest/check.ts';
import { json, mutated, name, object, RUNS, text, yamlText } from './arbitraries.ts';
import { expectHarmless } from './hostile.ts';
import { diagnosticsText, driftText, planText, runText } from '../report/texts.ts';
import { ANY_CHARACTER } from '../helpers/any-character.ts';

async function fuzz<T>(arbitrary: fc.Arbitrary<T>, body: (value: T) => void | Promise<void>, share = 1): Promise<void> {
  await fc.assert(
    fc.asyncProperty(arbitrary, async (value) => body(value)),
    { numRuns: Math.ceil(RUNS * share) },
  );
}

/** Ends only a run that hangs: longer than any machine needs for this many. */
const TIMEOUT = 180_000 + RUNS * 200;

/** The words of a diagnostic are harmless, whatever it quotes. */
function expectSaid(diagnostics: readonly Diagnostic[], source: string): void {
  const lines = source.split(/\r\n|\r|\n/);
  expectHarmless(
    diagnosticsText({ kind: 'diagnostics', diagnostics }, { ...VIEW, sourceLine: ({ line }) => lines[line - 1] }),
  );
  for (const diagnostic of diagnostics) expect(wordsOf(diagnostic).message).not.toBe('');
}

const SOUND_FILTERS: JsonObject = {
  groups: [
    {
      properties: [{ key: 'email', type: 'person', operator: 'icontains', value: '@acme.com' }],
      rollout_percentage: 50,
    },
    { properties: [{ key: 'help', type: 'flag', operator: 'flag_evaluates_to', value: true }], variant: 'a' },
  ],
  multivariate: {
    variants: [
      { key: 'a', rollout_percentage: 50 },
      { key: 'b', rollout_percentage: 50 },
    ],
  },
  payloads: { a: { color: 'red' } },
};

const SOUND_MANIFEST: JsonObject = {
  flags: {
    checkout: {
      description: 'x',
      active: true,
      tags: ['a'],
      filters: SOUND_FILTERS,
      role_access: ['engineering'],
      projects: { staging: { filters: { groups: [{}] } } },
    },
    help: {
      rollout_percentage: 10,
      previous_keys: ['old'],
      only_in: ['production'],
      fields: { evaluation_runtime: 'all' },
    },
    gone: { deleted: true },
  },
  role_access: { support: ['help*'] },
};

const manifestText = fc.oneof(
  yamlText,
  json.map((value) => stringify(value)),
  mutated(SOUND_MANIFEST).map((value) => JSON.stringify(value)),
  fc.string({ unit: ANY_CHARACTER, maxLength: 300 }),
);

describe('manifests', () => {
  test(
    'give a value or diagnostics',
    async () => {
      await fuzz(manifestText, (source) => {
        const { diagnostics } = check(source);
        expectSaid(diagnostics, source);
      });
    },
    TIMEOUT,
  );

  test(
    'that are valid are planned against any live state',
    async () => {
      await fuzz(fc.tuple(mutated(SOUND_MANIFEST), fc.array(object, { maxLength: 4 })), ([manifest, extras]) => {
        const { desired, diagnostics } = check(JSON.stringify(manifest));
        if (diagnostics.some(({ severity }) => severity === 'error')) return;
        const keys = ['checkout', 'help', 'old', 'gone'];
        const roleAccess = Object.fromEntries(extras.map((_, index) => [index + 1, [entry(1, 'r')]]));
        const flags = extras.flatMap((extra, index) =>
          believed(liveFlag(index + 1, keys[index] ?? 'x', withoutIdentity(extra))),
        );
        expectPlanned(planFor(desired, liveState(flags, roleAccess), { prune: true }));
      });
    },
    TIMEOUT,
  );
});

/** Every flag that the client accepts. */
function believed(value: JsonValue): Flag[] {
  try {
    return [readFlag(value)];
  } catch (error) {
    expect(error).toBeInstanceOf(UnexpectedShape);
    return [];
  }
}

function withoutIdentity(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => field !== 'id' && field !== 'key'));
}

function expectPlanned(plan: Plan): void {
  for (const verbose of [false, true]) {
    expectHarmless(planText({ kind: 'plan', plan }, { ...VIEW, verbose }));
    expectHarmless(driftText({ kind: 'drift', plan }, { ...VIEW, verbose }));
  }
  const document = jsonText(planDocument(plan));
  expectHarmless(document);
  expect(parsePlanDocument(document).fingerprint).toBe(plan.fingerprint);
}

test(
  'live flags of any form are planned and exported',
  async () => {
    const live = mutated(
      liveFlag(1, 'checkout', {
        filters: SOUND_FILTERS,
      }) as unknown as JsonObject,
    );
    await fuzz(live, (value) => expectRead(value as JsonObject));
  },
  TIMEOUT,
);

/** What random flags have found, and what is like it. */
test.each<[string, JsonObject]>([
  ['a percentage of which no number can be made', { groups: [{ rollout_percentage: [{ toString: 0 }] }] }],
  [
    'a share of which no number can be made',
    { groups: [], multivariate: { variants: [{ key: 'a', rollout_percentage: [{ toString: 0 }] }] } },
  ],
])('a live flag with %s is planned and exported', (_, filters) => {
  expectRead({ ...liveFlag(1, 'checkout'), filters });
});

function expectRead(fields: JsonObject): void {
  const desired = desiredState(declared('checkout', { name: 'x', filters: { groups: [{ rollout_percentage: 1 }] } }));
  const flags = believed({ ...fields, id: 1, key: 'checkout' });
  expectPlanned(planFor(desired, liveState(flags)));
  const names = { roles: {}, cohorts: {} };
  const { files } = writeManifests({ flags, roleAccess: undefined, names }, { groupBy: 'single' });
  for (const file of files) {
    expect(file.text).not.toMatch(/[^\P{Cc}\n]/u);
    parseManifest(file.path, file.text);
  }
}

describe('configurations', () => {
  const SOUND: JsonObject = {
    manifests: ['flags/**/*.yaml'],
    default_project: 'production',
    projects: {
      local: { service: 'embedded' },
      production: {
        host: 'https://us.posthog.com',
        project_id: '5',
        api_key_env: 'KEY',
        roles: { a: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11' },
        cohorts: { b: 1 },
      },
    },
    scope: { include: ['*'], exclude: ['x-*'] },
    limits: { deletes: 5 },
    protected: ['billing-*'],
  };

  test(
    'give a value or diagnostics',
    async () => {
      const source = fc.oneof(
        yamlText,
        json.map((value) => stringify(value)),
        mutated(SOUND).map((value) => JSON.stringify(value)),
      );
      await fuzz(source, async (written) => {
        const yaml = readYaml('flagwright.yaml', written);
        expectSaid(yaml.diagnostics, written);
        for (const document of yaml.documents) {
          const given = { root: '/repo', file: 'flagwright.yaml', env: {} };
          const { config, diagnostics } = await resolveConfig(document, given);
          expectSaid(diagnostics, written);
          if (config === undefined) expect(diagnostics).not.toEqual([]);
        }
      });
    },
    TIMEOUT,
  );
});

const SOUND_PLAN = planFor(
  desiredState(
    declared('fresh', { name: 'x', filters: dependsOn('checkout') }, { roles: ['r1'] }),
    declared('checkout', { active: false }, { roles: [] }),
    declared('back', { name: 'y' }),
    retired('gone'),
  ),
  liveState(
    [liveFlag(1, 'checkout'), liveFlag(2, 'gone', { experiment_set: [3] }), liveFlag(3, 'back', { deleted: true })],
    { 1: [entry(1, 'r2')] },
  ),
  { prune: true, protected: ['checkout'] },
);

/** An attacker who makes a plan by hand gives it the right fingerprint. */
const plans = mutated(planDocument(SOUND_PLAN)).map((value) => {
  const { format_version: version, fingerprint: _, forecast: __, ...content } = value as JsonObject;
  return { format_version: version ?? '1.0', ...content, fingerprint: fingerprintOf(content) };
});

describe('saved plans', () => {
  test(
    'are refused or valid',
    async () => {
      await fuzz(
        fc.oneof(
          plans,
          json,
          plans.map((plan) => JSON.stringify(plan).slice(0, -5)),
        ),
        (value) => {
          const plan = attempt(() => parsePlanDocument(typeof value === 'string' ? value : JSON.stringify(value)));
          if (plan !== undefined) expectPlanned(plan);
        },
      );
    },
    TIMEOUT,
  );

  test(
    'are applied or refused without a crash',
    async () => {
      const service = await startEmbedded({
        data: ':memory:',
        now: () => new Date(),
        randomUuid: () => crypto.randomUUID(),
      });
      const root = mkdtempSync(path.join(tmpdir(), 'flagwright-fuzz-'));
      const env = { POSTHOG_HOST: service.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_planted_key' };
      const project = { name: 'environment', host: service.url, project_id: '1' };
      try {
        await fuzz(
          plans,
          async (plan) => {
            const {
              format_version: version,
              fingerprint: _,
              ...content
            } = { ...plan, project, hazards: [] } as JsonObject;
            writeFileSync(
              path.join(root, 'plan.json'),
              JSON.stringify({ format_version: version, ...content, fingerprint: fingerprintOf(content) }),
            );
            const ran = await runCli(['apply', 'plan.json', '--no-journal'], { cwd: root, env });
            expectOrderly(ran);
          },
          0.3,
        );
      } finally {
        await service.close();
        rmSync(root, { recursive: true, force: true });
      }
    },
    TIMEOUT,
  );
});

function attempt<Result>(parse: () => Result): Result | undefined {
  try {
    return parse();
  } catch (error) {
    return refused(error);
  }
}

function refused(error: unknown): undefined {
  if (!(error instanceof FlagwrightError)) throw error;
  expect(error.code).not.toBe('internal');
}

test(
  'journals are refused or valid',
  async () => {
    const begun: JsonObject = {
      kind: 'begun',
      format_version: '1.0',
      run: 'x',
      at: '2026-01-01T00:00:00Z',
      plan: planDocument(SOUND_PLAN),
    };
    const ref = SOUND_PLAN.changes[0]?.ref ?? '';
    const records: JsonValue[] = [
      { kind: 'sending', ref, at: 'x' },
      { kind: 'settled', ref, at: 'x', result: { outcome: 'applied', id: 4 } },
      { kind: 'settled', ref, at: 'x', result: { outcome: 'failed', error: { code: 'x', message: 'y' } } },
      { kind: 'ended', at: 'x', outcomes: {} },
    ];
    const journal = fc.tuple(
      fc.oneof(fc.constant<JsonValue>(begun), mutated(begun)),
      fc.array(fc.oneof(...records.map(mutated), json), { maxLength: 5 }),
    );
    const folder = mkdtempSync(path.join(tmpdir(), 'flagwright-fuzz-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await fuzz(journal, async ([first, rest]) => {
      writeFileSync(journalFile(folder, 'x'), [first, ...rest].map((record) => JSON.stringify(record)).join('\n'));
      const run = await readRun(folder, 'x').catch(refused);
      if (run !== undefined)
        expectHarmless(runText({ kind: 'run', run: toRecordedRun(run) }, { ...VIEW, verbose: true }));
    });
  },
  TIMEOUT,
);

describe('the client', () => {
  let reply: { status: number; type: string; body: Buffer } = {
    status: 200,
    type: 'application/json',
    body: Buffer.from(''),
  };
  let requests = 0;
  let close: () => Promise<void>;
  let client: ReturnType<typeof createClient>;
  beforeAll(async () => {
    const { createServer } = await import('node:http');
    const server = createServer((request, response) => {
      request.resume();
      // The client reads at most ten thousand pages of a service that always has a next one: too many for this test.
      if ((requests += 1) > 50) reply = { ...reply, status: 400 };
      response.writeHead(reply.status, { 'content-type': reply.type });
      response.end(reply.status === 204 ? undefined : reply.body);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as { port: number };
    const now = (): number => Date.now();
    client = createClient({
      host: `http://127.0.0.1:${port}`,
      projectId: '1',
      apiKey: 'phx_planted',
      clock: { now, sleep: async () => undefined },
    });
    close = async () => {
      await client.close();
      server.closeAllConnections();
      server.close();
    };
  });
  afterAll(async () => close());

  const take = async <T>(all: AsyncIterable<T>): Promise<void> => {
    let taken = 0;
    for await (const _ of all) if ((taken += 1) > 50) return;
  };
  const CALLS: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['listFlags', () => client.listFlags()],
    ['pageFlags', () => take(client.pageFlags())],
    ['getFlag', () => client.getFlag(1)],
    ['createFlag', () => client.createFlag({ key: 'a' })],
    ['updateFlag', () => client.updateFlag(1, {})],
    ['deleteFlag', () => client.deleteFlag(1)],
    ['disableFlag', () => client.disableFlag(1)],
    ['dependentFlags', () => client.dependentFlags(1)],
    ['flagStatus', () => client.flagStatus(1)],
    ['listRoleAccess', () => client.listRoleAccess(1)],
    ['createRoleAccess', () => client.createRoleAccess(1, 'r')],
    ['getRoleAccess', () => client.getRoleAccess(1, 1)],
    ['deleteRoleAccess', () => client.deleteRoleAccess(1, 1)],
    ['listCohorts', () => client.listCohorts()],
    ['getCohort', () => client.getCohort(1)],
    ['createCohort', () => client.createCohort({})],
    ['updateCohort', () => client.updateCohort(1, {})],
    ['cohortActivity', () => client.cohortActivity(1)],
    ['projectCohortActivity', () => client.projectCohortActivity()],
    ['listEarlyAccessFeatures', () => client.listEarlyAccessFeatures()],
    ['getEarlyAccessFeature', () => client.getEarlyAccessFeature('a')],
    ['createEarlyAccessFeature', () => client.createEarlyAccessFeature({})],
    ['updateEarlyAccessFeature', () => client.updateEarlyAccessFeature('a', {})],
    ['deleteEarlyAccessFeature', () => client.deleteEarlyAccessFeature('a')],
    ['listScheduledChanges', () => client.listScheduledChanges()],
    ['listAlerts', () => client.listAlerts()],
    ['readAlert', () => client.readAlert('a')],
    ['listChangeRequests', () => client.listChangeRequests()],
    ['getCurrentKey', () => client.getCurrentKey()],
    ['getAccess', () => client.getAccess(1)],
    ['setAccess', () => client.setAccess(1, { role: 'r', level: 'viewer' })],
    ['getProject', () => client.getProject()],
    ['getOrganization', () => client.getOrganization('@current')],
    ['listRoles', () => client.listRoles('o')],
    ['listMembers', () => client.listMembers('o')],
    ['getDefinitions', () => client.getDefinitions('phc_a')],
    ['getAccessSettings', () => client.getAccessSettings()],
    ['listDefaultAccess', () => client.listDefaultAccess()],
    ['listAccessOfRole', () => client.listAccessOfRole('r')],
    ['listAccessOfMember', () => client.listAccessOfMember('m')],
    ['flagActivity', () => client.flagActivity(1)],
    ['projectFlagActivity', () => client.projectFlagActivity()],
    ['evaluationReasons', () => client.evaluationReasons({ distinctId: 'a' })],
    ['localEvaluation', () => client.localEvaluation()],
    ['myFlags', () => client.myFlags()],
    ['userBlastRadius', () => client.userBlastRadius({ condition: {} })],
    ['listPersons', () => take(client.listPersons())],
    ['pagePersons', () => client.pagePersons()],
    ['createPerson', () => client.createPerson({})],
    ['getPerson', () => client.getPerson(1)],
    ['updatePerson', () => client.updatePerson(1, {})],
    ['deletePerson', () => client.deletePerson(1)],
    ['splitPerson', () => client.splitPerson(1)],
    ['setPersonProperty', () => client.setPersonProperty(1, 'a', 1)],
    ['unsetPersonProperty', () => client.unsetPersonProperty(1, 'a')],
    ['personActivity', () => client.personActivity(1)],
    ['projectPersonActivity', () => client.projectPersonActivity()],
    ['personPropertiesTimeline', () => client.personPropertiesTimeline(1)],
    ['personCohorts', () => client.personCohorts(1)],
    ['personProperties', () => client.personProperties()],
    ['personValues', () => client.personValues({ key: 'a' })],
    ['personFunnel', () => client.personFunnel()],
    ['postPersonFunnel', () => client.postPersonFunnel()],
    ['personFunnelCorrelation', () => client.personFunnelCorrelation()],
    ['postPersonFunnelCorrelation', () => client.postPersonFunnelCorrelation()],
    ['personPath', () => client.personPath()],
    ['postPersonPath', () => client.postPersonPath()],
    ['personLifecycle', () => client.personLifecycle()],
    ['personRetention', () => client.personRetention()],
    ['personStickiness', () => client.personStickiness()],
    ['personTrends', () => client.personTrends()],
    ['personCsv', () => take(client.csv.getPerson(1))],
  ];
  const SOUND: readonly JsonValue[] = [
    { count: 1, next: null, previous: null, results: [liveFlag(1, 'a') as unknown as JsonValue] },
    { next: 'http://x/?limit=1&offset=1', results: [{ id: 1, uuid: 'x', distinct_ids: ['a'], properties: {} }] },
    liveFlag(1, 'a') as unknown as JsonValue,
    { id: 1, role: { id: 'r', name: 'x' } },
    { results: [{ people: [{ id: 1 }], count: 1 }], next: null, missing_persons: 0 },
    { type: 'x', code: 'unique', detail: 'y', attr: 'key', extra: { change_request_id: 5 } },
    [{ name: 'a', count: 1 }],
    { count: 1, next: null, previous: null, results: [{ id: 7, name: 'beta' }] },
  ];
  const bodies = fc.oneof(
    json.map((value) => Buffer.from(JSON.stringify(value))),
    fc.oneof(...SOUND.map(mutated)).map((value) => Buffer.from(JSON.stringify(value))),
    fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
    text.map((value) => Buffer.from(value)),
  );
  const status = fc.oneof(
    { weight: 6, arbitrary: fc.constant(200) },
    { weight: 2, arbitrary: fc.constantFrom(201, 202, 204, 206, 301, 400, 401, 403, 404, 405, 409, 418, 422) },
  );

  test(
    'answers with a value or a ServiceError, for every operation',
    async () => {
      const type = fc.constantFrom('application/json', 'text/html', 'text/csv', '');
      await fuzz(
        fc.record({ status, type, body: bodies }),
        async (given) => {
          reply = given;
          for (const [, call] of CALLS) {
            requests = 0;
            reply = given;
            await call().catch((error: unknown) => {
              if (!(error instanceof ServiceError)) throw error;
              expect(JSON.stringify([error.message, error.failure, error.path, String(error.cause)])).not.toContain(
                'phx_planted',
              );
            });
          }
        },
        0.2,
      );
      expect(
        Object.keys(client)
          .filter((operation) => !['csv', 'stats', 'budget', 'wait', 'waitToRepeat', 'close'].includes(operation))
          .sort(),
      ).toEqual(
        CALLS.map(([operation]) => operation)
          .filter((operation) => operation !== 'personCsv')
          .sort(),
      );
    },
    TIMEOUT,
  );
});

describe('the embedded service', () => {
  const SOUND_SEED: JsonObject = {
    flags: [{ key: 'a', filters: { groups: [{}] } }],
    roles: [{ id: '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11', name: 'r' }],
    role_access: [],
    cohorts: [{ id: 1 }],
    events: [{ event: 'a', distinct_id: 'x' }],
    persons: [{ distinct_ids: ['x'], properties: {} }],
  };
  const SOUND_FAULTS: JsonObject = {
    faults: [
      { match: { operation: 'createFlag' }, from: 2, reset: { when: 'after' } },
      {
        match: { access: 'write', path: '**/feature_flags/**' },
        for_ms: 3,
        answer: { status: 429, retry_after: 2, body: 'html' },
      },
      {
        count: 3,
        edit: { method: 'PATCH', path: 'feature_flags/{id}/', body: { name: 'x' } },
        latency: { ms: 1 },
        drip: { bytes: 1 },
      },
    ],
  };

  async function startOrRefuse(options: Pick<EmbeddedOptions, 'seed' | 'faults'>): Promise<void> {
    try {
      const fixed = { data: ':memory:', now: () => new Date(0), randomUuid: () => crypto.randomUUID() };
      const service = await startEmbedded({ ...fixed, ...options });
      await service.close();
    } catch (error) {
      expect(error).toBeInstanceOf(FlagwrightError);
      expect((error as FlagwrightError).code).toBe('usage');
    }
  }

  test(
    'refuses invalid seeds',
    async () => fuzz(fc.oneof(json, mutated(SOUND_SEED)), async (seed) => startOrRefuse({ seed }), 0.5),
    TIMEOUT,
  );

  test(
    'refuses invalid fault scripts',
    async () => fuzz(fc.oneof(json, mutated(SOUND_FAULTS)), async (faults) => startOrRefuse({ faults }), 0.5),
    TIMEOUT,
  );
});

describe('the command line', () => {
  let root = '';
  beforeAll(async () => {
    root = mkdtempSync(path.join(tmpdir(), 'flagwright-fuzz-'));
    // The first run loads modules.
    for (const group of ['flags', 'persons', 'role-access', 'plan']) await runCli([group, '--help'], { cwd: root });
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const COMMANDS = [
    'init',
    'validate',
    'plan',
    'apply',
    'drift',
    'export',
    'undo',
    'history',
    'flags',
    'persons',
    'role-access',
    'help',
    'list',
    'get',
    'activity',
  ];
  const OPTIONS = [
    '-p',
    '--project',
    '-c',
    '-f',
    '--format',
    'json',
    'csv',
    '-o',
    '--out',
    '--concurrency',
    '--deadline',
    '-q',
    '-v',
    '--help',
    '--version',
    '--prune',
    '--target',
    '--allow-deletes',
    '-y',
    '--yes',
    '--dir',
    '--columns',
    '--limit',
    '--all',
    '--',
    '-',
    '=',
    '--format=json',
    '1',
    '0',
    '5s',
    '--resume',
    '--no-journal',
  ];
  const token = fc.oneof(
    fc.constantFrom(...OPTIONS),
    text.map((value) => value.replaceAll('/', '')),
    name.map((value) => value.replaceAll('/', '')),
  );

  test(
    'accepts any arguments or says what is wrong with them',
    async () => {
      await fuzz(
        fc.tuple(fc.oneof(fc.constantFrom(...COMMANDS), token), fc.array(token, { maxLength: 6 })),
        async ([first, rest]) => {
          const ran = await runCli([first, ...rest], { cwd: root });
          expectOrderly(ran);
        },
        0.5,
      );
    },
    TIMEOUT,
  );
});

function expectOrderly({
  code,
  stdout,
  stderr,
}: {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}): void {
  expect([0, 1, 2, 3, 4, 5, 130]).toContain(code);
  expect(stderr).not.toContain('bug in flagwright');
  expectHarmless(stderr);
  expectHarmless(stdout.replaceAll('\r\n', '\n'));
}
