/** Declared flags in the tests of others: the answers of `flagwright test`, errors that say everything, and manifests that change. */

import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { stringifyJson } from '../../src/base/json-text.ts';
import type { GroupOfPerson, NamedPerson } from '../../src/review/expectations/expectation.ts';
import type { DeclaredFlags, LoadFlagsOptions, TestPerson } from '../../src/testing/api.ts';
import { loadFlags } from '../../src/testing/index.ts';
import { judged, suiteOf } from '../review/expectations/support.ts';
import { check } from '../core/manifest/check.ts';
import { flagFields } from '../helpers/arbitraries.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { holdTimers } from '../helpers/timers.ts';
import { until } from '../helpers/until.ts';
import { createWorkspace, type Workspace } from '../helpers/workspace.ts';

const CONFIGURATION = `
projects:
  production: { host: 'https://eu.posthog.com', project_id: '1', cohorts: { staff: 12 } }
  staging: { host: 'https://eu.posthog.com', project_id: '2', cohorts: { staff: 3 } }
default_project: production
`;

const NOW = new Date('2026-03-31T12:00:00Z');

function withManifest(manifest: string): Workspace {
  return createWorkspace({ 'flagwright.yaml': CONFIGURATION, 'flags/a.yaml': manifest });
}

async function load(manifest: string, options: LoadFlagsOptions = {}): Promise<DeclaredFlags> {
  return loadFlags({ cwd: withManifest(manifest).root, env: {}, now: () => NOW, ...options });
}

const CHECKOUT = `
flags:
  checkout:
    active: true
    filters:
      groups:
        - properties: [{ key: email, operator: icontains, value: '@acme.com' }]
          variant: test
        - properties: [{ key: signed_up_at, operator: is_date_after, value: '-7d' }]
        - properties: [{ key: id, type: cohort, value: staff }]
        - { aggregation_group_type_index: 0, properties: [{ key: plan, type: group, group_type_index: 0, value: [pro] }] }
        - rollout_percentage: 30
      multivariate:
        variants: [{ key: control, rollout_percentage: 50 }, { key: test, rollout_percentage: 50 }]
      payloads: { test: { color: red }, control: '"plain"' }
  search: { filters: { groups: [{ properties: [{ key: checkout, type: flag, operator: flag_evaluates_to, value: true }] }] } }
  secret: { fields: { has_encrypted_payloads: true }, filters: { groups: [{}], payloads: { 'true': 1 } } }
  strange: { fields: { filters: { groups: [{ properties: [{ key: name, operator: sounds_like, value: x }] }] } } }
  of_strange: { filters: { groups: [{ properties: [{ key: strange, type: flag, operator: flag_evaluates_to, value: true }] }] } }
  bare: { description: Conditions are left to the service }
  device: { fields: { bucketing_identifier: device_id }, filters: { groups: [{ rollout_percentage: 50 }] } }
  off: { active: false }
  gone: { deleted: true }
`;

const PEOPLE = `
people:
  ada: { id: ada-7, properties: { email: ada@acme.com } }
  bob: { properties: { signed_up_at: '2026-03-30' }, device_id: d-1 }
  cyd: { groups: { 0: { key: acme, properties: { plan: pro } } } }
  dan: { cohorts: [staff] }
  eve:
`;

describe('an answer', () => {
  const keys = ['checkout', 'search', 'secret', 'strange', 'of_strange', 'bare', 'device', 'off', 'gone'];

  it('is that of `flagwright test`, with its reason, its payload and its place', async () => {
    const tests = `${PEOPLE}expect: [{ person: [ada, bob, cyd, dan, eve], flags: { ${keys.map((key) => `${key}: false`).join(', ')} } }]`;
    const { people } = suiteOf(tests);
    const flags = await load(CHECKOUT);
    const cases = judged(CHECKOUT, tests);
    expect(cases).toHaveLength(keys.length * 5);
    for (const { person, flag, verdict } of cases) {
      const answer = flags.evaluate(toPerson(people.get(person) as NamedPerson)).answer(flag);
      if (verdict.outcome === 'undecided') {
        expect(answer).toMatchObject({ undecided: expect.any(String), remedy: expect.any(String) });
        continue;
      }
      const { value, payload, reason, condition } = verdict.answer;
      expect(answer).toEqual({
        value,
        reason,
        place: condition?.place ?? expect.objectContaining({ file: 'flags/a.yaml' }),
        ...(payload === undefined ? {} : { payload }),
      });
    }
    const undecided = cases.filter(({ verdict }) => verdict.outcome === 'undecided');
    expect(new Set(undecided.map(({ flag }) => flag))).toEqual(new Set(['strange', 'of_strange', 'bare']));
  });

  it('is that of `flagwright test` for any flag', async () => {
    await holdsAsync(40, [flagFields(), fc.constantFrom('ada', 'bob', 'eve')], async (fields, name) => {
      const manifest = stringifyJson({
        flags: {
          a: { fields: { filters: fields['filters'] ?? { groups: [{}] } }, active: fields['active'] ?? true },
        },
      });
      const tests = `${PEOPLE}expect: [{ person: ${name}, flags: { a: false } }]`;
      const flags = await load(manifest);
      const [found] = judged(manifest, tests);
      const answer = flags.evaluate(toPerson(suiteOf(tests).people.get(name) as NamedPerson)).answer('a');
      if (found?.verdict.outcome === 'undecided') expect(answer).toHaveProperty('undecided');
      else expect(answer).toMatchObject({ value: found?.verdict.answer.value, reason: found?.verdict.answer.reason });
    });
  });

  it('is asked for by its value, by whether the flag is on, by its payload, or for all flags', async () => {
    const flags = await load(CHECKOUT);
    expect(flags.project).toBe('production');
    expect(flags.keys).toEqual(['bare', 'checkout', 'device', 'of_strange', 'off', 'search', 'secret', 'strange']);
    const ada = flags.evaluate({ id: 'ada-7', properties: { email: 'ada@acme.com' } });
    expect(ada.value('checkout')).toBe('test');
    expect(ada.isOn('checkout')).toBe(true);
    expect(ada.payload('checkout')).toEqual({ color: 'red' });
    expect(ada.payload('secret')).toBeUndefined();
    expect(ada.values()).toEqual({ checkout: 'test', search: true, secret: true, device: false, off: false });
    expect(ada.explain('checkout')).toEqual([
      'condition 1 (email contains "@acme.com"): it matches and forces this variant',
    ]);
    expect(flags.bootstrap({ id: 'ada-7', properties: { email: 'ada@acme.com' } })).toEqual({
      distinctID: 'ada-7',
      isIdentifiedID: true,
      featureFlags: { checkout: 'test', search: true, secret: true, device: false, off: false },
      featureFlagPayloads: { checkout: { color: 'red' } },
    });
  });

  it('of all flags has no key for what the manifests do not decide, and no payload where there is none', async () => {
    const flags = await load(CHECKOUT);
    const values = flags.evaluate({ id: 'x' }).values();
    expect(Object.keys(values)).not.toContain('bare');
    expect(Object.values(values)).not.toContain(undefined);
    const { featureFlagPayloads } = flags.bootstrap({ id: 'x', properties: { email: 'a@acme.com' } });
    expect(Object.keys(featureFlagPayloads)).toEqual(['checkout']);
  });

  it('is a copy, so that a test that changes it changes no other', async () => {
    const manifest = "flags: { a: { filters: { groups: [{}], payloads: { 'true': { items: [1] } } } } }";
    const flags = await load(manifest);
    const { items } = flags.evaluate({ id: 'x' }).payload('a') as { items: number[] };
    items.push(2);
    await flags.reload();
    for (const loaded of [flags, await load(manifest)]) {
      expect(loaded.evaluate({ id: 'y' }).payload('a')).toEqual({ items: [1] });
    }
  });

  it('depends on the time of the evaluation', async () => {
    const flags = await load(CHECKOUT, { now: () => new Date('2027-01-01') });
    const person = { id: 'late-2', properties: { signed_up_at: new Date('2026-03-30T00:00:00Z') } };
    expect(flags.evaluate(person).answer('checkout')).toMatchObject({ reason: 'out_of_rollout_bound' });
    expect(flags.evaluate(person, { at: NOW }).isOn('checkout')).toBe(true);
  });

  it('is that of the project, with its overlay', async () => {
    const manifest =
      'flags: { a: { active: true, filters: { groups: [{}] }, projects: { staging: { active: false } } } }';
    const [production, staging] = await Promise.all([load(manifest), load(manifest, { project: 'staging' })]);
    expect([production.evaluate({ id: 'x' }).value('a'), staging.evaluate({ id: 'x' }).value('a')]).toEqual([
      true,
      false,
    ]);
    expect((await load(manifest, { env: { FLAGWRIGHT_PROJECT: 'staging' } })).project).toBe('staging');
  });
});

describe('a person', () => {
  it('has groups by the name of their type, and what is known of people by their id', async () => {
    const flags = await load(CHECKOUT, {
      groupTypes: { company: 0 },
      people: [{ id: 'ada-7', properties: { email: 'ada@acme.com', plan: 'free' }, cohorts: ['staff'] }],
    });
    const group = { company: { key: 'acme', properties: { plan: 'pro' } } };
    expect(flags.evaluate({ id: 'cyd', groups: group }).answer('checkout')).toMatchObject({
      reason: 'condition_match',
    });
    expect(flags.evaluate({ id: 'ada-7' }).value('checkout')).toBe('test');
    expect(flags.evaluate({ id: 'ada-7', properties: { email: 'a@b.c' } }).answer('checkout')).toMatchObject({
      place: { line: 10 },
    });
  });

  const circle: Record<string, unknown> = {};
  circle['self'] = circle;

  it.each<[string, TestPerson, string]>([
    [
      'an id',
      {} as TestPerson,
      "A person needs an id. Pass an object such as { id: 'ada-7', properties: { plan: 'pro' } }.",
    ],
    ['an id that is a text', { id: 7 as unknown as string }, 'A person needs an id.'],
    [
      'known members',
      { id: 'x', propertis: {} } as TestPerson,
      'A person has no member "propertis". Did you mean "properties"?',
    ],
    [
      'members of a test file',
      { id: 'x', email: 'a@b.c' } as TestPerson,
      'Properties of the person belong under `properties`.',
    ],
    [
      'known cohorts',
      { id: 'x', cohorts: ['staf'] },
      '"x" is in cohort "staf", which production does not have. Did you mean "staff"?',
    ],
    [
      'known types of groups',
      { id: 'x', groups: { company: 'a' } },
      'Pass it to loadFlags, as in { groupTypes: { company: 0 } }.',
    ],
    [
      'JSON',
      { id: 'x', properties: circle },
      'JSON cannot hold the properties of "x". Remove the circular references.',
    ],
  ])('needs %s', async (_name, person, message) => {
    const flags = await load(CHECKOUT);
    expect(() => flags.evaluate(person)).toThrow(message);
  });
});

it('a person may be in every cohort that the project has, by alias or id', async () => {
  const flags = await load(
    `cohorts: { beta: { filters: { properties: { type: AND, values: [{ key: plan, type: person, value: pro }] } } } }
flags: { a: { filters: { groups: [{ properties: [{ key: id, type: cohort, value: beta }] }] } } }`,
  );
  const isOn = (...cohorts: (string | number)[]): boolean => flags.evaluate({ id: 'x', cohorts }).isOn('a');
  expect([isOn('beta'), isOn('staff', 12, '7'), isOn()]).toEqual([true, false, false]);
});

it('a type of groups that no option names is told with those that are', async () => {
  const flags = await load(CHECKOUT, { groupTypes: { company: 0, team: 1 } });
  const ask = (type: string) => () => flags.evaluate({ id: 'x', groups: { [type]: 'acme' } });
  expect(ask('compny')).toThrow('The index of the group type "compny" is unknown. Did you mean "company"?');
  expect(ask('region')).toThrow('Add it to groupTypes, which has "company" and "team".');
  expect(ask('2')).not.toThrow();
});

describe('an error', () => {
  const errorOf = async (loading: Promise<unknown>): Promise<unknown> => loading.catch((error: unknown) => error);

  it('is one line without a place where there is none', async () => {
    const message = 'The configuration has no project "prodution". Did you mean "production"?';
    expect(await errorOf(load(CHECKOUT, { project: 'prodution' }))).toMatchObject({ message });
  });

  it('of the program is passed on as it is', async () => {
    expect(await errorOf(loadFlags({ cwd: new URL('file:///a%2Fb'), env: {} }))).toBeInstanceOf(TypeError);
  });

  it('names the nearest key for one that no manifest declares', async () => {
    const person = (await load(CHECKOUT)).evaluate({ id: 'x' });
    const message = 'No manifest declares a flag "chekout" for the project "production". Did you mean "checkout"?';
    for (const ask of [person.value, person.isOn, person.payload, person.answer, person.explain]) {
      expect(() => ask('chekout')).toThrow(message);
    }
    expect(() => person.value('zzz')).toThrow('for the project "production". Declare it, or correct the key.');
  });

  it('has the line of a flag whose value the manifests do not decide', async () => {
    const person = (await load(CHECKOUT)).evaluate({ id: 'x' });
    expect(() => person.value('bare')).toThrow(
      'flags/a.yaml:20:3: the value of "bare" is unknown here: no manifest declares its conditions, so the service decides. Declare its conditions',
    );
    expect(() => person.isOn('of_strange')).toThrow(
      /^flags\/a\.yaml:18:\d+: .* of strange has a filter with the operator sounds_like/,
    );
  });

  it('has no line for a warning beside an error', async () => {
    const manifest = `flags:
  a: { activ: true }
  b: { filters: { groups: [{ properties: [{ key: zzz, type: flag, operator: flag_evaluates_to, value: true }] }] } }
`;
    const message = String(await errorOf(load(manifest)));
    const { diagnostics } = check({ 'flags/a.yaml': manifest });
    const bySeverity = (wanted: string) => diagnostics.filter(({ severity }) => severity === wanted);
    expect(bySeverity('warning').length).toBeGreaterThan(0);
    expect(message.match(/flags\/a\.yaml:\d+/g)).toHaveLength(bySeverity('error').length);
  });

  it('has a line for each problem of the manifests', async () => {
    const root = withManifest('flags:\n  a: { active: 7 }\n  b: { actve: true }\n').root;
    const loading = loadFlags({ cwd: root, env: {} });
    await expect(loading).rejects.toMatchObject({ code: 'manifest_invalid' });
    await expect(loading).rejects.toThrow(
      /^2 errors in 1 file\.\n {2}flags\/a\.yaml:2:8: .*\n {2}flags\/a\.yaml:3:8: .*active/,
    );
  });

  it('says which projects there are, and where no configuration is found', async () => {
    await expect(load(CHECKOUT, { project: 'prodution' })).rejects.toThrow(/"prodution"\. Did you mean "production"\?/);
    await expect(load(CHECKOUT, { config: 'other.yaml' })).rejects.toThrow(/other\.yaml/);
  });
});

describe('a rollout over time', () => {
  const stepped = (last: string): string =>
    `flags: { a: { active: { steps: [{ at: 2026-12-01T09:00Z, to: true }, { at: ${last}, to: false }] }, filters: { groups: [{}] } } }`;
  const STEPPED = stepped('2026-12-03T09:00Z');
  const isOn = (flags: DeclaredFlags, at?: string): boolean =>
    flags.evaluate({ id: 'x' }, at === undefined ? {} : { at: new Date(at) }).isOn('a');

  it('has the value of its time: that of the clock, of `at`, or of an evaluation', async () => {
    let now = new Date('2026-12-01T08:59:59Z');
    const flags = await load(STEPPED, { now: () => now });
    expect([isOn(flags), isOn(flags, '2026-12-02T00:00:00Z')]).toEqual([false, true]);
    now = new Date('2026-12-01T09:00:00Z');
    expect([isOn(flags), flags.bootstrap({ id: 'x' }).featureFlags['a']]).toEqual([true, true]);
    now = new Date('2026-12-03T09:00:00Z');
    expect(isOn(flags)).toBe(false);
    const { root } = withManifest(STEPPED);
    for (const at of ['2026-12-02T09:00+01:00', new Date('2026-12-02T09:00:00Z')]) {
      expect(isOn(await loadFlags({ cwd: root, env: {}, at }))).toBe(true);
    }
  });

  it('is followed where manifests are watched', async () => {
    const workspace = withManifest(STEPPED);
    const flags = await loadFlags({ cwd: workspace.root, env: {}, at: '2026-12-02T09:00Z', watch: true });
    onTestFinished(flags.close);
    expect(isOn(flags)).toBe(true);
    workspace.write('flags/a.yaml', stepped('2026-12-02T08:00Z'));
    await expect.poll(() => isOn(flags)).toBe(false);
  });

  it('needs one time, with an offset', async () => {
    const { root } = withManifest(STEPPED);
    for (const at of ['2026-12-02T09:00', '2026-02-31T09:00Z', 'soon', new Date(NaN)]) {
      await expect(loadFlags({ cwd: root, env: {}, at })).rejects.toThrow(
        /not a time with an offset.*2026-12-01T09:00/,
      );
    }
    await expect(load(STEPPED, { at: NOW })).rejects.toThrow(
      '`at` and `now` cannot be used together. Leave one of them out.',
    );
  });
});

describe('a change of the manifests', () => {
  const ON = 'flags: { a: { active: true, filters: { groups: [{}] } } }';
  const OFF = 'flags: { a: { active: false } }';

  it('is read by `reload`, and one with errors changes nothing', async () => {
    const workspace = withManifest(ON);
    const flags = await loadFlags({ cwd: workspace.root, env: {} });
    const before = flags.evaluate({ id: 'x' });
    workspace.write('flags/a.yaml', OFF);
    expect(flags.evaluate({ id: 'x' }).value('a')).toBe(true);
    await flags.reload();
    expect(flags.evaluate({ id: 'x' }).value('a')).toBe(false);
    expect(before.value('a')).toBe(true);
    workspace.write('flags/a.yaml', 'flags: 7');
    await expect(flags.reload()).rejects.toThrow(/flags\/a\.yaml:1/);
    expect(flags.evaluate({ id: 'x' }).value('a')).toBe(false);
  });

  it('is read while it is watched, and its errors are told', async () => {
    const workspace = withManifest(ON);
    const errors: Error[] = [];
    const flags = await loadFlags({ cwd: workspace.root, env: {}, watch: { onError: (error) => errors.push(error) } });
    onTestFinished(flags.close);
    const value = (): unknown => flags.evaluate({ id: 'x' }).value('a');
    workspace.write('flags/a.yaml', 'flags: { a: { active: 7 } }');
    await expect.poll(() => errors.map(({ message }) => message)).toEqual([expect.stringContaining('flags/a.yaml:1:')]);
    expect(value()).toBe(true);
    workspace.write('flags/a.yaml', OFF);
    await expect.poll(value).toBe(false);
    workspace.write('flags/b.yaml', 'flags: { b: { active: false } }');
    await expect.poll(() => flags.keys).toEqual(['a', 'b']);
    workspace.write(
      'flagwright.yaml',
      CONFIGURATION.replace('default_project: production', 'default_project: staging'),
    );
    await expect.poll(() => flags.project).toBe('staging');
    expect(errors).toHaveLength(1);
  });

  it('alone is why watched manifests are read again, until they are watched no more', async () => {
    const { pass } = holdTimers();
    const workspace = withManifest(ON);
    let reads = 0;
    // Each time the manifests are read, the clock is asked once.
    const now = (): Date => {
      reads += 1;
      return NOW;
    };
    const looks = async (count: number): Promise<number> => {
      for (let look = 0; look < count; look += 1) {
        pass(250);
        await until(() => expect(vi.getTimerCount()).toBe(1));
      }
      return reads;
    };
    const flags = await loadFlags({ cwd: workspace.root, env: {}, now, watch: true });
    expect(await looks(4)).toBe(1);
    workspace.write('flags/a.yaml', OFF);
    // A look finds the change, and a second one that nothing else changed.
    expect([await looks(1), await looks(1), await looks(2)]).toEqual([1, 2, 2]);
    flags.close();
    expect(vi.getTimerCount()).toBe(0);
    await loadFlags({ cwd: workspace.root, env: {}, watch: false });
    (await loadFlags({ cwd: workspace.root, env: {} })).close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is read while it is watched without a listener, and its errors are warnings of the process', async () => {
    const workspace = withManifest(ON);
    const warnings: Error[] = [];
    const listen = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', listen);
    onTestFinished(() => void process.off('warning', listen));
    const flags = await loadFlags({ cwd: workspace.root, env: {}, watch: true });
    onTestFinished(flags.close);
    workspace.write('flags/a.yaml', 'flags: { a: { active: 7 } }');
    await expect
      .poll(() => warnings.map(({ message }) => message))
      .toContainEqual(expect.stringContaining('flags/a.yaml:1:'));
    workspace.write('flags/a.yaml', OFF);
    await expect.poll(() => flags.evaluate({ id: 'x' }).value('a')).toBe(false);
  });

  it('needs no service: part of what names a project in the environment is enough', async () => {
    const { root } = createWorkspace({ 'flags/a.yaml': ON });
    const flags = await loadFlags({ cwd: root, env: { POSTHOG_HOST: 'https://eu.posthog.com' } });
    expect([flags.project, flags.keys]).toEqual(['environment', ['a']]);
  });
});

function toPerson({ id, properties, groups, cohorts, deviceId, anonymousId }: NamedPerson): TestPerson {
  return {
    id,
    properties,
    groups: groups as Readonly<Record<string, GroupOfPerson>>,
    cohorts,
    ...(deviceId === undefined ? {} : { device_id: deviceId }),
    ...(anonymousId === undefined ? {} : { anonymous_id: anonymousId }),
  };
}
