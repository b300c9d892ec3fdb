/** The policy `soaked`: production gets what staging has had for three days, by its record and without drift. */

import { describe, expect, test } from 'vitest';
import type { Ran } from '../helpers/run.ts';
import { schemaErrors } from '../helpers/schemas.ts';
import { committing, severalProjects } from '../helpers/several-projects.ts';
import type { World } from '../helpers/world.ts';

const START = Date.parse('2026-11-02T08:00:00Z');
const HOUR_MS = 3_600_000;
const DAY = 24;

const flag = (percentage: number, more = ''): string =>
  `flags:\n  checkout:\n    active: true\n    rollout_percentage: ${percentage}\n${more}`;
const APART = (percentage: number): string => `    projects: { production: { rollout_percentage: ${percentage} } }\n`;

interface Soak {
  readonly staging: World;
  readonly production: World;
  readonly write: (file: string, text: string) => void;
  readonly git: (...argv: string[]) => string;
  /** Commits the manifest. */
  readonly declare: (manifest: string) => void;
  /** Runs the command so many hours after the start. */
  readonly at: (hours: number, ...argv: string[]) => Promise<Ran>;
  readonly without: (key: string, hours: number, ...argv: string[]) => Promise<Ran>;
  readonly setClock: (hours: number) => void;
}

/** `order`: a member of production in flagwright.yaml. */
async function soak(
  rule = '{ rule: soaked, projects: [production], in: staging, for: 3d }',
  order = '',
): Promise<Soak> {
  let now = START;
  const world = { now: () => new Date(now) };
  const several = await severalProjects(
    { staging: '', production: order },
    {
      manifest: flag(10),
      settings: `limits: { updates_percent: 100 }\npolicies: { rules: [${rule}] }\n`,
      worlds: { staging: world, production: world },
    },
  );
  several.write('.gitignore', '/*.json\n');
  const here = committing(several);
  const setClock = (hours: number): void => void (now = START + hours * HOUR_MS);
  const run = async (hours: number, argv: readonly string[], lacking: object = {}): Promise<Ran> => {
    setClock(hours);
    return several.runWith({ env: { ...here.env, ...lacking }, now }, ...argv);
  };
  return {
    ...{ ...several.worlds, setClock },
    write: here.write,
    git: here.git,
    declare: (manifest) => {
      here.write('flags/main.yaml', manifest);
      here.commit();
    },
    at: async (hours, ...argv) => run(hours, argv),
    without: async (key, hours, ...argv) => run(hours, argv, { [key]: '' }),
  };
}

const factsOf = (ran: Ran): unknown => {
  const document = ran.document();
  expect(schemaErrors('plan', document)).toEqual([]);
  const { findings } = document['policy'] as { findings: readonly { facts: unknown; level: string }[] };
  return findings.map(({ facts }) => facts);
};
const PLAN = ['plan', '-p', 'production', '-f', 'json'];
const STAGE = ['apply', '-p', 'staging', '--yes'];
const RELEASE = ['apply', '-p', 'production', '--yes'];
const PATH = '/filters/groups/0/rollout_percentage';

/** Both have 10 %, and staging has had 50 % since hour 0. */
async function soaking(...given: Parameters<typeof soak>): Promise<Soak> {
  const here = await soak(...given);
  expect(await here.at(-200, ...STAGE)).toMatchObject({ code: 0 });
  expect(await here.at(-100, ...RELEASE)).toMatchObject({ code: 0 });
  here.declare(flag(50));
  expect(await here.at(0, ...STAGE)).toMatchObject({ code: 0 });
  return here;
}

describe('soaked', () => {
  test('lets production have what staging has had for so long, and not before', async () => {
    const here = await soaking();
    const early = await here.at(2 * DAY, ...PLAN);
    expect(factsOf(early)).toEqual([
      {
        ...{ what: 'soaked', in: 'staging', for: '3d', problem: 'young', paths: [PATH] },
        until: new Date(START + 3 * DAY * HOUR_MS).toISOString(),
      },
    ]);
    expect(await here.at(2 * DAY, ...RELEASE, '--approved-by', 'ann')).toMatchObject({ code: 4 });
    expect(await here.at(3 * DAY + 1, ...RELEASE)).toMatchObject({ code: 0 });
  });

  const problemOf = async (ran: Promise<Ran>): Promise<unknown> =>
    (factsOf(await ran) as { problem: string; why?: string }[]).map(({ problem, why }) =>
      [problem, why].join(' ').trim(),
    );

  // Each of the four: a mistake of another tool.
  test('counts the time in the state, not the time since the last look or apply', async () => {
    const here = await soaking();
    // Neither an apply that finds nothing to do nor a drift run starts the clock again.
    for (const hours of [DAY, 2 * DAY, 3 * DAY]) {
      expect(await here.at(hours, ...STAGE)).toMatchObject({ code: 0 });
      expect(await here.at(hours, 'drift', '-p', 'staging')).toMatchObject({ code: 0 });
    }
    expect(await problemOf(here.at(3 * DAY + 1, ...PLAN))).toEqual([]);
  });

  test('does not count a former version: any change of the value starts the clock again', async () => {
    const here = await soaking();
    here.declare(flag(60));
    expect(await here.at(4 * DAY, ...STAGE)).toMatchObject({ code: 0 });
    expect(await problemOf(here.at(5 * DAY, ...PLAN))).toEqual(['young']);
    // The record says so by itself, without the log of staging.
    const record = here.git('log', '-1', '--format=%B', 'refs/flagwright/applied/staging');
    const since = JSON.parse(/^Since: (.*)$/m.exec(record)?.[1] ?? '') as {
      checkout: Record<string, Record<string, string>>;
    };
    const times = Object.entries(since.checkout).filter(([, parts]) => PATH in parts);
    expect(times.map(([at]) => Date.parse(at))).toEqual([START + 4 * DAY * HOUR_MS]);
    // Staging had it for four days, and has something else now.
    here.declare(flag(50));
    expect(await problemOf(here.at(5 * DAY, ...PLAN))).toEqual(['values']);
    expect(await here.at(6 * DAY, ...STAGE)).toMatchObject({ code: 0 });
    expect(await problemOf(here.at(8 * DAY, ...PLAN))).toEqual(['young']);
    expect(await problemOf(here.at(9 * DAY + 1, ...PLAN))).toEqual([]);
  });

  test('other changes of the flag, and of other flags, do not start it again', async () => {
    const here = await soaking();
    here.declare(flag(50, '    description: Checkout\n  search: { active: true }\n'));
    expect(await here.at(2 * DAY, ...STAGE)).toMatchObject({ code: 0 });
    expect(factsOf(await here.at(3 * DAY + 1, ...PLAN))).toMatchObject([{ problem: 'young', paths: ['/active'] }]);
    expect(await here.at(3 * DAY + 1, ...RELEASE, '--target', 'checkout')).toMatchObject({ code: 0 });
  });

  test('a stage that was never applied refuses, also where its live values are the same', async () => {
    const here = await soak();
    await here.at(0, ...RELEASE);
    here.declare(flag(50));
    await here.staging.client.createFlag({ key: 'checkout', filters: { groups: [{ rollout_percentage: 50 }] } });
    expect(await problemOf(here.at(9 * DAY, ...PLAN))).toEqual(['unknown record']);
  });

  test('only the named stage counts, however long others have had it', async () => {
    const here = await soaking();
    here.git('update-ref', 'refs/flagwright/applied/qa', 'refs/flagwright/applied/staging');
    here.git('update-ref', '-d', 'refs/flagwright/applied/staging');
    expect(await problemOf(here.at(9 * DAY, ...PLAN))).toEqual(['unknown record']);
  });

  describe('refuses what is not known', () => {
    test.each<[string, string, (here: Soak) => Promise<Ran>]>([
      ['without the key of staging', 'unknown live', async (here) => here.without('KEY_STAGING', 9 * DAY, ...PLAN)],
      [
        'staging is down',
        'unknown live',
        async (here) => {
          await here.staging.goDown();
          return here.at(9 * DAY, ...PLAN);
        },
      ],
      [
        'the record is one of an older release',
        'unknown record',
        async (here) => {
          here.git('update-ref', 'refs/flagwright/applied/staging', 'HEAD');
          return here.at(9 * DAY, ...PLAN);
        },
      ],
    ])('%s', async (_, problem, ran) => {
      const here = await soaking();
      expect(await problemOf(ran(here))).toEqual([problem]);
    });

    test('staging has another address than at the base', async () => {
      const here = await soaking();
      const file = here.git('show', 'HEAD:flagwright.yaml');
      here.write('flagwright.yaml', `${file.replace(here.staging.url, here.production.url)}\n`);
      expect(await problemOf(here.at(9 * DAY, ...PLAN))).toEqual(['unknown moved']);
    });
  });

  test('drift of staging refuses, and its end starts the clock again', async () => {
    const here = await soaking();
    here.setClock(2 * DAY);
    await here.staging.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 5 }] } });
    expect(await problemOf(here.at(9 * DAY, ...PLAN))).toEqual(['drifted']);
    here.setClock(10 * DAY);
    await here.staging.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 50 }] } });
    expect(await problemOf(here.at(12 * DAY, ...PLAN))).toEqual(['young']);
    expect(await problemOf(here.at(13 * DAY + 1, ...PLAN))).toEqual([]);
  });

  test('a flag that was deleted and made again in staging begins anew', async () => {
    const here = await soaking();
    here.setClock(4 * DAY);
    await here.staging.edit('checkout', { deleted: true });
    expect(await problemOf(here.at(5 * DAY, ...PLAN))).toEqual(['drifted']);
    expect(await here.at(5 * DAY, ...STAGE, '--override', 'checkout')).toMatchObject({ code: 0 });
    expect(await problemOf(here.at(6 * DAY, ...PLAN))).toEqual(['young']);
  });

  describe('what the manifests declare differently', () => {
    test('is not asked of staging, once it is declared so for as long', async () => {
      const here = await soak();
      here.declare(flag(100, APART(5)));
      expect(await here.at(-100, ...STAGE)).toMatchObject({ code: 0 });
      expect(await here.at(-10, ...RELEASE)).toMatchObject({ code: 0 });
      here.declare(flag(100, APART(25)));
      expect(await problemOf(here.at(0, ...PLAN))).toEqual([]);
      // What staging has had for long is promoted at once.
      here.declare(flag(100));
      expect(await problemOf(here.at(0, ...PLAN))).toEqual([]);
      // A value of both is asked of it.
      here.declare(flag(70));
      expect(await problemOf(here.at(0, ...PLAN))).toEqual(['values']);
    });

    test('cannot be declared by the change itself', async () => {
      const here = await soaking();
      await here.at(9 * DAY, ...RELEASE);
      here.declare(flag(50, APART(90)));
      expect(await problemOf(here.at(9 * DAY, ...PLAN))).toEqual(['values']);
      expect(await here.at(9 * DAY, ...STAGE)).toMatchObject({ code: 0 });
      expect(await problemOf(here.at(10 * DAY, ...PLAN))).toEqual(['values']);
      expect(await problemOf(here.at(12 * DAY + 1, ...PLAN))).toEqual([]);
    });

    test('a condition of another audience is no value of staging', async () => {
      const here = await soaking();
      await here.at(9 * DAY, ...RELEASE);
      const condition =
        '{ properties: [{ key: country, type: person, operator: exact, value: [US] }], rollout_percentage: 50 }';
      here.declare(`flags:\n  checkout:\n    active: true\n    filters: { groups: [${condition}] }\n`);
      expect(factsOf(await here.at(9 * DAY, ...PLAN))).toMatchObject([
        { problem: 'values', paths: ['/filters/groups', '/filters/groups/0/rollout_percentage'] },
      ]);
    });
  });

  test('the policy of the base judges, and only an exception of the base lifts it', async () => {
    const here = await soaking();
    const file = here.git('show', 'HEAD:flagwright.yaml');
    here.write('flagwright.yaml', `${file.replace('for: 3d', 'for: 1s')}\n`);
    here.write(
      'exceptions.yaml',
      `exceptions:\n  - { rule: soaked, keys: [checkout], until: 2026-12-31, granted_by: ann, reason: an incident }\n`,
    );
    here.git('add', '-A');
    here.git('commit', '-qm', 'Loosen');
    expect(await problemOf(here.at(DAY, ...PLAN))).toEqual(['young']);
    expect(await here.at(DAY, ...RELEASE)).toMatchObject({ code: 4 });
    // The next change is judged by what this one said, once it was applied.
    here.declare(flag(10));
    expect(await here.at(DAY, ...RELEASE)).toMatchObject({ code: 0 });
    here.declare(flag(30));
    expect(await here.at(DAY, ...RELEASE)).toMatchObject({ code: 0 });
  });

  test('a saved plan is judged again when it is applied', async () => {
    const here = await soaking();
    expect(await here.at(9 * DAY, 'plan', '-p', 'production', '--out', 'plan.json')).toMatchObject({ code: 0 });
    here.setClock(9 * DAY);
    await here.staging.edit('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 5 }] } });
    const refused = await here.at(9 * DAY, 'apply', 'plan.json');
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringContaining('that differ there from what was applied'),
    ]);
  });

  test('validate, which reads no project, judges nothing, and staging itself needs no time', async () => {
    const here = await soaking('{ rule: soaked, in: staging, for: 3d }');
    expect(await here.at(1, 'validate', '--base', 'auto')).toMatchObject({ code: 0 });
    here.declare(flag(60));
    expect(await here.at(2, ...STAGE)).toMatchObject({ code: 0 });
    expect(await problemOf(here.at(3, ...PLAN))).toEqual(['young']);
  });

  test('a rollout with times of its own goes on once it was declared so for as long', async () => {
    const here = await soak();
    const steps = (day: number): string =>
      `{ from: 0, steps: [{ at: "${new Date(START + day * DAY * HOUR_MS).toISOString().replace('.000', '')}", to: 40 }] }`;
    const rollouts = `${steps(1)}, projects: { production: { rollout_percentage: ${steps(8)} } }`;
    here.declare(`flags:
  checkout: { active: true, rollout_percentage: ${rollouts} }
`);
    await here.at(0, ...STAGE);
    expect(await problemOf(here.at(0, ...PLAN))).not.toEqual([]);
    expect(await here.at(3 * DAY + 1, ...RELEASE)).toMatchObject({ code: 0 });
    expect(await here.at(8 * DAY + 0.1, 'apply', '-p', 'production', '--due', '--yes')).toMatchObject({ code: 0 });
    const flags = await here.production.client.listFlags();
    expect(flags[0]?.filters?.groups?.[0]?.rollout_percentage).toBe(40);
  });

  test.each([
    ['whatever their order', ''],
    ['also where production comes after staging', ', after: [staging]'],
  ])('one run over both moves staging alone until it has soaked, %s', async (_, order) => {
    const here = await soaking(undefined, order);
    const both = async (hours: number): Promise<unknown> => {
      const ran = await here.at(hours, 'apply', '--all-projects', '--yes', '-f', 'json');
      const { projects } = ran.document() as { projects: Record<string, { state: string }> };
      const flags = await here.production.client.listFlags();
      const states = Object.values(projects).map(({ state }) => state);
      return [ran.code, ...states, flags[0]?.filters?.groups?.[0]?.rollout_percentage];
    };
    here.declare(flag(60));
    // The run itself is no time in staging.
    expect(await both(4 * DAY)).toEqual([3, 'applied', 'refused', 10]);
    expect(await both(7 * DAY - 1)).toEqual([4, 'in_sync', 'refused', 10]);
    const early = await here.at(7 * DAY - 1, 'plan', '--all-projects', '--out', 'plans.json');
    expect(early.stdout).toMatch(/^ {2}production +refused /m);
    expect(await here.at(7 * DAY - 1, 'apply', 'plans.json')).toMatchObject({ code: 4 });
    expect(await both(7 * DAY + 1)).toEqual([0, 'in_sync', 'applied', 60]);
  });
});
