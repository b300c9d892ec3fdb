/** Who decides, as manifests and the configuration say it: which rule counts, and what is refused. */

import { describe, expect, it } from 'vitest';
import type { Ownership } from '../../../../src/core/engine/ownership.ts';
import { parseFieldPath, findOwnership, type OwnershipRule } from '../../../../src/posthog/flag/model/fields.ts';
import { check, PRODUCTION, problems } from '../../../core/manifest/check.ts';
import type { Project } from '../../../../src/posthog/project.ts';

/** A flag with two conditions; `more` are further members of it, indented by four. */
function flag(...more: string[]): string {
  return [
    'flags:',
    '  a:',
    '    description: text',
    '    filters:',
    '      groups:',
    '        - { description: Europe, properties: [], rollout_percentage: 10 }',
    '        - { properties: [{ key: plan, value: pro }] }',
    ...more.map((line) => `    ${line}`),
    '',
  ].join('\n');
}

function configured(...sets: Readonly<Record<string, Ownership>>[]): Project {
  return {
    ...PRODUCTION,
    ownership: sets.map((fields) => ({
      matches: (key) => key === 'a',
      rules: Object.entries(fields).map(([text, ownership]): OwnershipRule => {
        const path = parseFieldPath(text);
        if ('problem' in path) throw new Error(text);
        return { path, ownership, source: { file: 'flagwright.yaml', line: 7, column: 3 } };
      }),
    })),
  };
}

describe('the rule that counts', () => {
  const FIRST = '/filters/groups/0/rollout_percentage';
  const at = (pointer: string, text: string, project?: Project): Ownership | undefined => {
    const { desired, diagnostics } = check(text, project);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const [declared] = desired.flags;
    if (declared?.kind !== 'declared') throw new Error('not declared');
    return findOwnership(declared.ownership ?? [], pointer, declared.fields);
  };

  it.each<[string, Ownership | undefined, string, Project?]>([
    ['is none without ownership', undefined, flag()],
    ['is of the configuration where there is no other', 'observed', flag(), configured({ filters: 'observed' })],
    [
      'is of an entry for a key that the flag had before',
      'observed',
      flag('previous_keys: [a]').replace('\n  a:', '\n  b:'),
      configured({ filters: 'observed' }),
    ],
    ['is of the later entry', 'initial', flag(), configured({ 'conditions.1': 'observed' }, { filters: 'initial' })],
    [
      'is of the flag rather than of the configuration, also with a shorter path',
      'observed',
      flag('ownership: { filters: observed }'),
      configured({ 'conditions.1.rollout_percentage': 'initial' }),
    ],
    [
      'is of the overlay rather than of the flag, also with a shorter path',
      'managed',
      flag(
        'ownership: { conditions.1.rollout_percentage: observed }',
        'projects: { production: { ownership: { filters: managed } } }',
      ),
    ],
    [
      'is of the flag where the overlay is of another project',
      'observed',
      flag('ownership: { conditions.1: observed }', 'projects: { staging: { ownership: { filters: managed } } }'),
    ],
    [
      'is none where the overlay removes the path',
      undefined,
      flag('ownership: { conditions.1: observed }', 'projects: { production: { ownership: { conditions.1: null } } }'),
    ],
    [
      'is the longer path in one place',
      'initial',
      flag('ownership: { conditions.1.rollout_percentage: initial, filters: observed, conditions: managed }'),
    ],
    [
      'is that of a named condition rather than of every one',
      'initial',
      flag('ownership: { conditions.Europe.rollout_percentage: initial, rollout_percentage: observed }'),
    ],
  ])('%s', (_, expected, text, project) => {
    expect(at(FIRST, text, project)).toBe(expected);
  });

  it('has bounds', () => {
    const text = flag('ownership: { conditions.Europe.rollout_percentage: { between: [0, 25] } }');
    expect(at(FIRST, text)).toEqual({ between: [0, 25] });
  });
});

describe('what is refused', () => {
  it.each([
    ['a word', 'ownership: { active: obsered }', ['error value-not-allowed /flags/a/ownership/active']],
    [
      'bounds that are no list',
      'ownership: { active: { between: 3 } }',
      ['error type-wrong /flags/a/ownership/active/between'],
    ],
    [
      'bounds that are no numbers',
      'ownership: { conditions.1.rollout_percentage: { between: [a, 3] } }',
      ['error type-wrong /flags/a/ownership/conditions.1.rollout_percentage/between/0'],
    ],
    [
      'three bounds',
      'ownership: { conditions.1.rollout_percentage: { between: [1, 2, 3] } }',
      ['error length-out-of-range /flags/a/ownership/conditions.1.rollout_percentage/between'],
    ],
    ['null in the flag itself', 'ownership: { active: null }', ['error type-wrong /flags/a/ownership/active']],
    ['a path', 'ownership: { rollout: observed }', ['error ownership-path-invalid /flags/a/ownership/rollout']],
    [
      'the key',
      'ownership: { key: observed }',
      ['error ownership-fixed /flags/a/ownership/key', 'warning ownership-unmanaged /flags/a/ownership/key'],
    ],
    [
      'whether it is deleted',
      'ownership: { deleted: observed }',
      ['error ownership-fixed /flags/a/ownership/deleted', 'warning ownership-unmanaged /flags/a/ownership/deleted'],
    ],
    [
      'a condition that is not there',
      'ownership: { conditions.3: observed }',
      ['error ownership-names-nothing /flags/a/ownership/conditions.3'],
    ],
    [
      'a description that no condition has',
      'ownership: { conditions.Asia: observed }',
      ['error ownership-names-nothing /flags/a/ownership/conditions.Asia'],
    ],
    [
      'a payload of no variant',
      'ownership: { payloads.red: observed }',
      ['error ownership-names-nothing /flags/a/ownership/payloads.red'],
    ],
    [
      'bounds in the wrong order',
      'ownership: { conditions.1.rollout_percentage: { between: [25, 0] } }',
      ['error ownership-bounds-order /flags/a/ownership/conditions.1.rollout_percentage'],
    ],
    [
      'bounds of a string',
      'ownership: { description: { between: [0, 1] } }',
      ['error ownership-between-unfit /flags/a/ownership/description'],
    ],
    [
      'bounds of access',
      'ownership: { role_access: { between: [0, 1] } }',
      ['error ownership-between-unfit /flags/a/ownership/role_access'],
    ],
    [
      'a declared value outside its bounds',
      'ownership: { conditions.1.rollout_percentage: { between: [20, 30] } }',
      ['error ownership-value-outside /flags/a/filters/groups/0/rollout_percentage'],
    ],
    // A condition without a percentage has 100.
    [
      'an implied value outside its bounds',
      'ownership: { rollout_percentage: { between: [0, 99] } }',
      ['error ownership-value-outside /flags/a/filters/groups/1/rollout_percentage'],
    ],
    [
      'a field that is not declared',
      'ownership: { tags: observed }',
      ['warning ownership-unmanaged /flags/a/ownership/tags'],
    ],
  ])('%s', (_, member, expected) => {
    expect(problems(flag(member))).toEqual(expected);
  });

  it('an overlay is checked with the values of its project', () => {
    const text = flag(
      'ownership: { conditions.1.rollout_percentage: { between: [0, 25] } }',
      'projects: { production: { conditions: { 1: { rollout_percentage: 50 } } } }',
    );
    expect(problems(text)).toEqual([
      'error ownership-value-outside /flags/a/projects/production/conditions/1/rollout_percentage',
    ]);
  });

  it('a value is not outside bounds that a stronger rule replaces', () => {
    const project = configured({ rollout_percentage: { between: [0, 5] } });
    expect(problems(flag(), project)).toHaveLength(2);
    expect(problems(flag('ownership: { filters: managed }'), project)).toEqual([]);
  });

  it('a path of the configuration need not exist in each flag', () => {
    expect(problems(flag(), configured({ 'conditions.9': 'observed', tags: 'observed' }))).toEqual([]);
  });
});

it('a payload may be left to others before it is declared', () => {
  expect(problems(flag('ownership: { payloads.true: observed }'))).toEqual([]);
});
