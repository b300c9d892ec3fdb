/** `snapshot` and `plan --against`: a plan without a key, without the service and without a remote. */

import { existsSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../../src/base/json-text.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { fingerprintOf } from '../../../src/core/engine/plan-document.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { KEY, stage, type Stage } from '../../helpers/stage.ts';

const CONFIG = `projects:
  production: { host: $HOST, project_id: "1" }
  other: { host: $HOST, project_id: "2" }
default_project: production
`;
const WIDER = `flags:
  checkout:
    description: One-page checkout
    active: true
    rollout_percentage: 35
  search:
    active: false
`;

/** A project as its manifests declare it, and a snapshot of it. */
async function taken(): Promise<Stage> {
  const staged = await stage(undefined, CONFIG);
  expect((await staged.run('apply', '-y')).code).toBe(0);
  const ran = await staged.run('snapshot', '--out', 'snapshot.json');
  expect(ran).toMatchObject({ code: 0, stdout: '+ written  snapshot.json\n' });
  expect(ran.stderr).toContain('It contains 2 flags, 3 cohorts.');
  return staged;
}

/** Without a key, and with the service gone. */
async function planAgainst(staged: Stage, ...argv: string[]): ReturnType<Stage['run']> {
  return staged.runWith({ env: { POSTHOG_API_KEY: '' } }, 'plan', '--against', 'snapshot.json', ...argv);
}

test('a plan against a snapshot is the plan that the service would give, and needs neither key nor service', async () => {
  const staged = await taken();
  staged.workspace.write('flags/main.yaml', WIDER);
  const live = await staged.run('plan', '--format', 'json');
  await staged.world.close();
  const ran = await planAgainst(staged, '--format', 'json');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(schemaErrors('plan', ran.document())).toEqual([]);
  const { against, ...document } = ran.document();
  const { forecast: _, ...expected } = live.document();
  expect(withoutEditors(document)).toEqual(withoutEditors(expected));
  expect(against).toMatchObject({ taken_at: expect.stringMatching(/^\d{4}-.*Z$/) });
  expect((await planAgainst(staged, '--detailed-exitcode')).code).toBe(2);
});

test('text and Markdown say how old the snapshot is, below the name of the project', async () => {
  const staged = await taken();
  staged.workspace.write('flags/main.yaml', WIDER);
  const said =
    /^Made from a snapshot of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, \d+ seconds? old: later changes in the project are missing\.$/m;
  expect((await planAgainst(staged)).stdout.split('\n')[1]).toMatch(said);
  expect((await planAgainst(staged, '--format', 'markdown')).stdout).toMatch(said);
});

test('the file is readable by its owner only, and has no key and no author', async () => {
  const { workspace } = await taken();
  const text = workspace.read('snapshot.json');
  expect(text).not.toContain(KEY);
  expect(text).not.toContain('created_by');
  expect(schemaErrors('snapshot', JSON.parse(text))).toEqual([]);
  expect(statSync(`${workspace.root}/snapshot.json`).mode & 0o777).toBe(0o600);
});

test('a snapshot is not written if flags contain the key', async () => {
  const staged = await stage(`flags:\n  a: { description: "the key is ${KEY}" }\n`, CONFIG);
  await staged.world.client.createFlag({ key: 'b', name: KEY, filters: { groups: [{}] } });
  staged.workspace.write('flags/main.yaml', 'flags: {}\n');
  const ran = await staged.run('snapshot', '--out', 'snapshot.json');
  expect(ran.code).toBe(4);
  expect(ran.stderr).toContain('The snapshot was not saved: it would contain the API key.');
  expect(() => staged.workspace.read('snapshot.json')).toThrow();
});

test('a snapshot of another project, and one that was cut, are refused', async () => {
  const staged = await taken();
  const other = await planAgainst(staged, '-p', 'other');
  expect(other.code).toBe(1);
  expect(other.stderr).toMatch(
    /The snapshot was taken of production \(.*project 1\), but this run is for other \(.*project 2\)\./,
  );
  staged.workspace.write('snapshot.json', staged.workspace.read('snapshot.json').slice(0, -50));
  const cut = await planAgainst(staged, '--format', 'json');
  expect(cut.code).toBe(1);
  expect(cut.document()).toMatchObject({ error: { code: 'snapshot_invalid' } });
  expect(schemaErrors('error', cut.document())).toEqual([]);
});

test.each([
  [200_000_001, 'Cannot read snapshot.json: it has 200.1 MB, and the limit is 200 MB.'],
  // More than a string can hold.
  [3_000_000_000, 'Cannot read snapshot.json: it has 3 GB, and the limit is 200 MB.'],
])('a file of %d bytes is refused before it is read', async (bytes, message) => {
  const staged = await stage(undefined, CONFIG);
  staged.workspace.write('snapshot.json', '[');
  truncateSync(`${staged.workspace.root}/snapshot.json`, bytes);
  const ran = await planAgainst(staged);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(`${message}\n  → Check that it is a file that flagwright wrote.`);
});

test.runIf(existsSync('/dev/zero'))('a device that never ends is refused', async () => {
  const staged = await stage(undefined, CONFIG);
  const ran = await staged.runWith({ env: { POSTHOG_API_KEY: '' } }, 'plan', '--against', '/dev/zero');
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('Cannot read /dev/zero: it has 200.1 MB, and the limit is 200 MB.');
});

test('a link that leads to itself is refused', async () => {
  const staged = await stage(undefined, CONFIG);
  symlinkSync('snapshot.json', `${staged.workspace.root}/snapshot.json`);
  const ran = await planAgainst(staged);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('Cannot read snapshot.json: the link leads to itself.');
});

describe('--max-age', () => {
  const dated = (staged: Stage, time: string): void => {
    const { fingerprint: _, ...content } = parseJson(staged.workspace.read('snapshot.json')) as JsonObject;
    const older = { ...content, taken_at: time };
    staged.workspace.write('snapshot.json', stringifyJson({ ...older, fingerprint: fingerprintOf(older) }));
  };

  test('a younger snapshot is planned against', async () => {
    expect(await planAgainst(await taken(), '--max-age', '365d')).toMatchObject({ code: 0, stderr: '' });
  });

  test.each([
    ['2020-01-31T12:00:00.000Z', /^error {2}The snapshot of 2020-01-31 12:00:00 UTC is \d+ days old, and --max-age/m],
    ['2920-01-31T12:00:00.000Z', /is in the future by the clock of this machine, so its age cannot be checked\./],
  ])('one of %s is refused', async (time, message) => {
    const staged = await taken();
    dated(staged, time);
    const ran = await planAgainst(staged, '--max-age', '24h');
    expect(ran.code).toBe(5);
    expect(ran.stderr).toMatch(message);
    const document = (await planAgainst(staged, '--max-age', '24h', '--format', 'json')).document();
    expect(document).toMatchObject({ error: { code: 'snapshot_stale' } });
    expect(schemaErrors('error', document)).toEqual([]);
    expect((await planAgainst(staged)).code).toBe(0);
  });

  test('without a snapshot it is refused', async () => {
    const ran = await (await stage(undefined, CONFIG)).run('plan', '--max-age', '24h');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('--max-age needs --against.');
  });

  test('an age that is no duration is refused', async () => {
    const ran = await planAgainst(await stage(undefined, CONFIG), '--max-age', 'old');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('It must be a duration such as 90s, 5m or 1h30m.');
  });
});

test.each([
  [['--out', 'plan.json'], '--against and --out cannot be used together.'],
  [['--who'], '--against and --who cannot be used together.'],
])('%j is refused', async (argv, message) => {
  const staged = await stage(undefined, CONFIG);
  const ran = await planAgainst(staged, ...argv);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(message);
});

test('a plan against a snapshot can be shown, and never be applied', async () => {
  const staged = await taken();
  staged.workspace.write('flags/main.yaml', WIDER);
  await planAgainst(staged, '--format', 'json', '--output', 'plan.json');
  expect((await staged.run('show', 'plan.json')).stdout).toContain('Made from a snapshot of ');
  const applied = await staged.run('apply', 'plan.json');
  expect(applied.code).toBe(1);
  expect(applied.stderr).toContain('It was made against a snapshot, not against the project.');
});

/** A snapshot does not say who edited a flag, so that the fingerprints differ. */
function withoutEditors(document: Readonly<Record<string, unknown>>): unknown {
  const { fingerprint: _, ...content } = document;
  return JSON.parse(JSON.stringify(content, (name, value: unknown) => (name === 'edited' ? undefined : value)));
}
