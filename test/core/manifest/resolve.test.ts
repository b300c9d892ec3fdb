import { describe, expect, it } from 'vitest';
import { placeAt } from '../../../src/base/place.ts';
import type { ManifestFile } from '../../../src/core/manifest/declaration.ts';
import type { DeclaredFlag } from '../../../src/posthog/desired.ts';
import { cohortValues } from '../../../src/posthog/flag/model/references.ts';
import { parseManifest, resolveManifests } from '../../../src/posthog/manifests/manifests.ts';
import { check, ENGINEERING, PRODUCTION, problems } from './check.ts';

const STAGING = { ...PRODUCTION, name: 'staging', cohorts: { 'beta-testers': 7 } };

const EXAMPLE = `x-common: &common { active: true, tags: [checkout] }
flags:
  new-checkout:
    <<: *common
    description: One-page checkout
    filters:
      groups:
        - properties:
            - { key: id, type: cohort, operator: in, value: beta-testers }
            - { key: plain, type: flag, operator: flag_evaluates_to, value: true }
          rollout_percentage: 100
        - rollout_percentage: 25
    role_access: [engineering]
    previous_keys: [checkout]
    fields: { evaluation_runtime: server }
    projects:
      staging:
        filters: { groups: [{ rollout_percentage: 100 }] }
        active: false
        tags: null
  plain: { rollout_percentage: 10 }
  old-banner: { deleted: true, description: gone }
  only-staging: { only_in: [staging] }
`;

function declared(text: string, key: string, project = PRODUCTION): DeclaredFlag {
  const flag = check(text, project).desired.flags.find((one) => one.key === key);
  if (flag?.kind !== 'declared') throw new Error(`${key} is not declared`);
  return flag;
}

describe('the desired state', () => {
  it('has the flags of the project, sorted by key', () => {
    const kinds = (project: typeof PRODUCTION): string[] =>
      check(EXAMPLE, project).desired.flags.map(({ kind, key }) => `${kind} ${key}`);
    expect(kinds(PRODUCTION)).toEqual(['declared new-checkout', 'retired old-banner', 'declared plain']);
    expect(kinds(STAGING)).toEqual(
      [...kinds(PRODUCTION).slice(0, 1), 'retired old-banner', 'declared only-staging', 'declared plain'].toSorted(
        (a, b) => ((a.split(' ')[1] ?? '') < (b.split(' ')[1] ?? '') ? -1 : 1),
      ),
    );
    expect(problems(EXAMPLE)).toEqual([]);
  });

  it('has fields by their API names, ids for aliases, and keys for flags', () => {
    const flag = declared(EXAMPLE, 'new-checkout');
    expect(flag.previousKeys).toEqual(['checkout']);
    expect(flag.roleAccess).toMatchObject([{ id: ENGINEERING, name: 'engineering' }]);
    expect(flag.fields).toEqual({
      name: 'One-page checkout',
      active: true,
      tags: ['checkout'],
      evaluation_runtime: 'server',
      filters: {
        groups: [
          {
            properties: [
              { key: 'id', type: 'cohort', operator: 'in', value: 42 },
              { key: 'plain', type: 'flag', operator: 'flag_evaluates_to', value: true },
            ],
            rollout_percentage: 100,
          },
          { rollout_percentage: 25 },
        ],
      },
    });
  });

  it('has the values of the overlay in place of the base', () => {
    const { fields } = declared(EXAMPLE, 'new-checkout', STAGING);
    expect(fields).toMatchObject({ active: false, filters: { groups: [{ rollout_percentage: 100 }] } });
    expect(Object.hasOwn(fields, 'tags')).toBe(false);
  });

  it('has the place of each value: base, overlay, anchor, shorthand', () => {
    const line = (flag: DeclaredFlag, pointer: string): number => placeAt(flag.places, pointer).line;
    const production = declared(EXAMPLE, 'new-checkout');
    const staging = declared(EXAMPLE, 'new-checkout', STAGING);
    expect(production.places.place).toEqual({ file: 'flags.yaml', line: 3, column: 3 });
    expect(line(production, '/name')).toBe(5);
    expect(line(production, '/active')).toBe(1);
    expect(line(production, '/filters/groups/0/properties/1/value')).toBe(10);
    expect(placeAt(production.places, '/filters/groups/1/rollout_percentage')).toEqual({
      file: 'flags.yaml',
      line: 12,
      column: 11,
    });
    expect(production.roleAccess?.[0]?.place.line).toBe(13);
    expect(line(production, '/evaluation_runtime')).toBe(15);
    expect(line(staging, '/filters/groups/0/rollout_percentage')).toBe(18);
    expect(line(staging, '/active')).toBe(19);
    expect(placeAt(declared(EXAMPLE, 'plain').places, '/filters/groups/0/rollout_percentage')).toEqual({
      file: 'flags.yaml',
      line: 21,
      column: 12,
    });
  });

  it.each([
    ['shorthand', 'rollout_percentage: 5', { groups: [{ properties: [], rollout_percentage: 5 }] }],
    [
      'shorthand over filters',
      'filters: { groups: [], payloads: { true: 1 } }, projects: { production: { rollout_percentage: 5 } }',
      { groups: [{ properties: [], rollout_percentage: 5 }] },
    ],
    [
      'filters over shorthand',
      'rollout_percentage: 5, projects: { production: { filters: { groups: [] } } }',
      { groups: [] },
    ],
    [
      'filters merged',
      'filters: { groups: [], payloads: { true: 1 } }, projects: { production: { filters: { payloads: { true: null } } } }',
      { groups: [], payloads: {} },
    ],
    ['filters removed', 'filters: { groups: [] }, projects: { production: { filters: null } }', undefined],
    ['unchecked', 'fields: { filters: { groups: null, version: 2 } }', { groups: null, version: 2 }],
    ['unchecked and empty', 'fields: { filters: {} }', {}],
    [
      'unchecked over filters, as a whole',
      'filters: { groups: [], payloads: { true: 1 } }, projects: { production: { fields: { filters: { rules: [] } } } }',
      { rules: [] },
    ],
    [
      'unchecked over shorthand',
      'rollout_percentage: 5, projects: { production: { fields: { filters: { rules: [] } } } }',
      { rules: [] },
    ],
    [
      'unchecked over unchecked, as a whole',
      'fields: { filters: { version: 2 } }, projects: { production: { fields: { filters: { rules: [] } } } }',
      { rules: [] },
    ],
    [
      'filters over unchecked',
      'fields: { filters: { version: 2 } }, projects: { production: { filters: { groups: [] } } }',
      { groups: [] },
    ],
    [
      'shorthand over unchecked',
      'fields: { filters: { version: 2 } }, projects: { production: { rollout_percentage: 5 } }',
      { groups: [{ properties: [], rollout_percentage: 5 }] },
    ],
    [
      'unchecked removed',
      'fields: { filters: { version: 2 } }, projects: { production: { fields: { filters: null } } }',
      undefined,
    ],
    [
      'unchecked beside another overlay',
      'fields: { filters: { rules: [] } }, projects: { production: { active: false, fields: { archived: false } } }',
      { rules: [] },
    ],
    ['nothing', '', undefined],
  ])('filters: %s', (_, members, filters) => {
    expect(declared(`flags: { f: { ${members} } }`, 'f').fields['filters']).toEqual(filters);
  });

  it.each(['f: null', 'f: {}', 'f: { deleted: false }'])('%s declares a flag without managed fields', (text) => {
    expect(declared(`flags: { ${text} }`, 'f')).toMatchObject({ kind: 'declared', fields: {}, previousKeys: [] });
  });

  it('lets an overlay delete a flag, or keep it', () => {
    const flags = check(
      'flags: { a: { projects: { production: { deleted: true } } }, b: { deleted: true, projects: { production: { deleted: null } } } }',
    ).desired.flags;
    expect(flags.map(({ kind, key }) => `${kind} ${key}`)).toEqual(['retired a', 'declared b']);
  });
});

describe('a flag with `deleted: true`', () => {
  const TEXT = 'flags: { new: { deleted: true, previous_keys: [old] }, other: { previous_keys: [old] } }';

  it('has its previous keys ignored', () => {
    expect(problems(TEXT)).toEqual([]);
    const [retired] = check(TEXT).desired.flags;
    expect(retired).toMatchObject({ kind: 'retired', key: 'new' });
    expect(retired).not.toHaveProperty('previousKeys');
    expect(problems('flags: { new: { deleted: true, previous_keys: [old] }, old: {} }')).toEqual([]);
  });

  it('occupies its key, which no other can have as a previous key', () => {
    expect(problems('flags: { old: { deleted: true }, new: { previous_keys: [old] } }')).toEqual([
      'error previous-key-taken /flags/new/previous_keys/0',
    ]);
  });

  it('keeps its previous keys in projects where it is not deleted', () => {
    const text = 'flags: { a: { previous_keys: [old], projects: { production: { deleted: true } } }, old: {} }';
    expect(problems(text)).toEqual([]);
    expect(problems(text, STAGING)).toEqual(['error previous-key-taken /flags/a/previous_keys/0']);
  });
});

describe('keys that are named for other projects only', () => {
  it.each([
    ['flags: { a: { only_in: [staging] }, b: {} }', ['a']],
    ['flags: { a: { only_in: [staging], previous_keys: [z, old] } }', ['a', 'old', 'z']],
    ['flags: { a: { only_in: [staging], previous_keys: [b] }, b: {} }', ['a']],
    ['flags: { a: { only_in: [staging], previous_keys: [old] }, b: { previous_keys: [old] } }', ['a']],
    ['flags: { a: { only_in: [staging], deleted: true, previous_keys: [old] } }', ['a']],
    ['flags: { a: { only_in: [production] }, b: {} }', undefined],
  ])('%s', (text, keys) => {
    expect(check(text).desired.namedElsewhere?.flags).toEqual(keys);
  });
});

describe('unchecked filters', () => {
  const UNCHECKED = `flags:
  f:
    active: false
    fields:
      evaluation_runtime: server
      filters:
        groups:
          - properties:
              - { key: age, operator: gt, value: 25 }
              - { key: id, type: cohort, operator: in, value: beta-testers }
              - { key: g, type: flag, operator: flag_evaluates_to, value: nobody }
            variant: nobody
        multivariate: { variants: [{ key: a, rollout_percentage: 99.99 }] }
  g: { active: true }
`;

  it('become the filters and are not checked', () => {
    expect(problems(UNCHECKED)).toEqual([]);
    const { fields, places } = declared(UNCHECKED, 'f');
    expect(fields).toEqual({
      active: false,
      evaluation_runtime: 'server',
      filters: {
        groups: [
          {
            properties: [
              { key: 'age', operator: 'gt', value: 25 },
              { key: 'id', type: 'cohort', operator: 'in', value: 'beta-testers' },
              { key: 'g', type: 'flag', operator: 'flag_evaluates_to', value: 'nobody' },
            ],
            variant: 'nobody',
          },
        ],
        multivariate: { variants: [{ key: 'a', rollout_percentage: 99.99 }] },
      },
    });
    expect(placeAt(places, '/filters/groups/0/variant').line).toBe(12);
  });

  it('can depend on other flags', () => {
    const path = '/flags/f/fields/filters/groups/0/properties/2/key';
    expect(problems(UNCHECKED.replace('{ active: true }', '{ deleted: true }'))).toEqual([
      `error flag-depends-on-deleted ${path}`,
    ]);
    expect(problems(UNCHECKED.replace('  g:', '  h:'))).toEqual([`warning flag-unknown ${path}`]);
    const off = UNCHECKED.replace('false', 'true').replace('g: { active: true }', 'g: { active: false }');
    expect(problems(off)).toEqual([`warning flag-depends-on-disabled ${path}`]);
  });

  it('do not have their variants checked in dependent flags', () => {
    const dependent =
      '  d: { filters: { groups: [{ properties: [{ key: f, type: flag, operator: flag_evaluates_to, value: b }] }] } }\n';
    expect(problems(UNCHECKED.replace('active: false', 'active: true') + dependent)).toEqual([]);
  });

  it('may be part of a cycle', () => {
    const on = (key: string): string =>
      `filters: { groups: [{ properties: [{ key: ${key}, type: flag, operator: flag_evaluates_to, value: true }] }] }`;
    expect(problems(`flags: { a: { ${on('b')} }, b: { ${on('a')} } }`)).toHaveLength(1);
    expect(problems(`flags: { a: { fields: { ${on('b')} } }, b: { ${on('a')} } }`)).toEqual([]);
  });
});

describe('problems', () => {
  it('have a place in the base or in the overlay', () => {
    const text = `flags:
  f:
    filters: { groups: [{}], payloads: { true: oops } }
    projects:
      production: { filters: { groups: [{ variant: a }] } }
`;
    expect(check(text).diagnostics.map(({ code, path, place }) => [code, path, place?.line])).toEqual([
      ['payload-not-json', '/flags/f/filters/payloads/true', 3],
      ['variant-unknown', '/flags/f/projects/production/filters/groups/0/variant', 5],
    ]);
  });

  it('are reported for a key in two files, in any order', () => {
    const texts = { 'b.yaml': 'flags: { f: {} }\n', 'a.yaml': 'flags: { f: {} }\n' };
    expect(check(texts).diagnostics).toMatchObject([
      { code: 'flag-duplicate', place: { file: 'b.yaml', line: 1, column: 10 }, args: { other: { file: 'a.yaml' } } },
    ]);
  });

  it('are reported for a key in two documents of a file', () => {
    expect(problems('flags: { f: {} }\n---\nflags: { f: {} }\n')).toEqual(['error flag-duplicate /flags/f']);
  });
});

describe('what is known of a run', () => {
  const read = (text: string) => parseManifest('known.yaml', text).file;
  const text = 'flags: { known: { rollout_percentage: 10 } }\n';
  const names = [PRODUCTION.name];

  it('is the resolution of equal texts for an equal project', () => {
    const first = resolveManifests([read(text)], PRODUCTION, names);
    expect(resolveManifests([read(text)], { ...PRODUCTION, roles: { ...PRODUCTION.roles } }, [...names])).toBe(first);
  });

  it.each([
    ['text', [read(`${text}# other\n`)], PRODUCTION, names],
    ['number of files', [read(text), parseManifest('other.yaml', '').file], PRODUCTION, names],
    ['name of the project', [read(text)], STAGING, names],
    ['role', [read(text)], { ...PRODUCTION, roles: { other: ENGINEERING } }, names],
    ['cohort', [read(text)], { ...PRODUCTION, cohorts: { other: 1 } }, names],
    ['rule of ownership', [read(text)], { ...PRODUCTION, ownership: [] }, names],
    ['list of projects', [read(text)], PRODUCTION, [...names, 'staging']],
  ])('is nothing of another %s', (_, files, project, all) => {
    const first = resolveManifests([read(text)], PRODUCTION, names);
    expect(resolveManifests(files, project, all)).not.toBe(first);
  });

  it('is the fields of a flag without an overlay, in further projects and beside other files', () => {
    const manifest = read(
      `flags:\n  known: { rollout_percentage: 10 }\n  overlaid: { projects: { staging: { active: false } } }\n`,
    );
    const fieldsIn = (project: typeof PRODUCTION, others: ManifestFile[] = []) => {
      const { flags } = resolveManifests([manifest, ...others], project, [PRODUCTION.name, STAGING.name]).desired;
      return new Map(flags.flatMap((flag) => (flag.kind === 'declared' ? [[flag.key, flag.fields]] : [])));
    };
    const first = fieldsIn(PRODUCTION);
    const other = parseManifest('other.yaml', 'flags: { other: {} }\n').file;
    for (const again of [fieldsIn(STAGING), fieldsIn(PRODUCTION, [other])]) {
      expect(again.get('known')).toBe(first.get('known'));
    }
    expect(fieldsIn(STAGING).get('overlaid')).toEqual({ active: false });
    expect(first.get('overlaid')).toEqual({});
  });

  it.each(['groups', 'super_groups'])('is not the alias of a cohort in %s of another project', (list) => {
    const filters = `{ ${list}: [{ properties: [{ key: id, type: cohort, value: beta-testers }] }] }`;
    const manifest = read(`flags: { known: { filters: ${filters} } }\n`);
    const cohortIn = (project: typeof PRODUCTION) =>
      resolveManifests([manifest], project, names).desired.flags.map((flag) =>
        flag.kind === 'declared' ? cohortValues(flag.fields['filters']) : [],
      );
    expect([cohortIn(PRODUCTION), cohortIn(STAGING)]).toEqual([[[42]], [[7]]]);
  });
});
