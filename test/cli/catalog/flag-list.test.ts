/** `flags list` in words: over HTTP in pages, from manifests offline, and in the same words as the catalogue. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareStrings } from '../../../src/base/compare-strings.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import type { CatalogView } from '../../../src/report/model/catalog.ts';
import { createRepository } from '../../helpers/repository.ts';
import { runCli, type Ran, type RunOptions } from '../../helpers/run.ts';
import { holdsAsync } from '../../helpers/runs.ts';
import { openWorld, startWorld, type World } from '../../helpers/world.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const ENV = { POSTHOG_API_KEY: 'phx_planted_key_0123456789' };
const ALL = { properties: [], rollout_percentage: 100 };

interface Stage {
  readonly asked: readonly string[];
  readonly run: (argv: readonly string[], options?: Partial<RunOptions>) => Promise<Ran>;
  readonly world: World;
}

const seeded = (flags: readonly JsonObject[]): JsonValue =>
  flags.map((one, index) => ({ id: index + 1, active: true, name: '', tags: [], ...one })) as unknown as JsonValue;

async function stage(
  flags: readonly JsonObject[],
  { start = openWorld, ...options }: { readonly start?: typeof openWorld; readonly faults?: JsonValue } = {},
): Promise<Stage> {
  const asked: string[] = [];
  const world = await start('posthog', seeded(flags), {
    ...options,
    now: () => new Date(NOW),
    onRequest: ({ path }) => void asked.push(path),
  });
  const config = `projects: { production: { host: "${world.url}", project_id: "1", cohorts: { insiders: 43 } } }\n`;
  const { root: cwd } = createRepository({ 'flagwright.yaml': config, 'flags/a.yaml': 'flags: {}\n' });
  const run: Stage['run'] = async (argv, options = {}) => runCli(argv, { cwd, env: ENV, now: NOW, ...options });
  return { asked, run, world };
}

function filters(...groups: readonly JsonObject[]): JsonObject {
  return { filters: { groups } };
}

function person(key: string, value: JsonValue, operator = 'exact'): JsonObject {
  return { properties: [{ key, type: 'person', operator, value }], rollout_percentage: 100 };
}

function inCohort(value: number): JsonObject {
  return { properties: [{ key: 'id', type: 'cohort', value }], rollout_percentage: 100 };
}

function having(id: string): JsonObject {
  const flag = { key: id, type: 'flag', operator: 'flag_evaluates_to', value: true };
  return { properties: [flag], rollout_percentage: 100 };
}

const HALVES = { variants: [50, 50].map((share, index) => ({ key: `v${index}`, rollout_percentage: share })) };

/** What is live, and what text says of it. */
const CASES: readonly (readonly [string, JsonObject, string])[] = [
  ['is off', { active: false, ...filters(ALL) }, 'off, nobody: it is switched off'],
  ['has no condition', filters(), 'off, nobody: it has no condition'],
  ['is at 0%', filters({ ...ALL, rollout_percentage: 0 }), 'off, nobody: its rollout is 0%'],
  ['is for everyone', filters(ALL), 'all, everyone'],
  ['is for half', filters({ ...ALL, rollout_percentage: 50 }), 'some, 50% of everyone'],
  ['asks for a property', filters(person('country', ['US'])), 'some, people whose country is US (United States)'],
  ['is split', { filters: { groups: [ALL], multivariate: HALVES } }, 'split, everyone (variants: v0 50%, v1 50%)'],
  ['names a cohort with an alias', filters(inCohort(43)), 'some, people in cohort "insiders (internal)"'],
  ['names a cohort of the service', filters(inCohort(57)), 'some, people in cohort power'],
  ['names a cohort that is not there', filters(inCohort(99)), 'some, people in cohort 99'],
  ['names an address', filters(person('email', ['zoe@acme.example'])), 'some, people whose email is hidden-address'],
  [
    'names a company',
    filters(person('email', '@acme.example', 'icontains')),
    'some, people whose email contains "@acme.example"',
  ],
  ['needs a flag that is off', filters(having('1')), 'off, nobody in effect (set for people who have case-0)'],
  ['needs a flag that needs one', filters(having('13')), 'off, nobody in effect (set for people who have case-12)'],
  ['needs a flag that is not there', filters(having('77')), 'unknown, people who have "77"'],
  [
    'has rules of a later release',
    { filters: { version: 3, rules: [] } },
    'unknown, not known: only the service reads these rules',
  ],
];

describe('each flag in words', () => {
  const flags = CASES.map(([, fields], index): JsonObject => ({ key: `case-${index}`, ...fields }));

  test('as text, one line each', async () => {
    const { run, asked } = await stage(flags);
    const ran = await run(['flags', 'list']);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    // The service lists the newest first.
    expect(ran.stdout.trimEnd().split('\n').toReversed()).toEqual(
      CASES.map(([, , words], index) => `case-${index}: ${words}`),
    );
    // The flags on which others depend, and the cohorts, are read once each.
    const others = asked.filter((path) => !path.endsWith('/feature_flags/'));
    expect(new Set(others).size).toBe(others.length);
  });

  test.each(['case-12', 'case-13'])('%s alone: what it depends on is read although it is not listed', async (key) => {
    const { run } = await stage(flags);
    expect((await run(['flags', 'list', '--key', key])).stdout).toBe(`${key}: ${CASES[Number(key.slice(5))]?.[2]}\n`);
  });

  test('with addresses only if asked', async () => {
    const { run } = await stage(flags);
    for (const format of ['text', 'table', 'markdown', 'html']) {
      expect((await run(['flags', 'list', '-f', format])).stdout).not.toContain('zoe@');
      expect((await run(['flags', 'list', '-f', format, '--addresses'])).stdout).toContain('zoe@acme.example');
    }
  });
});

const COUNTRY = fc.subarray(['DE', 'US', 'JP'], { minLength: 1 }).map((value) => person('country', value));
const anyCondition = fc
  .tuple(
    fc.oneof(
      fc.constant<JsonObject>(ALL),
      COUNTRY,
      fc.integer({ min: 231, max: 255 }).map((id) => having(String(id))),
      fc.constantFrom(42, 43).map(inCohort),
    ),
    fc.constantFrom(0, 25, 100, 100),
  )
  .map(([condition, share]): JsonObject => ({ ...condition, rollout_percentage: share }));
const anyFlag = fc.record({
  active: fc.constantFrom(true, true, true, false),
  name: fc.constantFrom('', 'Checkout on one page', 'For ann@acme.example | and *others*'),
  groups: fc.array(anyCondition, { maxLength: 3 }),
  isSplit: fc.boolean(),
});

/** The last ones depend on none, so that none depends on itself. */
function acyclic(condition: JsonObject, isLast: boolean): JsonObject {
  const [property] = condition['properties'] as readonly JsonObject[];
  return isLast && property?.['type'] === 'flag' ? { ...condition, properties: [] } : condition;
}

test('text, table, Markdown, page and catalogue say the same of each of 250 flags in pages', async () => {
  await holdsAsync(4, [fc.noShrink(fc.array(anyFlag, { minLength: 250, maxLength: 250 }))], async (some) => {
    const flags = some.map(({ groups, isSplit, ...rest }, index): JsonObject => {
      const own = { groups: groups.map((one) => acyclic(one, index >= 230)), ...(isSplit && { multivariate: HALVES }) };
      return { key: `flag-${String(index).padStart(3, '0')}`, ...rest, filters: own };
    });
    const { run, asked, world } = await stage(flags, { start: startWorld });
    try {
      const text = (await run(['flags', 'list'])).stdout;
      expect(asked.filter((path) => path.endsWith('/feature_flags/'))).toHaveLength(3);
      const catalog = (await run(['catalog', '-f', 'json'])).document() as unknown as CatalogView;
      const expected = catalog.flags.map(({ key, states: [state] }) => [key, state?.word, state?.who]);
      const words = /^(?<key>flag-\d+): (?<word>\w+), (?<who>.*)$/;
      const cells = (line: RegExp, document: string): (string | undefined)[][] =>
        document
          .split('\n')
          .flatMap((one) => {
            const found = line.exec(one)?.groups;
            return found === undefined ? [] : [[found['key'], found['word'], found['who']]];
          })
          .toSorted(([one = ''], [other = '']) => compareStrings(one, other));
      expect(expected).toHaveLength(250);
      expect(cells(words, text)).toEqual(expected);
      const table = (await run(['flags', 'list', '-f', 'table'])).stdout;
      expect(cells(/^(?<key>flag-\d+) +(?<word>\w+) +(?<who>.*?)(?:  .*)?$/, table)).toEqual(expected);
      const markdown = (await run(['flags', 'list', '-f', 'markdown'])).stdout;
      const cell = (name: string): string => String.raw`\| \`(?<${name}>[^\`]*)\` `;
      const row = new RegExp(`^${cell('key')}${cell('word')}${cell('who')}`);
      expect(cells(row, markdown)).toEqual(expected);
      const page = (await run(['flags', 'list', '-f', 'html'])).stdout;
      const html = /<th scope="row">(?<key>flag-\d+)<\/th><td [^>]*>(?<word>\w+)<\/td><td [^>]*>(?<who>[^<]*)<\/td>/;
      expect(cells(html, page.replaceAll('&quot;', '"'))).toEqual(expected);
      expect(text + table + markdown + page).not.toContain('ann@');
    } finally {
      await world.close();
    }
  });
}, 300_000);

describe('250 flags in pages', () => {
  const many = Array.from({ length: 250 }, (_, index) => ({ key: `flag-${index}`, ...filters(ALL) }));

  test.each([
    [[], 250, 3],
    [['--all'], 250, 3],
    [['--limit', '7'], 7, 1],
    [['--limit', '100'], 100, 1],
    [['--limit', '101'], 101, 2],
    [['--search', 'flag-2'], 61, 1],
  ])('flags list %j has %i flags from %i pages in every format', async (options, entries, pages) => {
    const { run, asked } = await stage(many);
    for (const format of ['text', 'table', 'json', 'jsonl', 'csv', 'markdown', 'html']) {
      const before = asked.length;
      const ran = await run(['flags', 'list', ...options, '-f', format]);
      expect(ran.code).toBe(0);
      expect(new Set(ran.stdout.match(/flag-\d+/g))).toHaveLength(entries);
      expect(asked.length - before).toBe(pages);
    }
  });

  test('json, jsonl and csv have the flags as the service returns them, and ask for nothing else', async () => {
    const { run, asked, world } = await stage([
      { key: 'a', ...filters(inCohort(57), person('email', ['zoe@acme.example'])) },
    ]);
    const live = JSON.parse(JSON.stringify([await world.client.getFlag(1)])) as JsonValue;
    const before = asked.length;
    expect(JSON.parse((await run(['flags', 'list', '-f', 'json'])).stdout)).toEqual(live);
    expect([JSON.parse((await run(['flags', 'list', '-f', 'jsonl'])).stdout)]).toEqual(live);
    expect((await run(['flags', 'list', '-f', 'csv'])).stdout).toBe('id,key,active,name\r\n1,a,true,\r\n');
    expect((await run(['flags', 'list', '--columns', 'key,id'])).stdout).toBe('key  id\na    1\n');
    expect(asked.length - before).toBe(4);
  });
});

test('a key that may not read cohorts is told so', async () => {
  const faults = { faults: [{ match: { operation: 'listCohorts' }, count: 9, answer: { status: 403 } }] };
  const { run } = await stage([{ key: 'a', ...filters(inCohort(99)) }], { faults });
  const ran = await run(['flags', 'list']);
  expect(ran).toMatchObject({ code: 0, stdout: 'a: some, people in cohort 99\n' });
  expect(ran.stderr).toContain('The names of cohorts could not be read');
});

const DECLARED = `cohorts:
  beta:
    filters: { properties: { type: OR, values: [{ type: AND, values: [{ key: plan, type: person, value: [pro], operator: exact }] }] } }
flags:
  base: { active: true, rollout_percentage: 100 }
  checkout:
    active: true
    description: On one page
    tags: ['team:growth']
    filters:
      groups:
        - { properties: [{ type: cohort, key: id, value: beta }], rollout_percentage: 100 }
        - { properties: [{ type: flag, key: base, operator: flag_evaluates_to, value: true }], rollout_percentage: 50 }
        - { properties: [{ key: email, type: person, operator: exact, value: [zoe@acme.example] }], rollout_percentage: 100 }
    projects: { staging: { active: false } }
`;
const PROJECTS = ['production', 'staging'].map(
  (name, id) => `  ${name}: { host: "http://127.0.0.1:9", project_id: "${id}" }`,
);

describe('--declared', () => {
  const declared = async (...argv: readonly string[]): Promise<Ran> => {
    const { root: cwd } = createWorkspace({
      'flagwright.yaml': `projects:\n${PROJECTS.join('\n')}\n  local: { service: embedded }\n`,
      'flags/a.yaml': DECLARED,
    });
    return runCli(['flags', 'list', '--declared', ...argv], { cwd, env: {}, now: NOW });
  };
  const WHO = 'people in cohort beta; or 50% of people who have base; or people whose email is hidden-address';

  test('shows the flags of all remote projects, without a key and a network', async () => {
    const ran = await declared();
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toBe(`base
  production: all, everyone
  staging: all, everyone
checkout
  On one page · team:growth
  production: some, ${WHO}
  staging: off, nobody: it is switched off
`);
  });

  test('shows those of one project', async () => {
    expect((await declared('-p', 'production')).stdout).toBe(
      `base: all, everyone\ncheckout: some, ${WHO}\n  On one page · team:growth\n`,
    );
  });

  test('says in a page whom it is about', async () => {
    const page = (await declared('-f', 'html')).stdout;
    expect(page).toContain('As the manifests declare them for production, staging. The service was not asked.');
  });

  test.each([
    [['--search', 'page'], ['checkout']],
    [['--key', 'BASE'], ['base']],
    [['--active'], ['base', 'checkout']],
    [['--archived'], []],
    [
      ['--order', '-key'],
      ['checkout', 'base'],
    ],
    [['--limit', '1'], ['base']],
    [
      ['--limit', '1', '--all'],
      ['base', 'checkout'],
    ],
  ])('%j chooses %j', async (options, keys) => {
    const ran = await declared('-p', 'production', ...options, '-f', 'csv', '--columns', 'key');
    expect(ran.stdout).toBe(['key', ...keys, ''].join('\r\n'));
  });

  test('json has what the manifests declare, and no id', async () => {
    const [base] = JSON.parse((await declared('-f', 'json')).stdout) as readonly JsonObject[];
    expect(base).toEqual({ project: 'production', key: 'base', active: true, ...filters(ALL) });
  });

  test('--stale is refused: only the service says it', async () => {
    expect(await declared('--stale')).toMatchObject({ code: 1, stdout: '' });
  });
});

const HOSTILE = '<img src=x onerror=alert(1)>"|`*[a](http://x)\u001b[2J\u202e\n::error::x ##[add-mask]x @all';

test('text of others does nothing in any format', async () => {
  const { run } = await stage([
    { key: 'a', name: HOSTILE, tags: [HOSTILE.slice(0, 40)], ...filters(person(HOSTILE, [HOSTILE])) },
  ]);
  const shown = async (format: string): Promise<string> => (await run(['flags', 'list', '-f', format])).stdout;
  for (const format of ['text', 'table', 'markdown', 'html']) {
    const document = await shown(format);
    expect(document).not.toMatch(/[^\P{C}\n]|^::error|##\[/mu);
  }
  expect(await shown('html')).not.toContain('<img');
  const [, , row] = (await shown('markdown')).split('\n').filter((line) => line.startsWith('|'));
  // Five cells, each one span of code.
  expect(row?.split(/(?<!\\)\|/)).toHaveLength(7);
});

test('lines of text are as wide as the terminal, those of a table are cut', async () => {
  const { run } = await stage([{ key: 'a', name: 'word '.repeat(40), ...filters(person('country', ['US'])) }]);
  const terminal = { columns: 40 };
  const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));
  const wrapped = (await run(['flags', 'list'], terminal)).stdout;
  expect(widest(wrapped)).toBeLessThanOrEqual(40);
  expect(wrapped.match(/word/g)).toHaveLength(40);
  const table = (await run(['flags', 'list', '-f', 'table'], terminal)).stdout;
  expect(widest(table)).toBeLessThanOrEqual(40);
  expect(table.trimEnd().split('\n')).toHaveLength(2);
});

test('a project without flags says so', async () => {
  const { run } = await stage([]);
  expect((await run(['flags', 'list'])).stdout).toBe('No flags.\n');
});
