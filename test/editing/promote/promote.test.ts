/** The edits of manifests that promote one project's declarations to another. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { promoteFlags } from '../../../src/editing/actions/promote.ts';
import type { PromoteInput } from '../../../src/editing/promotion.ts';
import type { EditedPart, Promoted } from '../../../src/editing/edit.ts';
import { flagSources } from '../../../src/editing/flag/facet.ts';
import { readTexts } from '../../../src/editing/texts.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import { compareProjects } from '../../../src/posthog/parity/parity.ts';
import type { Project } from '../../../src/posthog/project.ts';

const STAGING: Project = { name: 'staging', roles: { growth: 'r-1', sales: 'r-2' }, cohorts: { beta: 42, staff: 43 } };
const PRODUCTION: Project = { name: 'production', roles: { growth: 'r-9' }, cohorts: { beta: 7 } };
const TEST: Project = { name: 'test', roles: {}, cohorts: { beta: 1, staff: 2 } };
const PROJECTS = [STAGING, PRODUCTION, TEST];

interface Given {
  readonly keys?: readonly string[];
  readonly parts?: readonly EditedPart[];
  readonly live?: LiveState;
}

function promote(manifest: string, { keys = ['a'], parts, live }: Given = {}): Promoted & { readonly text: string } {
  const manifests = [{ file: 'flags.yaml', text: manifest }];
  const read = readTexts(
    manifests,
    PROJECTS.map(({ name }) => name),
  );
  const input: PromoteInput = {
    from: STAGING,
    to: PRODUCTION,
    projects: PROJECTS,
    manifests,
    source: flagSources(read.resolve(STAGING).desired, live),
    keys,
    ...(parts === undefined ? {} : { parts }),
  };
  const promoted = promoteFlags(input);
  return { ...promoted, text: promoted.edited[0]?.text ?? manifest };
}

/** The paths at which the manifests declare other values for production than for staging. */
function apart(text: string): readonly string[] {
  const names = PROJECTS.map(({ name }) => name);
  const read = readTexts([{ file: 'flags.yaml', text }], names);
  const sides = [STAGING, PRODUCTION].map((project) => ({ project, desired: read.resolve(project).desired }));
  return compareProjects(sides, { scope: { include: ['*'], exclude: [] } }).rows.map(({ path }) => path);
}

function liveFlag(fields: JsonObject): LiveState {
  return { flags: [{ id: 3, key: 'a', ...fields }], roleAccess: {} };
}

const LAYERED = `flags:
  a:
    active: true # on
    rollout_percentage: 100
    projects:
      production: { active: false, rollout_percentage: 5 } # careful
`;

describe('a flag is promoted', () => {
  test('whole, and parity finds nothing afterwards', () => {
    const { text, promoted, left } = promote(LAYERED);
    expect(left).toEqual([]);
    expect(promoted).toMatchObject([
      {
        key: 'a',
        changes: [
          { path: '/active', before: false, after: true, layer: 'project', place: { line: 6 } },
          { path: '/filters/groups/0/rollout_percentage', before: 5, after: 100, layer: 'project' },
        ],
      },
    ]);
    expect(text).toBe(LAYERED.replace('active: false, rollout_percentage: 5', 'active: true, rollout_percentage: 100'));
    expect(apart(text)).toEqual([]);
    expect(promote(text)).toMatchObject({ edited: [], promoted: [], left: [] });
  });

  test('in single parts, which leaves the others alone', () => {
    const { text } = promote(LAYERED, { parts: ['rollout'] });
    expect(text).toBe(LAYERED.replace('rollout_percentage: 5', 'rollout_percentage: 100'));
    expect(apart(text)).toEqual(['/active']);
  });

  test('without conditions, whose rollouts are nothing to write', () => {
    const manifest = 'flags: { a: { active: true, fields: { filters: {} } } }\n';
    expect(promote(manifest, { parts: ['rollout'] })).toMatchObject({ text: manifest, promoted: [], left: [] });
  });

  test('with the cohort and the role that have the same names', () => {
    const manifest = `flags:
  a:
    active: true
    only_in: [staging, production]
    projects:
      staging:
        filters: { groups: [{ properties: [{ key: id, type: cohort, operator: in, value: beta }] }] }
        role_access: [growth]
`;
    const { text, left } = promote(manifest);
    expect(left).toEqual([]);
    expect(apart(text)).toEqual([]);
  });

  test('in its conditions alone, with the cohort of the same name', () => {
    const manifest = `flags:
  a:
    filters: { groups: [{ properties: [{ key: id, type: cohort, operator: in, value: beta }] }] }
    active: true
    projects:
      production: { active: false, filters: { groups: [{ properties: [], rollout_percentage: 5 }] } }
      test: { filters: { groups: [] } }
`;
    const { text, left } = promote(manifest, { parts: ['conditions'] });
    expect([left, apart(text)]).toEqual([[], ['/active']]);
    const ofStaff = promote(manifest.replace('value: beta', 'value: staff'), { parts: ['conditions'] });
    expect([ofStaff.edited, ofStaff.left]).toMatchObject([[], [{ key: 'a', reason: { code: 'cohort-missing' } }]]);
  });

  test('to a project that only_in leaves out, as a whole', () => {
    const manifest = 'flags:\n  a: { only_in: [staging], active: true, rollout_percentage: 20 } # new\n';
    const { text } = promote(manifest);
    expect(text).toBe('flags:\n  a: { only_in: [staging, production], active: true, rollout_percentage: 20 } # new\n');
    expect(promote(manifest, { parts: ['active'] }).left).toMatchObject([
      { key: 'a', reason: { code: 'target-lacks' } },
    ]);
  });

  test('where the project declares it as deleted', () => {
    const { text } = promote('flags:\n  a:\n    active: true\n    projects:\n      production: { deleted: true }\n');
    expect(apart(text)).toEqual([]);
    expect(text).not.toContain('deleted');
  });

  test('together with the flag on which it depends', () => {
    const on = '{ key: b, type: flag, operator: flag_evaluates_to, value: true }';
    const manifest = `flags:
  a: { only_in: [staging], active: true, filters: { groups: [{ properties: [${on}] }] } }
  b: { only_in: [staging], active: true, rollout_percentage: 1 }
`;
    expect(promote(manifest).left).toMatchObject([{ reason: { code: 'dependency-missing', dependency: 'b' } }]);
    expect(promote(manifest).edited).toEqual([]);
    const { left, text } = promote(manifest, { keys: ['a', 'b'] });
    expect([left, apart(text)]).toEqual([[], []]);
  });

  test('with the type of groups that its conditions imply', () => {
    const manifest = `flags:
  a:
    fields: { filters: {} }
    projects:
      staging: { fields: { filters: { groups: [{ aggregation_group_type_index: 2 }] } } }
`;
    const { text, left } = promote(manifest);
    expect([left, apart(text)]).toEqual([[], []]);
  });

  describe('that depends on a flag whose key looks like an id', () => {
    const on = (key: string): string =>
      `filters: { groups: [{ properties: [{ key: ${key}, type: flag, operator: flag_evaluates_to, value: true }] }] }`;
    const others = "  '12': { active: true }\n  '7': { active: true }\n  c: { active: true }\n";

    test.each([
      ['whole', `flags:\n  a: { only_in: [staging], ${on("'7'")} }\n${others}`, undefined],
      [
        'beside another key',
        `flags:\n  a: { ${on('c')}, projects: { staging: { ${on("'7'")} } } }\n${others}`,
        undefined,
      ],
      [
        'in a part that leaves the conditions as they are',
        `flags:\n  a: { ${on("'7'")}, projects: { staging: { payloads: { 'true': 1 } } } }\n${others}`,
        ['payloads'] as const,
      ],
    ])('%s', (_what, manifest, parts) => {
      const { text, left } = promote(manifest, parts === undefined ? {} : { parts });
      expect([left, apart(text)]).toEqual([[], []]);
      expect(text).toContain("key: '7'");
      expect(text).not.toMatch(/key: \d/);
    });

    test('unless it is an id', () => {
      const { edited, left } = promote(`flags:\n  a: { only_in: [staging], ${on('7')} }\n${others}`);
      expect({ edited, left }).toMatchObject({
        edited: [],
        left: [{ key: 'a', reason: { code: 'dependency-missing', dependency: '7' } }],
      });
    });
  });

  test('with the live values of what is declared', () => {
    const groups = [{ properties: [{ key: 'id', type: 'cohort', operator: 'in', value: 42 }], rollout_percentage: 30 }];
    const live = liveFlag({ active: true, name: 'not declared', filters: { groups }, version: 9 });
    const { text, left } = promote(LAYERED, { live });
    expect(left).toEqual([]);
    expect(text).toContain('rollout_percentage: 100\n    projects:');
    expect(text).toContain('value: beta');
    expect(text).not.toContain('not declared');
  });
});

describe('variants and payloads', () => {
  const manifest = `flags:
  a:
    filters:
      groups: [{ rollout_percentage: 10 }]
      multivariate: { variants: [{ key: x, rollout_percentage: 50 }, { key: y, rollout_percentage: 50 }] }
      payloads: { x: "1" }
    projects:
      production:
        filters:
          groups: [{ rollout_percentage: 5 }]
          multivariate: { variants: [{ key: x, rollout_percentage: 90 }, { key: y, rollout_percentage: 10 }] }
          payloads: { x: "2" }
`;
  const GROUPS = ['/filters/groups/0/rollout_percentage'];
  const VARIANTS = [0, 1].map((index) => `/filters/multivariate/variants/${index}/rollout_percentage`);
  const PAYLOADS = ['/filters/payloads/x'];

  test.each<[EditedPart, readonly string[]]>([
    ['variants', [...GROUPS, ...PAYLOADS]],
    ['payloads', [...GROUPS, ...VARIANTS]],
    ['conditions', [...VARIANTS, ...PAYLOADS]],
  ])('promoting %s leaves %j apart', (part, rest) => {
    const { text, left } = promote(manifest, { parts: [part] });
    expect(left).toEqual([]);
    expect([...apart(text)].sort()).toEqual([...rest].sort());
  });
});

describe('nothing is written for a flag', () => {
  const cohort = (value: string): string =>
    `flags: { a: { projects: { staging: { filters: { groups: [{ properties: [{ key: id, type: cohort, operator: in, value: ${value} }] }] } } } } }\n`;

  test.each<[string, string, Given, object]>([
    [
      'that the source lacks',
      'flags: { a: { only_in: [production], active: true } }\n',
      {},
      { code: 'source-lacks', project: 'staging' },
    ],
    [
      'whose part the source does not declare',
      LAYERED,
      { parts: ['tags'] },
      { code: 'part-lacks', part: 'tags', project: 'staging' },
    ],
    [
      'whose cohort has no id there',
      cohort('staff'),
      {},
      { code: 'cohort-missing', alias: 'staff', project: 'production' },
    ],
    ['whose cohort has no name', cohort('99'), {}, { code: 'cohort-unnamed', cohort: 99, project: 'staging' }],
    [
      'whose role has no id there',
      'flags: { a: { projects: { staging: { role_access: [sales] } } } }\n',
      {},
      { code: 'role-missing', role: 'sales', project: 'production' },
    ],
    [
      'with another number of conditions',
      'flags: { a: { rollout_percentage: 5, projects: { production: { filters: { groups: [{ rollout_percentage: 1 }, { rollout_percentage: 2 }] } } } } }\n',
      { parts: ['rollout'] },
      { code: 'conditions-differ' },
    ],
    [
      'with encrypted payloads',
      'flags: { a: { filters: { groups: [{}], payloads: { "true": "1" } }, fields: { has_encrypted_payloads: true, is_remote_configuration: true } } }\n',
      {},
      { code: 'payloads-secret' },
    ],
    [
      'whose value comes from an alias',
      'flags:\n  b: { rollout_percentage: 100, projects: { production: &p { rollout_percentage: 5 } } }\n  a: { rollout_percentage: 100, projects: { production: *p } }\n',
      {},
      { code: 'alias' },
    ],
  ])('%s', (_, manifest, given, reason) => {
    const { left, edited } = promote(manifest, given);
    expect(left).toMatchObject([{ key: 'a', reason }]);
    expect(edited).toEqual([]);
  });

  test('and the others are promoted', () => {
    const { text, left } = promote(`${LAYERED}  b: { only_in: [production], active: true }\n`, { keys: ['b', 'a'] });
    expect(left.map(({ key }) => key)).toEqual(['b']);
    expect(text).toContain('active: true, rollout_percentage: 100');
  });
});
