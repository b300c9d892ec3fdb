/** What git did, against what people did: one table of cases for flags and cohorts, with one class for each cell. */

import { allowing } from '../helpers/states.ts';
import { describe, expect, it } from 'vitest';
import type { BuildOptions } from '../../src/posthog/planning/build-plan.ts';
import { kindFor, nameOfChange } from '../../src/posthog/kinds.ts';
import type { Plan } from '../../src/posthog/plan.ts';
import { COHORT, FLAG, planOfSides, type Held, type DeclaredResource, type Subject } from '../helpers/subjects.ts';

interface Case {
  readonly base: DeclaredResource | undefined;
  readonly git: DeclaredResource | undefined;
  readonly live: readonly Held[];
}

/** A run recorded that the resource has the id 7. */
function planOf(subject: Subject, { base, git, live }: Case, options: Partial<BuildOptions> = {}): Plan {
  const [key = ''] = subject.tracedAs({ name: 'a' });
  const sides = { base: base === undefined ? [] : [base], git: git === undefined ? [] : [git], live };
  return planOfSides(subject, { ...sides, traces: [{ kind: 'former', key, id: 7, evidence: 'recorded' }] }, options);
}

/** `update 7: text drifted`. */
function cellOf({ paths }: Subject, { changes }: Plan): string {
  return changes
    .map((change) => {
      const parts = kindFor(change).parts(change);
      const shown = parts.map(({ path, divergence = 'none' }) => {
        // Every value of a create has the class of the whole.
        return change.action === 'create' ? divergence : `${paths[path] ?? path.slice(1)} ${divergence}`;
      });
      return `${change.action} ${change.id ?? 'new'}: ${[...new Set(shown)].toSorted().join(', ')}`;
    })
    .join('; ');
}

const BASE: DeclaredResource = { name: 'a', text: 'base' };
const DELETED: DeclaredResource = { name: 'a', deleted: true };
const GIT = {
  nothing: BASE,
  edit: { name: 'a', text: 'git' },
  rename: { name: 'b', text: 'base', previous: ['a'] },
  delete: DELETED,
} satisfies Record<string, DeclaredResource>;

const PEOPLE = {
  nothing: [{ id: 7, name: 'a', text: 'base' }],
  'the same edit': [{ id: 7, name: 'a', text: 'git' }],
  'the same rename': [{ id: 7, name: 'b', text: 'base' }],
  'another edit': [{ id: 7, name: 'a', text: 'people' }],
  'another rename': [{ id: 7, name: 'c', text: 'base' }],
  delete: [{ id: 7, name: 'a', text: 'base', deleted: true }],
  'delete and create again': [
    { id: 7, name: 'a', text: 'base', deleted: true },
    { id: 9, name: 'a', text: 'people' },
  ],
  'create one with the new name': [
    { id: 7, name: 'a', text: 'base' },
    { id: 8, name: 'b', text: 'people' },
  ],
} satisfies Record<string, readonly Held[]>;

/** By what git did and what people did. */
const CELLS: readonly (readonly [keyof typeof GIT, keyof typeof PEOPLE, string])[] = [
  ['nothing', 'nothing', ''],
  ['nothing', 'another edit', 'update 7: text drifted'],
  ['nothing', 'another rename', 'update 7: name drifted'],
  ['nothing', 'delete', 'restore 7: deleted drifted'],
  ['nothing', 'delete and create again', 'update 9: text drifted'],
  ['edit', 'nothing', 'update 7: text pending'],
  ['edit', 'the same edit', ''],
  ['edit', 'another edit', 'update 7: text conflict'],
  ['edit', 'another rename', 'update 7: name drifted, text pending'],
  ['edit', 'delete', 'restore 7: deleted conflict, text pending'],
  ['edit', 'delete and create again', 'update 9: text conflict'],
  ['rename', 'nothing', 'update 7: name pending'],
  ['rename', 'the same rename', ''],
  ['rename', 'another edit', 'update 7: name pending, text drifted'],
  ['rename', 'another rename', 'update 7: name conflict'],
  ['rename', 'delete', 'restore 7: deleted conflict, name pending'],
  ['rename', 'delete and create again', 'update 9: name pending, text drifted'],
  ['rename', 'create one with the new name', 'update 8: text conflict'],
  ['delete', 'nothing', 'delete 7: deleted pending'],
  ['delete', 'another edit', 'delete 7: deleted conflict'],
  ['delete', 'another rename', 'delete 7: deleted conflict'],
  ['delete', 'delete', ''],
  ['delete', 'delete and create again', 'delete 9: deleted conflict'],
];

/** Where the base declared nothing, or a deleted one. */
const OTHERS: readonly (readonly [name: string, sides: Case, cell: string])[] = [
  ['create × nothing', { base: undefined, git: BASE, live: [] }, 'create new: pending'],
  ['create × the same create', { base: undefined, git: BASE, live: PEOPLE.nothing }, ''],
  // Nobody knows since when it is live: the manifests begin to manage it.
  ['create × another create', { base: undefined, git: BASE, live: PEOPLE['another edit'] }, 'update 7: text pending'],
  ['restore × nothing', { base: DELETED, git: BASE, live: PEOPLE.delete }, 'restore 7: deleted pending'],
  ['restore × the same restore', { base: DELETED, git: BASE, live: PEOPLE.nothing }, ''],
  ['restore × restore and edit', { base: DELETED, git: BASE, live: PEOPLE['another edit'] }, 'update 7: text pending'],
  ['nothing × restore', { base: DELETED, git: DELETED, live: PEOPLE.nothing }, 'delete 7: deleted drifted'],
  ['nothing × create', { base: DELETED, git: DELETED, live: PEOPLE['another edit'] }, 'delete 7: deleted drifted'],
];

describe.each([FLAG, COHORT])('of a $kind', (subject) => {
  it.each(CELLS)('git: %s × people: %s', (git, people, cell) => {
    expect(cellOf(subject, planOf(subject, { base: BASE, git: GIT[git], live: PEOPLE[people] }))).toBe(cell);
  });

  it.each(OTHERS)('git × people: %s', (_name, sides, cell) => {
    expect(cellOf(subject, planOf(subject, sides))).toBe(cell);
  });

  it('what both sides changed alike is counted', () => {
    const alike = (git: DeclaredResource, live: readonly Held[]): number | undefined =>
      planOf(subject, { base: BASE, git, live }).converged;
    expect(alike(GIT.edit, PEOPLE['the same edit'])).toBe(1);
    expect(alike(GIT.nothing, PEOPLE.nothing)).toBe(0);
    expect(alike(GIT.edit, PEOPLE['another edit'])).toBe(0);
  });

  it.each(CELLS)(
    'git: %s × people: %s: a conflict is refused until it is overridden by name, and drift can be left',
    (git, people) => {
      const sides: Case = { base: BASE, git: GIT[git], live: PEOPLE[people] };
      const plan = planOf(subject, sides);
      const parts = partsOf(plan);
      const inConflict = parts.filter(({ divergence }) => divergence === 'conflict');
      expect(conflictsOf(plan)).toHaveLength(inConflict.length === 0 ? 0 : 1);
      const override = inConflict.map(({ name }) => name);
      expect(conflictsOf(planOf(subject, sides, { exceptions: allowing({ override }) }))).toEqual([]);
      const kept = planOf(subject, sides, { keepDrift: true });
      const left = (kept.left ?? []).flatMap(({ fields }) => fields.map(({ path }) => path));
      const drifted = parts.filter(({ divergence }) => divergence === 'drifted').map(({ path }) => path);
      expect(left).toEqual(expect.arrayContaining(drifted));
      expect(partsOf(kept).filter(({ divergence }) => divergence === 'drifted')).toEqual([]);
    },
  );
});

describe.each([FLAG, COHORT])('a $kind that people renamed to what git declares anew', (subject) => {
  const [own, added]: readonly [DeclaredResource, DeclaredResource] = [
    BASE,
    { name: 'b', text: 'git', alias: 'added' },
  ];
  const live = [{ id: 7, name: 'b', text: 'people' }];
  const [key = ''] = subject.tracedAs(own);
  const traces = [{ kind: 'former', key, id: 7, evidence: 'recorded' } as const];

  it.each([
    ['and still declares', own],
    ['and deletes', DELETED],
  ])('%s under its name is not overwritten without a conflict', (_name, declaredStill) => {
    const plan = planOfSides(subject, { base: [own], git: [declaredStill, added], live, traces });
    expect(cellOf(subject, { ...plan, changes: plan.changes.filter(({ action }) => action === 'update') })).toBe(
      'update 7: text conflict',
    );
  });

  it('is only managed from now on where the base did not declare it', () => {
    const plan = planOfSides(subject, { base: [], git: [added], live, traces: [] });
    expect(cellOf(subject, plan)).toBe('update 7: text pending');
  });
});

function partsOf({ changes }: Plan): { readonly name: string; readonly path: string; readonly divergence?: string }[] {
  return changes.flatMap((change) =>
    kindFor(change)
      .parts(change)
      .map((part) => ({ ...part, name: nameOfChange(change) })),
  );
}

function conflictsOf({ hazards }: Plan): Plan['hazards'] {
  return hazards.filter(({ code }) => code === 'conflict');
}
