/** `accept` of definitions of cohorts: the text that it writes, and what it leaves. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { acceptLive, type Selection } from '../../../src/editing/actions/accept.ts';
import type { Accepted, LayerChoice } from '../../../src/editing/edit.ts';
import { readTexts } from '../../../src/editing/texts.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { Cohort } from '../../../src/posthog/cohort/cohort.ts';
import { withFoundNames } from '../../../src/posthog/reading/found-names.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { Project } from '../../../src/posthog/project.ts';

const PRODUCTION: Project = { name: 'production', roles: {}, cohorts: {} };
const STAGING: Project = { name: 'staging', roles: {}, cohorts: { beta: 7 } };

const MANIFEST = `# People.
cohorts:
  beta: # asked for it
    name: Beta testers
    description: 'They asked.'   # short
    filters:
      properties:
        type: OR
        values:
          # Who pays.
          - { type: AND, values: [{ key: plan, value: pro }] }
          - { key: id, type: cohort, value: staff } # us
  staff:
    filters: { properties: { type: AND, values: [{ key: email, operator: icontains, value: '@example.org' }] } }
flags:
  checkout: { active: true, filters: { groups: [{ properties: [{ type: cohort, key: id, value: beta }] }] } }
`;

const PRO = { key: 'plan', type: 'person', operator: 'exact', value: 'pro', negation: false };
const FREE = { ...PRO, value: 'free', bytecode: ['_H', 1] };
const STAFF: Cohort = {
  id: 2,
  name: 'staff',
  filters: {
    properties: { type: 'AND', values: [{ ...PRO, key: 'email', operator: 'icontains', value: '@example.org' }] },
  },
};

function beta(...groups: readonly JsonObject[]): Cohort {
  const values = groups.length === 0 ? [group(PRO), cohort(2)] : groups;
  return { id: 1, name: 'Beta testers', description: 'They asked.', filters: { properties: { type: 'OR', values } } };
}

function group(...values: readonly JsonObject[]): JsonObject {
  return { type: 'AND', values };
}

function cohort(value: number): JsonObject {
  return { key: 'id', type: 'cohort', value, negation: false };
}

const CHECKOUT: Flag = {
  id: 5,
  key: 'checkout',
  active: true,
  filters: {
    groups: [{ properties: [{ type: 'cohort', key: 'id', operator: 'in', value: 1 }], rollout_percentage: 100 }],
  },
};

interface Case {
  readonly cohorts: readonly Cohort[];
  readonly manifest?: string;
  readonly flags?: readonly Flag[];
  readonly projects?: readonly [Project, ...Project[]];
  readonly selection?: Partial<Selection>;
  readonly layer?: LayerChoice;
  readonly base?: string;
  /** Of the plan. */
  readonly warning?: object;
}

function accept(given: Case): Accepted {
  const { cohorts, manifest = MANIFEST, flags = [CHECKOUT], projects = [PRODUCTION], layer = 'auto' } = given;
  const live = { flags, roleAccess: {}, cohorts };
  const names = projects.map(({ name }) => name);
  const [own] = projects;
  const manifests = [{ file: 'a.yaml', text: manifest }];
  const resolve = (text: string): DesiredState => readTexts([{ file: 'a.yaml', text }], names).resolve(own).desired;
  const desired = resolve(manifest);
  const base =
    given.base === undefined
      ? {}
      : { base: { facts: { kind: 'commit', commit: 'abc', from: 'option' } as const, desired: resolve(given.base) } };
  const made = buildPlan(desired, live, base as never);
  const plan = {
    ...made,
    warnings: [...made.warnings, ...((given.warning ? [given.warning] : []) as typeof made.warnings)],
  };
  const project = withFoundNames(own, desired, { live: { cohorts }, shared: 'refuse' });
  const selection = { pending: false, ...given.selection };
  const all = projects.map((one) => (one.name === project.name ? project : one));
  return acceptLive({ live, project, projects: all, manifests, plan, selection, layer });
}

/** The text after everything was accepted, which is proven to leave nothing. */
function textAfter(given: Case): string {
  const { edited, left } = accept(given);
  expect(left).toEqual([]);
  const text = edited[0]?.text ?? given.manifest ?? MANIFEST;
  expect(accept({ ...given, manifest: text })).toMatchObject({ edited: [], accepted: [], left: [] });
  return text;
}

describe('what is written', () => {
  test('a value of a definition changes alone; comments and shorthands stay', () => {
    expect(textAfter({ cohorts: [beta(group(FREE), cohort(2)), STAFF] })).toBe(
      MANIFEST.replace('value: pro', 'value: free'),
    );
  });

  test('conditions come and go, with aliases in place of ids', () => {
    const cohorts = [beta(cohort(2), group(PRO, { ...PRO, key: 'country', operator: 'is_not', value: 'DE' })), STAFF];
    expect(textAfter({ cohorts })).toBe(
      MANIFEST.replace(
        `          # Who pays.
          - { type: AND, values: [{ key: plan, value: pro }] }
          - { key: id, type: cohort, value: staff } # us
`,
        `          - { key: id, type: cohort, value: staff } # us
          # Who pays.
          - { type: AND, values: [{ key: plan, value: pro }, { key: country, type: person, operator: is_not, value: DE }] }
`,
      ),
    );
  });

  test('a new condition on another cohort has its alias', () => {
    const manifest = MANIFEST.replace('          - { key: id, type: cohort, value: staff } # us\n', '');
    expect(textAfter({ cohorts: [beta(), STAFF], manifest })).toContain('- { type: cohort, value: staff }\n');
  });

  test('a condition on another cohort in place of one on a property keeps nothing that it may not have', () => {
    const manifest = MANIFEST.replace('{ key: plan, value: pro }', '{ key: plan, operator: exact, value: pro }');
    expect(textAfter({ cohorts: [beta(group(cohort(2)), cohort(2)), STAFF], manifest })).toContain(
      'values: [{ value: staff, type: cohort }]',
    );
  });

  test('a value that would be an error is named in `intended`', () => {
    const all = { ...PRO, operator: 'is_not', value: [] };
    const text = textAfter({ cohorts: [beta(group(all), cohort(2)), STAFF] });
    expect(text).toContain('{ key: plan, value: [], operator: is_not }');
    expect(text).toContain('    intended: [/filters/properties/values/0/values/0/value]\n');
    expect(readTexts([{ file: 'a.yaml', text }], ['production']).resolve(PRODUCTION).diagnostics).toEqual([]);
  });

  test('a description, and the name of a cohort with a configured id', () => {
    const projects = [{ ...PRODUCTION, cohorts: { beta: 1 } }] as const;
    const cohorts = [{ ...beta(), name: 'Testers', description: '' }, STAFF];
    expect(textAfter({ cohorts, projects })).toBe(
      MANIFEST.replace('Beta testers', 'Testers').replace("'They asked.'", "''"),
    );
  });

  test('the overlay of the project where others take the value from there too', () => {
    const cohorts = [{ ...beta(), description: 'They asked twice.' }, STAFF];
    const projects = [PRODUCTION, STAGING] as const;
    expect(textAfter({ cohorts, projects })).toContain(`    projects:
      production: { description: They asked twice. }
`);
    expect(textAfter({ cohorts, projects, layer: 'base' })).toBe(MANIFEST.replace('They asked.', 'They asked twice.'));
  });

  test('deleted: true of a cohort that was deleted in the service, if nothing uses it', () => {
    const cohorts = [{ ...beta(), deleted: true }, STAFF];
    const projects = [{ ...PRODUCTION, cohorts: { beta: 1 } }] as const;
    const unused = MANIFEST.replace('value: beta', 'value: staff');
    const flags = [JSON.parse(JSON.stringify(CHECKOUT).replace('"value":1', '"value":2')) as Flag];
    expect(textAfter({ cohorts, projects, flags, manifest: unused })).toContain(
      'value: staff } # us\n    deleted: true\n',
    );
    expect(accept({ cohorts, projects })).toMatchObject({
      edited: [],
      left: [{ key: 'cohort:beta', reason: { code: 'invalid', problem: { code: 'cohort-deleted' } } }],
    });
  });

  test('a cohort that is declared as deleted, and lives', () => {
    const manifest = MANIFEST.replace('    name: Beta', '    deleted: true\n    name: Beta').replace(
      'value: beta',
      'value: staff',
    );
    expect(
      textAfter({
        cohorts: [beta(group(FREE), cohort(2)), STAFF],
        flags: [],
        manifest,
        selection: { keys: ['cohort:*'] },
      }),
    ).toBe(manifest.replace('    deleted: true\n', '').replace('value: pro', 'value: free'));
  });
});

describe('what is selected', () => {
  const cohorts = [
    { ...beta(group(FREE), cohort(2)), description: 'Who asked' },
    { ...STAFF, description: 'Us' },
  ];

  test('cohorts by name, apart from flags of the same key', () => {
    const { accepted } = accept({ cohorts, selection: { keys: ['cohort:beta'] } });
    expect(accepted.map(({ key }) => key)).toEqual(['cohort:beta']);
    expect(accept({ cohorts, selection: { keys: ['beta'] } })).toMatchObject({ accepted: [], left: [] });
  });

  test('fields, and where each is written', () => {
    const definition = [{ text: 'definition', steps: [{ kind: 'member', name: 'filters' }] }] as const;
    expect(accept({ cohorts, selection: { only: { cohorts: definition } } }).accepted).toMatchObject([
      {
        key: 'cohort:beta',
        changes: [
          { ref: 'cohort:beta', before: 'pro', after: 'free', layer: 'base', place: { file: 'a.yaml', line: 11 } },
        ],
      },
    ]);
  });
});

describe('what is left', () => {
  test('a cohort that the project lacks, unless the base had it', () => {
    const given = { cohorts: [STAFF], flags: [], manifest: MANIFEST.replace('value: beta', 'value: staff') };
    const keys = ['cohort:beta'];
    expect(accept({ ...given, selection: { keys } })).toMatchObject({
      left: [{ key: 'cohort:beta', reason: { code: 'not-live' } }],
    });
    expect(accept({ ...given, base: given.manifest, selection: { keys } })).toMatchObject({
      accepted: [{ key: 'cohort:beta' }],
      left: [],
    });
  });

  test.each([
    [{ code: 'cohort_renamed_away', key: 'cohort:beta', id: 9, current: 'Testers', why: 'differs' }, 'cohort-moved'],
    [{ code: 'cohort_former_unknown', key: 'cohort:beta', why: 'forbidden' }, 'not-live'],
  ])('a cohort that may have been renamed is not declared as deleted: %j', (warning, code) => {
    const manifest = MANIFEST.replace('value: beta', 'value: staff');
    const given = { cohorts: [STAFF], flags: [], manifest, base: manifest, selection: { keys: ['cohort:beta'] } };
    expect(accept({ ...given, warning })).toMatchObject({
      edited: [],
      left: [{ key: 'cohort:beta', reason: { code } }],
    });
  });

  test('what no plan can write is left, and named', () => {
    const warning = { code: 'cohort_static', key: 'cohort:staff', id: 9 };
    const left = [{ key: 'cohort:staff', reason: { code: 'not-planned' } }];
    const given = { cohorts: [STAFF], flags: [], manifest: MANIFEST, warning };
    expect(accept({ ...given, selection: { keys: ['cohort:staff'] } })).toMatchObject({
      edited: [],
      accepted: [],
      left,
    });
    expect(accept({ ...given, selection: { keys: ['cohort:beta'] } }).left).not.toMatchObject(left);
  });

  test('a definition on events while a declared flag uses the cohort; other cohorts are accepted', () => {
    const events = {
      key: 'paid',
      type: 'behavioral',
      value: 'performed_event',
      event_type: 'events',
      time_value: 30,
      time_interval: 'day',
    };
    const cohorts = [
      { ...beta(), description: 'Who asked' },
      { ...STAFF, filters: { properties: group(events) } },
    ];
    expect(accept({ cohorts, flags: [{ ...CHECKOUT, active: false }] })).toMatchObject({
      accepted: [{ key: 'checkout' }, { key: 'cohort:beta' }],
      left: [{ key: 'cohort:staff', reason: { code: 'invalid', problem: { code: 'cohort-behavioral' } } }],
    });
  });

  test('a value that comes from an alias', () => {
    const manifest = MANIFEST.replace("'They asked.'", '&text They asked.').replace(
      '  staff:\n',
      '  staff:\n    description: *text\n',
    );
    const cohorts = [beta(), { ...STAFF, description: 'Us' }];
    expect(accept({ cohorts, manifest })).toMatchObject({
      edited: [],
      left: [{ key: 'cohort:staff', reason: { code: 'alias' } }],
    });
  });

  test('what git changed since the last apply, unless it is asked for', () => {
    const base = MANIFEST.replace('value: pro', 'value: free');
    const cohorts = [beta(group(FREE), cohort(2)), STAFF];
    expect(accept({ cohorts, base })).toMatchObject({ edited: [], pending: [{ key: 'cohort:beta' }] });
    const { edited } = accept({ cohorts, base, selection: { pending: true } });
    expect(edited[0]?.text).toBe(base);
  });
});
