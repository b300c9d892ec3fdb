/** The commands on resources against the embedded service, in both profiles, and once as the built command. */

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { startEmbedded, type Profile } from '../../service/src/index.ts';
import { cli } from '../helpers/cli.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { createWorkspace } from '../helpers/workspace.ts';

const ROLE = '0188a2d0-7b3c-7e61-9f61-2f6f2f6a1c11';

interface Stage {
  readonly env: Readonly<Record<string, string>>;
  readonly run: (...argv: string[]) => Promise<Ran>;
  /** stdout as JSON of a command that has to succeed. */
  readonly json: <T = unknown>(...argv: string[]) => Promise<T>;
}

async function stage(profile: Profile, persons = 3, flags: readonly JsonObject[] = []): Promise<Stage> {
  const seed: JsonValue = {
    roles: [{ id: ROLE, name: 'engineering' }],
    flags: [{ key: 'new-checkout', filters: { groups: [{ properties: [], rollout_percentage: 100 }] } }, ...flags],
    role_access: [{ flag: 'new-checkout', role: 'engineering' }],
    persons: Array.from({ length: persons }, (_, index) => ({
      id: index + 1,
      distinct_ids: [`user-${index + 1}`, `device-${index + 1}`],
      properties: { email: `user-${index + 1}@example.org`, plan: index === 0 ? 'pro' : 'free', formula: '=1+1' },
    })),
    events: ['opened', 'paid'].map((event, index) => ({
      event,
      distinct_id: 'user-1',
      timestamp: `2026-03-01T09:3${index}:00Z`,
    })),
  };
  const service = await startEmbedded({
    data: ':memory:',
    profile,
    seed,
    now: () => new Date('2026-03-02T00:00:00Z'),
    randomUuid: randomUUID,
  });
  onTestFinished(() => service.close());
  const env = { POSTHOG_HOST: service.url, POSTHOG_PROJECT_ID: '1', POSTHOG_API_KEY: 'phx_any_key_at_all' };
  const { root } = createWorkspace();
  const run: Stage['run'] = (...argv) => runCli(argv, { cwd: root, env });
  const json: Stage['json'] = async <T>(...argv: string[]): Promise<T> => {
    const ran = await run(...argv, '-f', 'json');
    expect(ran.stderr).toBe('');
    expect(ran.code).toBe(0);
    return JSON.parse(ran.stdout) as T;
  };
  return { env, run, json };
}

describe.each<Profile>(['documented', 'posthog'])('profile %s', (profile) => {
  test('flags and role access are read', async () => {
    const { json } = await stage(profile);
    const flags = await json<readonly object[]>('flags', 'list');
    expect(flags).toMatchObject([{ key: 'new-checkout' }]);
    expect(await json('flags', 'get', 'new-checkout')).toEqual(flags[0]);
    expect(await json('flags', 'evaluation-reasons', 'user-1')).toMatchObject({ 'new-checkout': { value: true } });
    expect(await json('flags', 'local-evaluation')).toMatchObject({ flags: [{ key: 'new-checkout' }] });
    expect(await json('flags', 'mine')).toMatchObject([{ feature_flag: { key: 'new-checkout' } }]);
    const condition = '{"properties": [{"key": "plan", "type": "person", "value": "pro"}], "rollout_percentage": 100}';
    expect(await json('flags', 'blast-radius', '--condition', condition)).toEqual({ affected: 1, total: 3 });
    const [entry] = await json<readonly { id: number }[]>('role-access', 'list', 'new-checkout');
    expect(entry).toMatchObject({
      subject: 'role',
      role: { id: ROLE, name: 'engineering' },
      access_level: 'editor',
    });
    if (profile === 'posthog') return;
    expect(entry).toMatchObject(await json<object>('role-access', 'get', 'new-checkout', String(entry?.id)));
  });

  test.each([
    [
      ['--active', '--search', 'check'],
      ['banner', 'check-b', 'new-checkout'],
    ],
    [['--search', 'NEW CHECK'], ['new-checkout']],
    [['--key', 'CHECK-A'], ['check-a']],
    [['--archived'], profile === 'posthog' ? ['old-check'] : []],
    [
      ['--order', 'key'],
      ['banner', 'check-a', 'check-b', 'new-checkout'],
    ],
    [
      ['--order', '-key', '-n', '2', '-q'],
      ['new-checkout', 'check-b'],
    ],
    [['--order', '-key', '--search', 'banner', '-n', '1', '-q'], ['banner']],
  ])('flags list %j', async (options, keys) => {
    const archived = { key: 'old-check', archived: true };
    const { json } = await stage(profile, 1, [
      { key: 'check-b' },
      { key: 'check-a', active: false },
      { key: 'banner', name: 'Over the checks' },
      ...(profile === 'posthog' ? [archived] : []),
    ]);
    const listed = (await json<readonly { key: string }[]>('flags', 'list', ...options)).map(({ key }) => key);
    expect(options.includes('--order') ? listed : listed.toSorted()).toEqual(keys);
  });

  test('persons are found', async () => {
    const { json } = await stage(profile);
    const names = async (...options: string[]): Promise<string[]> => {
      const persons = await json<readonly { properties: { email: string } }[]>('persons', 'list', ...options);
      return persons.map(({ properties }) => properties.email);
    };
    expect(await names()).toHaveLength(3);
    expect(await names('--email', 'user-2@example.org')).toEqual(['user-2@example.org']);
    expect(await names('--distinct-id', 'device-3')).toEqual(['user-3@example.org']);
    expect(await names('--search', 'user-2')).toEqual(['user-2@example.org']);
    expect(await names('--property', 'plan=pro')).toEqual(['user-1@example.org']);
    expect(await names('--properties', '[{"key": "plan", "operator": "is_not", "value": "pro"}]')).toHaveLength(2);
    expect(await names('--limit', '2', '--quiet')).toHaveLength(2);
  });

  test('a property is set and removed, and the activity shows it', async () => {
    const { json, run } = await stage(profile);
    expect((await run('persons', 'set-property', '1', 'seats', '3')).code).toBe(0);
    expect((await run('persons', 'update', '1', '--set', 'plan=max')).code).toBe(0);
    expect((await run('persons', 'unset-property', '1', 'formula')).code).toBe(0);
    const person = await json<{ uuid: string; properties: object }>('persons', 'get', '1');
    expect(person.properties).toEqual({ email: 'user-1@example.org', plan: 'max', seats: 3 });
    expect(await json('persons', 'get', person.uuid)).toEqual(person);
    expect((await json<readonly object[]>('persons', 'activity', '1')).length).toBeGreaterThanOrEqual(3);
    expect((await json<readonly object[]>('persons', 'activity')).length).toBeGreaterThanOrEqual(3);
  });

  test('a person is split, and deleted', async () => {
    const { json, run } = await stage(profile);
    expect((await run('persons', 'split', '1', '--main-distinct-id', 'user-1', '--yes')).code).toBe(0);
    expect(await json('persons', 'list')).toHaveLength(4);
    expect((await run('persons', 'delete', '1', '--yes')).stdout).toBe('Deleted person 1.\n');
    expect(await json('persons', 'list')).toHaveLength(3);
    expect(await run('persons', 'get', '1')).toMatchObject({ code: 1, stdout: '' });
  });

  test('facts about persons, and their activity', async () => {
    const { json } = await stage(profile);
    const firstOnly = [{ properties: { email: 'user-1@example.org' } }];
    expect(await json('persons', 'values', 'plan')).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'pro', count: 1 })]),
    );
    expect(await json('persons', 'cohorts', '1')).toEqual([]);
    expect(await json('persons', 'timeline', '1')).toHaveProperty('points');
    const dates = ['--param', 'date_from=2026-03-01', '--param', 'date_to=2026-03-02'];
    expect(await json('persons', 'trends', '--param', 'entity_id=paid', ...dates)).toMatchObject(firstOnly);
    expect(
      await json('persons', 'stickiness', '--param', 'entity_id=paid', '--param', 'stickiness_days=1', ...dates),
    ).toMatchObject(firstOnly);
    const steps = ['--param', 'events=[{"id": "opened"}, {"id": "paid"}]', '--param', 'funnel_step=2', ...dates];
    expect(await json('persons', 'funnel', ...steps)).toMatchObject(firstOnly);
    expect(await json('persons', 'funnel', '--post', ...steps)).toMatchObject(firstOnly);
  });

  test.each([
    ['properties'],
    ['path'],
    ['retention'],
    ['funnel-correlation', '--param', 'events=[{"id": "opened"}, {"id": "paid"}]'],
  ])('persons %s works, or is reported as removed', async (...argv) => {
    const { run } = await stage(profile);
    const { code, stderr } = await run('persons', ...argv);
    expect(code).toBe(profile === 'documented' ? 0 : 1);
    if (profile === 'posthog') expect(stderr).toContain('have removed some operations');
  });

  test('a person is created, or the error gives the reason', async () => {
    const { run, json } = await stage(profile);
    const { code, stderr } = await run('persons', 'create', '--set', 'email=new@example.org');
    expect(code).toBe(profile === 'documented' ? 0 : 1);
    if (profile === 'posthog') expect(stderr).toContain('creates persons from events');
    else expect(await json('persons', 'list', '--email', 'new@example.org')).toHaveLength(1);
  });
});

describe('the built command', () => {
  test('exports every person, page after page', async () => {
    const { env } = await stage('posthog', 2500);
    const { root, read } = createWorkspace();
    const columns = ['--columns', 'id,properties.email,properties.formula'];
    const piped = await cli(['persons', 'list', '--all', '-f', 'csv', ...columns], { cwd: root, env });
    expect([piped.code, piped.stderr]).toEqual([0, '']);
    const lines = piped.stdout.trimEnd().split('\r\n');
    expect(lines).toHaveLength(2501);
    expect(lines).toContain("7,user-7@example.org,'=1+1");
    const saved = await cli(['persons', 'list', '--all', '-f', 'jsonl', '-o', 'all.jsonl'], { cwd: root, env });
    expect([saved.code, saved.stdout]).toEqual([0, '']);
    const ids = read('all.jsonl')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: number }).id);
    expect(new Set(ids).size).toBe(2500);
  });

  test('requests no more pages once its reader closes the pipe', async () => {
    const { env } = await stage('posthog', 10_000);
    const bin = fileURLToPath(new URL('../../dist/cli/bin.js', import.meta.url));
    const { root } = createWorkspace();
    const child = spawn(process.execPath, [bin, 'persons', 'list', '--all', '-f', 'jsonl', '-v'], {
      cwd: root,
      env: { PATH: process.env['PATH'] ?? '', HOME: root, ...env },
    });
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    child.stdout.once('data', () => child.stdout.destroy());
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(0);
    expect(log.match(/GET /g)?.length ?? 0).toBeLessThan(7);
  });
});
