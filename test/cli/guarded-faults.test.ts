/**
 * Known faults of guards that stop releases, by their names, as tools of this kind have or had them: none of them lets a step through, takes one
 * back or keeps one for ever without a word. Whatever happens, the flag stays at the step that it is at.
 */

import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { CONFIG } from '../helpers/git-stage.ts';
import { KEY } from '../helpers/stage.ts';
import { hour, timedStage, type TimedStage } from '../helpers/timed-stage.ts';

const stepped = (guard: string): string => `
      guard: ${guard}
      steps:
        - { at: ${hour(1)}, to: 10 }
        - { at: ${hour(5)}, to: 50 }`;
const manifest = (guard: string): string =>
  `flags:\n  checkout:\n    active: true\n    rollout_percentage:${stepped(guard)}\n  search:\n    active: true\n    rollout_percentage: 30\n`;
const GUARDS = `guards:
  budget: { verdict: error-budget, max_age: 2h, patience: 3h }
  errors: { alert: Checkout errors, max_age: 3h, patience: 3h }
`;
const config = `${CONFIG}${GUARDS}`;

type Verdict = { readonly name?: string; readonly verdict?: string; readonly at?: number };
const verdicts = (...all: readonly Verdict[]): string =>
  JSON.stringify({
    verdicts: all.map(({ name = 'error-budget', verdict = 'pass', at = 5 }) => ({ name, verdict, at: hour(at) })),
  });
const check = (at: number, state = 'Not firing'): JsonObject => ({ at: hour(at), state });

interface Given {
  readonly guard?: string;
  /** Of the alert, after the one that let the first step through. */
  readonly checks?: readonly JsonObject[];
  readonly files?: Readonly<Record<string, string>>;
}

/** At 10% since the first hour; its guards let that step through. */
async function begun({ guard = 'budget', checks = [], files = {} }: Given = {}): Promise<TimedStage> {
  const seed: JsonValue = { alerts: [{ name: 'Checkout errors', checks: [check(1), ...checks] }] };
  const staged = await timedStage(manifest(guard), { config, seed });
  staged.write('verdicts.json', verdicts({ at: 1 }));
  for (const hours of [0, 1])
    expect((await staged.runAt(hours, 'apply', '--yes', '--verdicts', 'verdicts.json')).code).toBe(0);
  expect(await staged.percentages()).toEqual(AT_STEP);
  for (const [name, text] of Object.entries(files)) staged.write(name, text);
  return staged;
}

const AT_STEP = { checkout: 10, search: 30 };

/** Somebody changes the alert in the service. */
async function change({ world }: TimedStage, method: string, body?: JsonObject): Promise<void> {
  const send = async (verb: string, path: string, content?: JsonObject): Promise<Response> =>
    fetch(`${world.url}/api/projects/1/alerts/${path}`, {
      method: verb,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      ...(content && { body: JSON.stringify(content) }),
    });
  const { results } = (await (await send('GET', '')).json()) as {
    readonly results: readonly [JsonObject & { readonly id: string }];
  };
  const [{ id, insight }] = results;
  const answer =
    method === 'POST'
      ? await send('POST', '', { ...body, insight: (insight as JsonObject)['id'] ?? null, subscribed_users: [] })
      : await send(method, `${id}/`, body);
  expect(answer.ok).toBe(true);
}

const GIVEN = ['--verdicts', 'verdicts.json'];

describe('no data is neither a failure nor a pass', () => {
  test.each<readonly [fault: string, text: string | undefined, words: string]>([
    ['the program found no traffic and gives no verdict', verdicts(), 'is not in the file of `--verdicts`'],
    ['the query has another name', verdicts({ name: 'other' }), 'is not in the file of `--verdicts`'],
    ['the program did not run', undefined, 'is in no file, since the run has no `--verdicts FILE`'],
    ['two programs answer one question', verdicts({}, { verdict: 'hold' }), 'several have the name'],
    ['the file is that of the run before the last step', verdicts({ at: 1 }), 'which is not after the last step'],
    ['the file is older than max_age', verdicts({ at: 2.9 }), 'which is longer ago than `max_age`'],
    ['the clock of the program is ahead', verdicts({ at: 6 }), 'has a time that is still to come'],
  ])('%s', async (_, text, words) => {
    const { write, runAt, percentages } = await begun();
    if (text !== undefined) write('verdicts.json', text);
    const ran = await runAt(5, 'apply', '--due', ...(text === undefined ? [] : GIVEN));
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining(words)]);
    expect(ran.stdout).toContain('Waiting for a guard (1 step)');
    expect(await percentages()).toEqual(AT_STEP);
  });

  test.each<readonly [fault: string, checks: readonly JsonObject[], words: string]>([
    ['the check of the alert failed', [check(4.5, 'Errored')], 'the last check of the alert Checkout errors failed'],
    ['the alert was not checked since the last step', [], 'which is not after the last step'],
    ['the alert was checked too long ago', [check(1.5)], 'which is longer ago than `max_age`'],
  ])('%s', async (_, checks, words) => {
    const { runAt, percentages } = await begun({ guard: 'errors', checks });
    const ran = await runAt(5, 'apply', '--due');
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining(words)]);
    expect(await percentages()).toEqual(AT_STEP);
  });

  test('a guard that has data does not outvote one that has none', async () => {
    const { write, runAt, percentages } = await begun({ guard: '[errors, budget]', checks: [check(4.5)] });
    write('verdicts.json', verdicts({ name: 'other' }));
    const ran = await runAt(5, 'apply', '--due', ...GIVEN);
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('waits: budget does not know')]);
    expect(await percentages()).toEqual(AT_STEP);
  });
});

describe('a run in which a reading failed is no success', () => {
  test.each([
    ['the file is not there', undefined],
    ['the program died and left an empty file', ''],
    ['the program died halfway', verdicts({}).slice(0, 30)],
    ['the file has a verdict that is none', verdicts({ verdict: 'perhaps' })],
    ['the file has a day that does not exist', verdicts({}).replace(/"at":"[^"]*"/, '"at":"2026-02-30T10:00:00Z"')],
  ])('%s', async (_, text) => {
    const { write, runAt, percentages } = await begun();
    write('verdicts.json', text ?? '');
    const file = text === undefined ? 'nowhere.json' : 'verdicts.json';
    const ran = await runAt(5, 'apply', '--due', '--verdicts', file);
    expect([ran.code, ran.stdout]).toEqual([3, expect.stringContaining('the file of `--verdicts` cannot be read')]);
    expect(await percentages()).toEqual(AT_STEP);
  });
});

const THRESHOLD = { threshold: { configuration: { type: 'absolute', bounds: { upper: 9 } } } };

describe('an alert that was silenced does not count as quiet', () => {
  test.each<readonly [fault: string, method: string, body: JsonObject | undefined, words: string]>([
    ['somebody deletes it', 'DELETE', undefined, 'does not exist'],
    ['somebody renames it', 'PATCH', { name: 'Errors' }, 'does not exist'],
    ['somebody disables it', 'PATCH', { enabled: false }, 'is disabled'],
    ['somebody snoozes it', 'PATCH', { snoozed_until: '1d' }, 'is snoozed'],
    ['somebody makes another of the name', 'POST', { name: 'Checkout errors', ...THRESHOLD }, 'several have the name'],
    ['somebody raises its threshold while it fires', 'PATCH', THRESHOLD, 'was edited after its last check'],
  ])('%s', async (_, method, body, words) => {
    const staged = await begun({ guard: 'errors', checks: [check(4, 'Firing')] });
    staged.setClock(4.5);
    await change(staged, method, body);
    const ran = await staged.runAt(5, 'apply', '--due');
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining(words)]);
    expect(await staged.percentages()).toEqual(AT_STEP);
  });

  test.each([
    ['a snooze that ends', { snoozed_until: '1d' }, { snoozed_until: null }],
    ['an alert that is enabled again', { enabled: false }, { enabled: true }],
  ])('%s says "Not firing" without a check', async (_, first, then) => {
    const staged = await begun({ guard: 'errors', checks: [check(4, 'Firing'), check(5.5)] });
    staged.setClock(4.5);
    await change(staged, 'PATCH', first);
    staged.setClock(4.6);
    await change(staged, 'PATCH', then);
    expect(await staged.runAt(5, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await staged.percentages()).toEqual(AT_STEP);
    // The next check decides.
    expect(await staged.runAt(6, 'apply', '--due')).toMatchObject({ code: 0 });
    expect(await staged.percentages()).toMatchObject({ checkout: 50 });
  });
});

test('an inconclusive answer does not wait for ever without a word, and time alone does not make it a pass', async () => {
  const { write, runAt, percentages } = await begun({ files: { 'verdicts.json': verdicts() } });
  for (const hours of [5, 6, 7.9]) expect(await runAt(hours, 'drift', ...GIVEN)).toMatchObject({ code: 0 });
  for (const hours of [8.1, 30, 24 * 60]) {
    expect(await runAt(hours, 'apply', '--due', ...GIVEN)).toMatchObject({ code: 0 });
    const drift = await runAt(hours, 'drift', ...GIVEN);
    expect([drift.code, drift.stdout]).toEqual([2, expect.stringMatching(/overdue since.*\n.*budget does not know/)]);
    expect(await percentages()).toEqual(AT_STEP);
  }
  write('verdicts.json', verdicts({ at: 24 * 60 + 1 }));
  expect(await runAt(24 * 60 + 1, 'apply', '--due', ...GIVEN)).toMatchObject({ code: 0 });
  expect(await percentages()).toMatchObject({ checkout: 50 });
});

test('a hold that has ended holds no more, without any clean-up', async () => {
  const { write, runAt, percentages } = await begun();
  write('verdicts.json', verdicts({ verdict: 'hold' }));
  for (const hours of [5, 9]) await runAt(hours, 'apply', '--due', ...GIVEN);
  expect(await percentages()).toEqual(AT_STEP);
  write('verdicts.json', verdicts({ at: 10 }));
  expect(await runAt(10, 'apply', '--due', ...GIVEN)).toMatchObject({ code: 0 });
  expect(await percentages()).toMatchObject({ checkout: 50 });
});

test('an override lets no step past its guard, then or later', async () => {
  const { write, runAt, percentages } = await begun();
  write('verdicts.json', verdicts({ verdict: 'hold' }));
  for (const hours of [5, 5.1]) {
    const ran = await runAt(hours, 'apply', '--yes', '--target', 'checkout', '--override', 'checkout', ...GIVEN);
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('waits: budget holds')]);
  }
  await runAt(5.2, 'apply', '--due', ...GIVEN);
  expect(await percentages()).toEqual(AT_STEP);
});

test('a guard that nobody declares is a mistake, not a guard that never holds', async () => {
  const { runAt, commit } = await begun();
  commit({ 'flags/main.yaml': manifest('budgett') });
  const ran = await runAt(2, 'validate');
  expect([ran.code, ran.stdout + ran.stderr]).toEqual([1, expect.stringContaining('budgett')]);
});

describe('a change does not loosen the guard that judges it', () => {
  const unguarded = manifest('budget').replace('\n      guard: budget', '');
  test.each([
    ['it removes the guard', { 'flags/main.yaml': unguarded }],
    [
      'it removes the guard and moves the steps to another condition',
      {
        'flags/main.yaml': `flags:
  search: { active: true, rollout_percentage: 30 }
  checkout:
    active: true
    filters:
      groups:
        - { rollout_percentage: 0 }
        - rollout_percentage:${stepped('budget').replace('\n      guard: budget', '').replaceAll('\n', '\n      ')}
`,
      },
    ],
    [
      'the guard looks at something else',
      { 'flagwright.yaml': config.replace('verdict: error-budget', 'verdict: always') },
    ],
    [
      'the guard is of another project',
      {
        'flagwright.yaml': config
          .replace('max_age: 2h', 'projects: [other]')
          .replace('projects:\n', 'projects:\n  other: { host: $HOST, project_id: "2" }\n'),
      },
    ],
  ])('%s: the guard of the last apply judges the step that is due meanwhile', async (_, files) => {
    const { commit, write, runAt, world } = await begun();
    const made = async (): Promise<unknown> =>
      (await world.client.listFlags())
        .find(({ key }) => key === 'checkout')
        ?.filters?.groups?.map((group) => group.rollout_percentage);
    const own = Object.entries(files).map(([name, text]) => [name, text.replaceAll('$HOST', world.url)]);
    commit(Object.fromEntries(own) as Record<string, string>);
    write('verdicts.json', verdicts({ verdict: 'hold' }, { name: 'always' }));
    const argv = ['-p', 'main', ...GIVEN];
    const plan = await runAt(5, 'plan', ...argv);
    expect(plan.stderr + plan.stdout).toContain('budget holds');
    // It is not late before the patience of that guard ends.
    const drift = await runAt(5.9, 'drift', ...argv);
    expect([drift.code, drift.stdout]).toEqual([0, expect.stringContaining('budget holds')]);
    expect(await runAt(5, 'apply', '--due', ...argv)).toMatchObject({ code: 0 });
    expect(await runAt(5.1, 'apply', '--yes', ...argv)).toMatchObject({ code: 0 });
    expect(await made()).toContain(10);
    // It was reviewed and applied, so it counts from now on.
    expect(await runAt(5.3, 'apply', '--due', ...argv)).toMatchObject({ code: 0 });
    expect(await made()).toContain(50);
  });

  test('it accepts older results', async () => {
    const { commit, write, runAt, percentages, world } = await begun();
    commit({ 'flagwright.yaml': config.replace('max_age: 2h', 'max_age: 30d').replaceAll('$HOST', world.url) });
    write('verdicts.json', verdicts({ at: 2 }));
    for (const argv of [['--yes'], ['--due']]) {
      const ran = await runAt(5, 'apply', ...argv, ...GIVEN);
      // The first apply makes it the guard of the last one.
      if (argv[0] === '--yes') expect(ran.stderr).toContain('longer ago than `max_age`');
      expect(await percentages()).toMatchObject({ checkout: argv[0] === '--yes' ? 10 : 50 });
    }
  });

  test('it is a decision, which the plan shows', async () => {
    const { commit, runAt } = await begun();
    commit({ 'flags/main.yaml': unguarded });
    const plan = await runAt(2, 'plan', '--detailed-exitcode');
    expect([plan.code, plan.stdout]).toEqual([
      2,
      expect.stringContaining('no longer guarded by budget once this is applied'),
    ]);
  });
});
