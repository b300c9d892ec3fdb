/**
 * Names that every object inherits, such as `constructor`, are ordinary names: wherever a manifest, a live flag or cohort, the
 * configuration, an exception or a test file takes a text, each command works or names the mistake.
 */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { FlagwrightError } from '../../src/base/errors.ts';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { runCli, type Ran } from '../helpers/run.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { createWorkspace } from '../helpers/workspace.ts';
import { ROLE_IDS, startWorld } from '../helpers/world.ts';

const NAMES = Object.getOwnPropertyNames(Object.prototype);
const [ROLE = ''] = ROLE_IDS;
const KEY = 'phx_planted_key_0123456789';

/** Documents of a project, by file. `$HOST` is the address of the service. */
type Documents = Readonly<Record<string, JsonValue>>;

const DOCUMENTS: Documents = {
  'flagwright.yaml': {
    manifests: ['flags/*.yaml'],
    default_project: 'main',
    projects: {
      main: { host: '$HOST', project_id: '1', api_key_env: 'KEY', roles: { eng: ROLE }, cohorts: { team: 7 } },
      other: { host: '$HOST', project_id: '2', api_key_env: 'KEY', roles: { eng: ROLE } },
    },
    scope: { include: ['*'], exclude: ['x-*'] },
    protected: ['pay'],
    ownership: [{ keys: ['pay'], projects: ['main'], fields: { tags: 'observed' } }],
    policies: {
      approvers: ['ann'],
      rules: [
        { rule: 'max-widen', level: 'approve', points: 20, keys: ['pay', 'cohort:vips'], projects: ['main'] },
        { rule: 'require', description: true, tags: ['owner:*'], level: 'warning' },
        { rule: 'naming', level: 'approve', patterns: ['pay*'] },
        { rule: 'no-personal-data', allow: ['*@example.com'] },
        { rule: 'expires', tag: 'expires:' },
        { rule: 'no-direct-production', level: 'warning', first: 'other' },
        { name: 'mine', level: 'warning', when: 'change.key == "pay"', message: 'said' },
      ],
    },
  },
  'exceptions.yaml': {
    exceptions: [
      { rule: 'naming', keys: ['pay'], reason: 'old', until: '2099-12-31', granted_by: 'ann', projects: ['main'] },
      { rule: 'protected', keys: ['pay'], reason: 'moved', until: '2099-12-31', granted_by: 'ann', projects: ['main'] },
      { rule: 'deletes', most: 9, reason: 'moved', until: '2099-12-31', granted_by: 'ann' },
    ],
  },
  'flags/main.yaml': {
    cohorts: {
      vips: {
        name: 'Vips',
        previous_names: ['Old'],
        filters: {
          properties: {
            type: 'OR',
            values: [{ type: 'AND', values: [{ type: 'person', key: 'plan', operator: 'exact', value: ['pro'] }] }],
          },
        },
      },
    },
    flags: {
      pay: {
        description: 'Pays',
        previous_keys: ['old-pay'],
        tags: ['owner:a', 'expires:2099-01-01'],
        filters: {
          groups: [
            { properties: [{ key: 'email', type: 'person', operator: 'exact', value: ['a'] }], variant: 'red' },
            { properties: [{ key: 'id', type: 'cohort', operator: 'in', value: 'vips' }], rollout_percentage: 10 },
          ],
          multivariate: { variants: [{ key: 'red', name: 'Red', rollout_percentage: 100 }] },
          payloads: { red: { size: 'x' } },
        },
        role_access: ['eng'],
        projects: { other: { description: 'Other', tags: ['b'] } },
      },
      help: {
        filters: {
          groups: [{ properties: [{ key: 'pay', type: 'flag', operator: 'flag_evaluates_to', value: true }] }],
        },
      },
    },
  },
  'tests/pay.yaml': {
    people: { Ann: { id: 'ann', properties: { email: 'a' }, cohorts: ['vips'], groups: { '0': { key: 'acme' } } } },
    expect: [{ person: 'Ann', flags: { pay: 'red', help: true } }],
  },
};

/** What is live, as a seed of the service. */
const SEED: JsonObject = {
  flags: [
    {
      id: 1,
      key: 'old-pay',
      name: 'Paid',
      tags: ['c'],
      filters: {
        groups: [{ properties: [{ key: 'mail', type: 'person', operator: 'exact', value: ['b'] }], variant: 'blue' }],
        multivariate: { variants: [{ key: 'blue', rollout_percentage: 100 }] },
        payloads: { blue: '"y"' },
      },
    },
    { id: 2, key: 'unmanaged', filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 9 }] }] } },
  ],
  roles: [{ id: ROLE, name: 'eng' }],
  role_access: [{ flag: 'old-pay', role: 'eng' }],
  cohorts: [
    {
      id: 9,
      name: 'Old',
      filters: {
        properties: {
          type: 'OR',
          values: [{ type: 'AND', values: [{ type: 'person', key: 'seats', operator: 'gt', value: '3' }] }],
        },
      },
    },
    { id: 7, name: 'Team' },
  ],
  group_types: [{ group_type: 'company', group_type_index: 0 }],
};

const COMMANDS: readonly (readonly string[])[] = [
  ['validate', '-f', 'json'],
  ['plan', '-v', '--impact', '--target', '$NAME'],
  ['plan', '-f', 'json'],
  ['plan', '--out', 'plan.json'],
  ['apply', 'plan.json', '--yes', '--approved-by', 'ann'],
  ['history'],
  ['undo', '--yes'],
  ['export', '--dir', 'out'],
  ['explain', '$NAME'],
  ['parity', '--from', 'main', '--to', 'other'],
  ['test'],
  ['drift', '-f', 'markdown'],
];

/** The reproduced case: a cohort's filter whose type is such a name. */
test.each(['constructor', 'toString', '__proto__'])(
  'a filter of a cohort may have the type %s, live or declared',
  async (name) => {
    const rename = (document: JsonValue): JsonValue => {
      const place = placesIn(document).find(({ at, isName }) => !isName && at.endsWith('/values/0/values/0/type'));
      return place === undefined ? document : renamed(document, place, name);
    };
    await expectOrderly(
      { ...DOCUMENTS, seed: SEED, 'flags/main.yaml': rename(DOCUMENTS['flags/main.yaml'] ?? null) },
      name,
    );
    await expectOrderly({ ...DOCUMENTS, seed: rename(SEED) }, name);
  },
);

test('each text of each document may be the name of what objects inherit', async () => {
  const documents: Documents = { ...DOCUMENTS, seed: SEED };
  const places = Object.entries(documents).flatMap(([file, document]) =>
    placesIn(document).map((place) => ({ file, place })),
  );
  await holdsAsync(80, [fc.constantFrom(...places), fc.constantFrom(...NAMES)], async ({ file, place }, name) => {
    await expectOrderly({ ...documents, [file]: renamed(documents[file] ?? null, place, name) }, name);
  });
}, 600_000);

async function expectOrderly({ seed = null, ...files }: Documents, name: string): Promise<void> {
  const world = await startWorld('posthog', seed).catch(refused);
  if (world === undefined) return;
  try {
    const texts = Object.entries(files).map(([file, document]) => [file, stringify(document)] as const);
    const { root, write } = createWorkspace();
    for (const [file, text] of texts) write(file, text.replaceAll('$HOST', world.url));
    for (const command of COMMANDS) {
      const argv = command.map((word) => word.replace('$NAME', name));
      const ran = await runCli(argv, { cwd: root, env: { KEY } });
      expectNoCrash(ran, `${argv.join(' ')}\n${JSON.stringify({ seed, ...files })}`);
    }
  } finally {
    await world.close();
  }
}

/** A seed that is no seed. */
function refused(error: unknown): undefined {
  if (!(error instanceof FlagwrightError) || error.code === 'internal') throw error;
}

function expectNoCrash({ code, stdout, stderr }: Ran, what: string): void {
  expect([0, 1, 2, 3, 4, 5], what).toContain(code);
  expect(stderr, what).not.toContain('bug in flagwright');
  // The source of a built-in function, or its name as a value.
  expect(stdout + stderr, what).not.toMatch(/\[native code\]|\[Function|\[object Object\]/);
}

interface Placed {
  readonly at: string;
  /** The members on the way to the text; of the name of a member, `isName`. */
  readonly way: readonly string[];
  readonly isName: boolean;
}

/** Every string, and every name of a member that is no field of flagwright's own. */
function placesIn(value: JsonValue, way: readonly string[] = []): Placed[] {
  const at = `/${way.join('/')}`;
  if (typeof value === 'string') return [{ at, way, isName: false }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    ...(Array.isArray(value) ? [] : [{ at: `${at}/${name}`, way: [...way, name], isName: true }]),
    ...placesIn((member ?? null) as JsonValue, [...way, name]),
  ]);
}

function renamed(value: JsonValue, { way: [first, ...rest], isName }: Placed, name: string): JsonValue {
  if (first === undefined) return name;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]): [string, JsonValue] => {
    const own = (member ?? null) as JsonValue;
    if (key !== first) return [key, own];
    if (isName && rest.length === 0) return [name, own];
    return [key, renamed(own, { at: '', way: rest, isName }, name)];
  });
  return Array.isArray(value) ? entries.map(([, member]) => member) : Object.fromEntries(entries);
}
