/** A review finds the safety rules that later steps break, as the run finds them that makes the steps. */

import { describe, expect, test } from 'vitest';
import { schemaErrors } from '../helpers/schemas.ts';
import { CONFIG } from '../helpers/git-stage.ts';
import { hour as at, timedStage, type TimedStage } from '../helpers/timed-stage.ts';

const OFF = `{ from: true, steps: [{ at: ${at(4)}, to: false }] }`;
const NEEDS = (key: string): string =>
  `{ groups: [{ properties: [{ key: ${key}, type: flag, operator: flag_evaluates_to, value: true }] }] }`;
const flags = (...all: readonly (readonly [key: string, active: string, filters?: string])[]): string =>
  `flags:\n${all.map(([key, active, filters = '{ groups: [{ rollout_percentage: 5 }] }']) => `  ${key}: { active: ${active}, filters: ${filters} }\n`).join('')}`;

/** The first manifest is applied, and the second is a change of it. */
async function proposed(merged: string, pull: string, config: string = CONFIG): Promise<TimedStage> {
  const here = await timedStage(merged, { config });
  expect(await here.runAt(0, 'apply', '--yes')).toMatchObject({ code: 0 });
  here.commit({ 'flags/main.yaml': pull });
  return here;
}

const hazardsIn = async ({ runAt }: TimedStage, ...argv: readonly string[]): Promise<unknown> => {
  const document = (await runAt(1, 'plan', '-f', 'json', ...argv)).document();
  expect(schemaErrors('plan', document)).toEqual([]);
  return document['hazards'];
};

const STEP = { step: new Date(at(4)).toISOString() };

test.each<[what: string, merged: string, pull: string, config: string, hazard: object, permit: readonly string[]]>([
  [
    'a protected flag off',
    flags(['checkout', 'true']),
    flags(['checkout', OFF]),
    `${CONFIG}protected: [checkout]\n`,
    { code: 'protected', key: 'checkout', action: 'disable', ...STEP },
    ['--allow-protected', 'checkout'],
  ],
  [
    'off what another flag needs',
    flags(['checkout', 'true'], ['banner', 'true', NEEDS('checkout')]),
    flags(['checkout', OFF], ['banner', 'true', NEEDS('checkout')]),
    CONFIG,
    { code: 'dependents', key: 'checkout', dependents: ['banner'], ...STEP },
    [],
  ],
  [
    'on what needs a flag that is off by then',
    flags(['checkout', OFF], ['banner', 'false', NEEDS('checkout')]),
    flags(['checkout', OFF], ['banner', `{ steps: [{ at: ${at(5)}, to: true }] }`, NEEDS('checkout')]),
    CONFIG,
    { code: 'dependencies_disabled', key: 'banner', dependencies: ['checkout'], step: new Date(at(5)).toISOString() },
    [],
  ],
  [
    'off a flag that the change makes others need, although the step was reviewed before',
    flags(['checkout', OFF], ['banner', 'true']),
    flags(['checkout', OFF], ['banner', 'true', NEEDS('checkout')]),
    CONFIG,
    { code: 'dependents', key: 'checkout', dependents: ['banner'], ...STEP },
    [],
  ],
])('a step that turns %s refuses the plan', async (_, merged, pull, config, hazard, permit) => {
  const here = await proposed(merged, pull, config);
  expect(await hazardsIn(here)).toMatchObject([hazard]);
  expect(await here.runAt(1, 'snapshot', '--out', 'live.json')).toMatchObject({ code: 0 });
  expect(await hazardsIn(here, '--against', 'live.json')).toMatchObject([hazard]);
  expect(await here.runAt(1, 'plan', '--detailed-exitcode')).toMatchObject({ code: 4 });
  expect((await here.runAt(1, 'plan')).stdout).toMatch(/Step of 2026-12-01 1[23]:00:00 UTC: /);
  expect(await here.runAt(1, 'apply', '--yes')).toMatchObject({ code: 4 });
  expect(await here.runAt(1, 'rehearse', String((hazard as { key: string }).key))).toMatchObject({ code: 4 });
  if (permit.length > 0) expect(await hazardsIn(here, ...permit)).toEqual([]);
});

test('a flag that no manifest declares counts as a dependent', async () => {
  const here = await proposed(flags(['checkout', 'true']), flags(['checkout', OFF]));
  const [checkout] = await here.world.client.listFlags();
  const property = { key: String(checkout?.id), type: 'flag', operator: 'flag_evaluates_to', value: true };
  await here.world.client.createFlag({
    key: 'own',
    active: true,
    filters: { groups: [{ properties: [property] }] } as never,
  });
  expect(await hazardsIn(here)).toMatchObject([{ code: 'dependents', key: 'checkout', dependents: ['own'], ...STEP }]);
});

describe('limits', () => {
  const KEYS = Array.from({ length: 40 }, (_, index) => `flag-${String(index).padStart(2, '0')}`);
  const all = (active: (index: number) => string): string =>
    flags(...KEYS.map((key, index) => [key, active(index)] as const));
  const offAt = (hours: number): string => OFF.replace(at(4), at(hours));

  test('count all flags that step in one run: at one time, or within the interval of the runs', async () => {
    for (const [minutes, count] of [
      [0, 40],
      [10, 40],
      [20, 20],
    ] as const) {
      const here = await proposed(
        all(() => 'true'),
        all((index) => offAt(4 + (index % 2 === 0 ? 0 : minutes / 60))),
        CONFIG.replace('updates_percent', 'updates: 30, disables: 30, updates_percent'),
      );
      const expected =
        count === 20
          ? []
          : [
              { code: 'updates', count, limit: 30 },
              { code: 'disables', count, limit: 30 },
            ];
      expect(await hazardsIn(here)).toMatchObject(expected);
    }
  });

  test('count those that were reviewed before, and shares of all declared flags', async () => {
    const here = await proposed(
      all((index) => (index < 15 ? offAt(4) : 'true')),
      all((index) => (index < 18 ? offAt(4) : 'true')),
      CONFIG.replace('updates_percent: 100', 'updates_percent: 40, disables: 20'),
    );
    expect(await hazardsIn(here)).toMatchObject([
      { code: 'updates_percent', count: 18, of: 40, limit_percent: 40, ...STEP },
    ]);
    // A change of something else is not refused for steps that it does not touch.
    here.commit({
      'flags/main.yaml': all((index) => (index < 15 ? offAt(4) : 'true')).replace(
        'flag-39: {',
        'flag-39: { description: New,',
      ),
    });
    expect(await hazardsIn(here)).toEqual([]);
  });
});

test('a step of a rollout that begins late is refused for the time at which it comes', async () => {
  const late = `{ steps: [{ at: ${at(-1)}, to: true }, { at: ${at(4)}, to: false }] }`;
  const pull = flags(['banner', 'true'], ['checkout', late]);
  const here = await proposed(flags(['banner', 'true']), pull, `${CONFIG}protected: [checkout]\n`);
  const step = new Date(at(6)).toISOString();
  expect(await hazardsIn(here)).toMatchObject([{ code: 'protected', key: 'checkout', action: 'disable', step }]);
});

test('an exception that only a step needs is used while it counts at the time of the step', async () => {
  const here = await proposed(
    flags(['checkout', 'true']),
    flags(['checkout', OFF]),
    `${CONFIG}protected: [checkout]\n`,
  );
  const day = STEP.step.slice(0, 10);
  const before = new Date(Date.parse(STEP.step) - 86_400_000).toISOString().slice(0, 10);
  const file = (until: string): string =>
    `exceptions: [{ rule: protected, keys: [checkout], reason: the campaign ends, until: ${until}, granted_by: ann }]\n`;
  const plan = async (until: string): Promise<Record<string, unknown>> => {
    here.write('exceptions.yaml', file(until));
    return (await here.runAt(1, 'plan', '-f', 'json', '--approved-by', 'ann')).document();
  };
  expect(await plan(day)).toMatchObject({
    hazards: [],
    lifted: [{ hazard: { code: 'protected', ...STEP }, by: { by: 'exception', granted_by: 'ann' } }],
    exceptions: [{ code: 'exception_used', lifts: [{ rule: 'protected', key: 'checkout' }] }],
  });
  expect(await plan(before)).toMatchObject({ hazards: [{ code: 'protected', ...STEP }] });
});
