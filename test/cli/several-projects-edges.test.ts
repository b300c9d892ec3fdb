/**
 * Runs over several projects over HTTP: services that limit requests or refuse keys, deadlines, reports in every format, deletes, a flag that is
 * turned off beside a run, and projects that are renamed or removed.
 */

import { describe, expect, test } from 'vitest';
import { MOST_AT_ONCE } from '../../src/cli/project/open-project.ts';
import { startGate } from '../helpers/gate.ts';
import type { Ran } from '../helpers/run.ts';
import { committing, membersOf, severalProjects, statesOf, TWO_FLAGS } from '../helpers/several-projects.ts';
import { holdTimers, turns } from '../helpers/timers.ts';
import { until } from '../helpers/until.ts';
import { parseXml } from '../helpers/xml.ts';

const ALL = '--all-projects';
const ARGV = ['apply', ALL, '--yes', '-f', 'json'];

const limit = (access: 'read' | 'write', seconds: number) =>
  ({ match: { access }, answer: { status: 429, retry_after: seconds } }) as const;
const DAY = 86_400;

test('a limit of requests delays its project alone, and a refused key fails its project alone', async () => {
  const several = await severalProjects(
    {
      fine: '',
      delayed: '',
      next: ', after: [delayed]',
      refused: '',
      later: ', after: [refused]',
      other: '',
      shut: '',
    },
    {
      worlds: {
        delayed: { faults: { faults: [limit('read', 1), limit('write', 1)] } },
        shut: { faults: { faults: [limit('read', DAY)] } },
        refused: { faults: { faults: [{ count: 99, answer: { status: 401 } }] } },
      },
    },
  );
  const ran = await several.runBuilt(...ARGV);
  expect(statesOf(ran)).toEqual({
    ...{ fine: 'applied', delayed: 'applied', next: 'applied', other: 'applied' },
    ...{ refused: 'failed', later: 'held', shut: 'failed' },
  });
  expect(ran.stderr).toMatch(/^error {2}shut: .* takes no requests until \d{4}-/m);
  const { refused } = membersOf(ran);
  expect([ran.code, refused?.exit, refused?.report?.error?.code]).toEqual([3, 1, 'unauthorized']);
  expect(ran.stderr).toMatch(/^error {2}refused: .* does not accept the API key in KEY_REFUSED/m);
  expect(ran.stderr).toMatch(/^error {2}later: held, since refused is not in sync \(failed\)/m);
  expect(await several.keysOf('later')).toEqual([]);
});

test('a terminal shows how many projects are done, and what the others wait for', async () => {
  const { runWith } = await severalProjects(
    { fine: '', limited: '' },
    { worlds: { limited: { faults: { faults: [limit('read', 2)] } } } },
  );
  let shown = '';
  const ran = await runWith(
    { answer: { line: 'yes' }, env: { TERM: 'xterm' }, onStderr: (text) => void (shown = text) },
    'plan',
    ALL,
  );
  expect(ran.code).toBe(0);
  expect(shown).toMatch(/plan · 1 of 2 projects done · limited: reading · 1 request · 429, waiting [12] s/);
});

test.each([
  ['before anything is written', limit('read', 19), 1, { a: 'failed', b: 'failed', c: 'held' }],
  ['while one project waits', limit('write', 19), 3, { a: 'applied', b: 'failed', c: 'held' }],
] as const)('a deadline that passes %s ends all', async (_, fault, code, states) => {
  const seen = { a: [] as string[], b: [] as number[], c: [] as string[] };
  const { run, keysOf } = await severalProjects(
    { a: '', b: '', c: ', after: [b]' },
    {
      worlds: {
        a: { onRequest: ({ method }) => void seen.a.push(method) },
        b: { onRequest: ({ status }) => void seen.b.push(status), faults: { faults: [fault] } },
        c: { onRequest: ({ method }) => void seen.c.push(method) },
      },
    },
  );
  const timers = holdTimers();
  const running = run(...ARGV, '--deadline', '20s', '--concurrency', '1');
  // Until b waits: the others went on since it was refused, a to the end of what it writes and reads back.
  await until(() => {
    expect(seen.b).toContain(429);
    if (code === 3) expect(seen.a.slice(-3)).toEqual(['POST', 'POST', 'GET']);
    else expect([seen.a.length, seen.c.length]).toEqual([4, 4]);
  });
  await turns();
  timers.pass(20_000);
  const ran = await running;
  expect([ran.code, statesOf(ran)]).toEqual([code, states]);
  expect(ran.stderr).toContain('The deadline passed.');
  expect([await keysOf('b'), await keysOf('c')]).toEqual([[], []]);
});

test('the reports of one run are in each format what that format prints, with every project that has something to say', async () => {
  const several = await severalProjects(
    { a: '', b: '', c: ', after: [a]', refused: '', failed: '' },
    { settings: 'protected: [search]\n' },
  );
  const env = { KEY_FAILED: '' };
  expect((await several.runWith({ env }, 'apply', '-p', 'b,refused', '--yes')).code).toBe(0);
  const declared = 'search: { active: true, projects: { refused: { active: false } } }';
  several.write('flags/main.yaml', TWO_FLAGS.replace('search: { active: true }', declared));
  const formats = ['text', 'markdown', 'html', 'json', 'sarif', 'junit', 'github', 'gitlab'] as const;
  const reports = formats.flatMap((format) => ['--report', `${format}=plan.${format}`]);
  const plan = async (...argv: string[]): Promise<Ran> =>
    several.runWith({ env, now: Date.parse('2026-11-02T08:00:00Z') }, 'plan', ALL, ...argv);
  expect((await plan(...reports)).code).toBe(1);
  for (const format of formats) {
    const written = several.read(`plan.${format}`);
    expect([format, written]).toEqual([format, (await plan('-f', format)).stdout]);
    // What is in sync, and what has no place in a file, is not annotated.
    const told = ['sarif', 'junit', 'github', 'gitlab'].includes(format)
      ? ['a, c', 'refused']
      : ['a', 'b', 'c', 'refused', 'failed'];
    for (const name of told) expect([format, written]).toEqual([format, expect.stringContaining(name)]);
  }
  expect(membersOf({ stdout: several.read('plan.json') })).toMatchObject({
    failed: { state: 'failed' },
    refused: { state: 'refused' },
  });
  expect(parseXml(several.read('plan.junit')).name).toBe('testsuites');
});

test('--prune deletes in each project what no manifest names, within the limits of each', async () => {
  const manifest = `${TWO_FLAGS}  third: { active: true }\n`;
  const { run, write, keysOf, worlds } = await severalProjects(
    { a: '', b: ', after: [a]', c: '' },
    { manifest, settings: 'limits: { deletes: 2 }\n' },
  );
  expect((await run(...ARGV)).code).toBe(0);
  write('flags/main.yaml', TWO_FLAGS);
  for (const key of ['x', 'y', 'z']) await worlds.c.client.createFlag({ key });
  const ran = await run(...ARGV, '--prune');
  expect([ran.code, statesOf(ran)]).toEqual([3, { a: 'applied', b: 'applied', c: 'refused' }]);
  expect(await Promise.all((['a', 'b', 'c'] as const).map(keysOf))).toEqual([
    ['checkout', 'search'],
    ['checkout', 'search'],
    ['checkout', 'search', 'third', 'x', 'y', 'z'],
  ]);
});

test('a flag that is turned off while the run writes to another project stays off', async () => {
  const several = await severalProjects({ a: '', b: ', after: [a]', c: '' });
  const { run, read, write, worlds } = several;
  expect((await run(...ARGV)).code).toBe(0);
  write('flags/main.yaml', TWO_FLAGS.replace('10 }', '20 }'));
  const gate = await startGate(worlds.a.url);
  write('flagwright.yaml', read('flagwright.yaml').replace(worlds.a.url, gate.host));
  const hold = gate.hold(({ method }) => method !== 'GET');
  const running = run(...ARGV);
  await hold.arrived(1);
  expect((await several.runBuilt('off', 'checkout', '-p', 'b', '--yes')).code).toBe(0);
  hold.open();
  const ran = await running;
  expect([ran.code, statesOf(ran)]).toEqual([3, { a: 'applied', b: 'stale', c: 'applied' }]);
  const [checkout] = (await worlds.b.client.listFlags()).filter(({ key }) => key === 'checkout');
  expect(checkout).toMatchObject({ active: false, filters: { groups: [{ rollout_percentage: 10 }] } });
  // Nor does the next run turn it on.
  const next = await run(...ARGV);
  expect([next.code, statesOf(next)]).toEqual([4, { a: 'in_sync', b: 'refused', c: 'in_sync' }]);
});

test('where a flag was renamed live in one of six projects, the run gives it its key back, and touches no other', async () => {
  const several = await severalProjects({ a: '', b: '', c: '', d: ', after: [c]', e: '', f: '' });
  const { run, worlds, keysOf } = several;
  expect((await run(...ARGV)).code).toBe(0);
  await worlds.c.edit('checkout', { key: 'renamed' });
  const planned = membersOf(await run('plan', ALL, '-f', 'json'));
  const alone = (await run('plan', '-p', 'c', '-f', 'json')).document();
  expect(planned['c']?.report?.changes).toEqual(alone['changes']);
  const ran = await run(...ARGV);
  expect([ran.code, statesOf(ran)]).toEqual([
    0,
    { a: 'in_sync', b: 'in_sync', c: 'applied', d: 'in_sync', e: 'in_sync', f: 'in_sync' },
  ]);
  expect(await keysOf('c')).toEqual(['checkout', 'search']);
  expect((await run('plan', ALL, '--detailed-exitcode')).code).toBe(0);
});

test('--verbose logs the requests of each project in their order', async () => {
  const { run } = await severalProjects({ a: '', b: '' });
  const { stderr } = await run(...ARGV, '--verbose', '--concurrency', '1');
  const of = (name: string): string => stderr.slice(stderr.lastIndexOf(`\n${name}:\n`));
  const methods = [...of('b').matchAll(/^(GET|POST) |^applied/gm)].map(([whole]) => whole.trim());
  expect(methods.filter((method) => method !== 'GET')).toEqual(['POST', 'applied', 'POST', 'applied']);
});

describe('a project of the configuration', () => {
  test('that is removed is named by what still waits for it, and the others go on', async () => {
    const { run, read, write, keysOf } = await severalProjects({ a: '', b: '', c: ', after: [b]' });
    expect((await run(...ARGV)).code).toBe(0);
    const without = read('flagwright.yaml').replace(/^ {2}b: .+\n/m, '');
    write('flagwright.yaml', without);
    const refused = await run('plan', ALL);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/flagwright\.yaml:3:\d+ {2}error {2}.*"b"/) as string,
    ]);
    write('flagwright.yaml', without.replace(', after: [b]', ''));
    write('flags/main.yaml', TWO_FLAGS.replace('10 }', '20 }'));
    const ran = await run(...ARGV);
    expect([ran.code, statesOf(ran)]).toEqual([0, { a: 'applied', c: 'applied' }]);
    expect((await run('plan', '-p', 'a,b')).stderr).toContain('no project "b"');
    expect(await keysOf('b')).toEqual(['checkout', 'search']);
  });

  test('that is renamed keeps its record, so what people changed there is still theirs', async () => {
    const several = await severalProjects({ a: '', b: '' });
    const { read, write, worlds, runWith } = several;
    const { env, commit } = committing(several);
    expect((await runWith({ env }, ...ARGV)).code).toBe(0);
    await worlds.b.edit('search', { active: false });
    write('flagwright.yaml', read('flagwright.yaml').replace('  b: {', '  eu: {'));
    commit();
    const ran = await runWith({ env }, ...ARGV);
    expect([ran.code, statesOf(ran)]).toEqual([4, { a: 'in_sync', eu: 'refused' }]);
  });
});

test('files that are edited during the run are the same for all projects', async () => {
  let edit = (): void => undefined;
  const names = ['first', ...Array.from({ length: MOST_AT_ONCE }, (_, index) => `next-${index}`)];
  const several = await severalProjects(Object.fromEntries(names.map((name) => [name, ''])), {
    worlds: { first: { onRequest: ({ path }) => path.endsWith('/activity/') && edit() } },
  });
  // The first project has read them by then, and the last one has not begun.
  edit = () => {
    several.write('flags/main.yaml', `${TWO_FLAGS}  late: { active: true }\n`);
    several.write('flagwright.yaml', 'projects: {');
  };
  const ran = await several.run('apply', ALL, '--yes');
  expect(ran.code).toBe(0);
  const keys = await Promise.all(names.map(several.keysOf));
  expect(keys).toEqual(names.map(() => ['checkout', 'search']));
});
