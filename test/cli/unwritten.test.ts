/** Runs that wrote nothing say so, with the scope that the key lacks, or with the page on which a person can do it. */

import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import type { Ran } from '../helpers/run.ts';
import { stage, type Stage } from '../helpers/stage.ts';

const CONFIG = 'projects: { main: { host: $HOST, project_id: "1" } }\nlimits: { updates_percent: 100 }\n';
const MANIFEST = 'flags: { checkout: { active: true } }\n';
const RULES = { version: 2, rules: [] };

const failing = (answer: JsonObject, match: JsonObject = { access: 'write' }): JsonValue => ({
  faults: [{ match, count: 99, answer }],
});
const READ_ONLY = failing({ status: 403, detail: "API key missing required scope 'feature_flag:write'" });
const NO_RIGHTS = failing({ status: 403, detail: 'You do not have edit permissions for this feature flag.' });

async function project(faults: JsonValue, seed: readonly JsonObject[] = [], manifest = MANIFEST): Promise<Stage> {
  return stage(manifest, CONFIG, { seed: seed as unknown as JsonValue, faults });
}

const ON = { id: 1, key: 'checkout', active: true };

describe('with a key that may only read', () => {
  test('off turns nothing off, and names the key, its scope and the page', async () => {
    const { run, world } = await project(READ_ONLY, [ON]);
    const { code, stdout, stderr } = await run('off', 'checkout', '--yes');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Nothing was turned off in main \(/);
    expect(stdout).toContain('The API key in POSTHOG_API_KEY needs the scope feature_flag:write.\n');
    expect(stdout).not.toContain('rules');
    const page = `${world.url}/project/1/feature_flags/1`;
    expect(stderr).toContain(`\nTo turn it off by hand in the web interface:\n  checkout: ${page}\n`);
    expect(stderr).not.toContain('To keep this');
  });

  test.each([
    ['flags: { checkout: { active: true } }\n', 'feature_flag:write'],
    [
      'cohorts: { fresh: { filters: { properties: { type: OR, values: [{ key: plan, value: x, type: person, operator: exact }] } } } }\n',
      'cohort:write',
    ],
  ])('apply writes nothing: %j', async (manifest, scope) => {
    const { run } = await project(READ_ONLY, [], manifest);
    const { code, stdout } = await run('apply', '--yes');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Nothing was written to main \(/);
    expect(stdout).toContain(`needs the scope ${scope}`);
  });
});

test('undo of a run without the right to edit undoes nothing', async () => {
  const answer = { status: 403, detail: 'You do not have edit permissions for this feature flag.' };
  const { run } = await project({ faults: [{ match: { access: 'write' }, from: 2, count: 99, answer }] }, [ON]);
  expect(await run('off', 'checkout', '--yes')).toMatchObject({ code: 0 });
  const { stdout } = await run('undo', '--yes');
  expect(stdout).toMatch(/^Nothing of run \S+ was undone in main \(/);
  expect(stdout).toContain(
    'The API key in POSTHOG_API_KEY needs the scope feature_flag:write, and its user the right to edit this flag.\n',
  );
});

test('only of a flag with rules, a 403 says that approval policies may refuse it', async () => {
  const said = async (flag: JsonObject): Promise<string> =>
    (await (await project(NO_RIGHTS, [flag])).run('off', 'checkout', '--yes')).stdout;
  expect(await said({ ...ON, filters: RULES })).toContain('A flag with rules is refused, too,');
  expect(await said(ON)).not.toContain('rules');
});

describe('a service that fails gives the page to turn a flag off by hand', () => {
  const writes = (answer: JsonObject): JsonValue => failing(answer);
  const reads = (answer: JsonObject): JsonValue => failing(answer, { access: 'read' });

  // The runs of all cases wait for the service at the same time.
  test('after 502, 504, 429 or no answer of each write, and after 502 or 403 of each read that of all flags', async () => {
    const off = async (name: string, faults: JsonValue, seed: JsonObject[]): Promise<[string, Ran, string]> => {
      const { run, world } = await project(faults, seed);
      const keys = seed.map(({ key }) => key as string);
      return [name, await run('off', ...keys, '--yes', '--deadline', '20s'), `${world.url}/project/1/feature_flags`];
    };
    const two = [ON, { ...ON, id: 2, key: 'search' }];
    const [unread, unwritten] = await Promise.all([
      Promise.all([off('502', reads({ status: 502, body: 'html' }), [ON]), off('403', reads({ status: 403 }), [ON])]),
      Promise.all([
        off('502', writes({ status: 502, body: 'html' }), two),
        off('504', writes({ status: 504 }), two),
        off('429', writes({ status: 429, retry_after: 3600 }), two),
        off('no answer', { faults: [{ match: { access: 'write' }, count: 99, reset: {} }] }, two),
      ]),
    ]);
    for (const [name, { code, stderr }, page] of unread) {
      expect(code, name).not.toBe(0);
      expect(stderr, name).toContain(' Nothing was turned off.\n');
      expect(stderr, name).toContain(`To turn it off by hand in the web interface: ${page}\n`);
    }
    for (const [name, { stdout, stderr }, page] of unwritten) {
      expect(stdout, name).not.toContain('Turned off');
      expect(stderr, name).toContain(`\nTo turn them off by hand in the web interface:
  checkout: ${page}/1
  search: ${page}/2
`);
    }
  });

  test('but not where the service refuses the flag itself', async () => {
    const { run } = await project(failing({ status: 400, detail: 'No.' }), [ON]);
    const { stdout, stderr } = await run('off', 'checkout', '--yes');
    expect(stdout).toContain('Nothing was turned off in main');
    expect(stderr).not.toContain('by hand');
  });
});
