/**
 * Random histories of git, people and applies, for flags and cohorts: no edit that people made of what is declared is overwritten
 * or deleted unless the plan shows it as drift or as a conflict, and after an apply nothing is left to do.
 */

import { allowing } from '../helpers/states.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Divergence } from '../../src/core/engine/base.ts';
import type { Trace } from '../../src/core/engine/trace.ts';
import { kindFor } from '../../src/posthog/kinds.ts';
import type { Change, Plan } from '../../src/posthog/plan.ts';
import { desiredOf } from '../helpers/cohorts.ts';
import { holds } from '../helpers/runs.ts';
import { COHORT, FLAG, planOfSides, type Held, type DeclaredResource, type Subject } from '../helpers/subjects.ts';

const NAMES = ['a', 'b', 'c', 'd'] as const;
const ALIASES = ['x', 'y', 'z'] as const;

type Step =
  | {
      readonly by: 'git';
      readonly does: 'edit' | 'rename' | 'delete' | 'declare' | 'alias';
      readonly at: number;
      readonly to: number;
      readonly keeps: boolean;
    }
  | {
      readonly by: 'people';
      readonly does: 'edit' | 'agree' | 'rename' | 'delete' | 'create';
      readonly at: number;
      readonly to: number;
    }
  | {
      readonly by: 'run';
      readonly does: 'refuse' | 'override' | 'keep';
      readonly knows: 'recorded' | 'logged' | 'nothing';
    };

const small = fc.nat({ max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    by: fc.constant('git' as const),
    does: fc.constantFrom('edit', 'rename', 'delete', 'declare', 'declare', 'alias'),
    at: small,
    to: small,
    keeps: fc.boolean(),
  }),
  fc.record({
    by: fc.constant('people' as const),
    does: fc.constantFrom('edit', 'agree', 'rename', 'delete', 'create'),
    at: small,
    to: small,
  }),
  fc.record({
    by: fc.constant('run' as const),
    does: fc.constantFrom('refuse', 'override', 'override', 'keep'),
    knows: fc.constantFrom('recorded', 'recorded', 'logged', 'nothing'),
  }),
);

interface Live extends Held {
  /** What people set since the last recorded apply. */
  readonly edited: ReadonlySet<string>;
}

/** What is true, whatever a plan can see of it. */
interface World {
  git: readonly DeclaredResource[];
  base: readonly DeclaredResource[];
  live: readonly Live[];
  /** What the last recorded apply made of each live resource that it declared, by id. */
  managed: ReadonlyMap<number, DeclaredResource>;
  /** By the key of a trace, the id under which a run wrote it. */
  readonly recorded: Map<string, number>;
  count: number;
}

it.each([FLAG, COHORT])('of a $kind', (subject) => {
  holds(200, [fc.array(step, { minLength: 4, maxLength: 16 })], (steps) => {
    const world: World = { git: [], base: [], live: [], managed: new Map(), recorded: new Map(), count: 0 };
    for (const one of steps) {
      if (one.by === 'git') commit(subject, world, one);
      if (one.by === 'people') edit(world, one);
      if (one.by === 'run') run(subject, world, one);
    }
  });
});

/** A commit that does not validate is not made. */
function commit(subject: Subject, world: World, { does, at, to, keeps }: Extract<Step, { by: 'git' }>): void {
  const alias = ALIASES[at % ALIASES.length] ?? 'x';
  const name = NAMES[to] ?? 'a';
  const own = world.git.find((said) => said.alias === alias);
  const text = `git ${(world.count += 1)}`;
  const others = world.git.filter((said) => said !== own);
  const next = ((): readonly DeclaredResource[] => {
    if (does === 'declare') return [...others, { alias, name: own?.name ?? name, text }];
    if (own === undefined) return world.git;
    if (does === 'delete') return [...others, { alias, name: own.name, deleted: true }];
    if (own.deleted === true) return world.git;
    if (does === 'edit') return [...others, { ...own, text }];
    if (does === 'rename') return [...others, { ...own, name, ...(keeps ? { previous: [own.name] } : {}) }];
    const other = ALIASES[to % ALIASES.length] ?? 'x';
    return others.some((said) => said.alias === other) ? world.git : [...others, { ...own, alias: other }];
  })();
  if (new Set(next.map((said) => said.name)).size < next.length) return;
  if (next.some(({ previous = [] }) => previous.some((one) => next.some((said) => said.name === one)))) return;
  desiredOf(subject.manifest(next));
  world.git = next;
}

/** The service refuses a key that is taken; a name that two have is another matter. */
function edit(world: World, { does, at, to }: Extract<Step, { by: 'people' }>): void {
  const inUse = world.live.filter((one) => one.deleted !== true);
  const name = NAMES[to] ?? 'a';
  const isFree = inUse.every((one) => one.name !== name);
  const text = `people ${(world.count += 1)}`;
  if (does === 'create') {
    const made = { id: world.count, name, text, edited: new Set(['name', 'text']) };
    if (isFree) world.live = [...world.live, made];
    return;
  }
  const own = inUse[at % Math.max(1, inUse.length)];
  if (own === undefined) return;
  const agreed = world.git.find((said) => said.name === own.name)?.text ?? text;
  const [member, value] = (
    {
      edit: ['text', text],
      agree: ['text', agreed],
      rename: ['name', isFree ? name : own.name],
      delete: ['deleted', true],
    } as const
  )[does];
  const changed: Live = { ...own, [member]: value, edited: new Set([...own.edited, member]) };
  world.live = world.live.map((one) => (one === own ? changed : one));
}

function run(subject: Subject, world: World, { does, knows }: Extract<Step, { by: 'run' }>): void {
  const plan = planOf(subject, world, { does, knows });
  expectReported(subject, world, { plan, knows });
  const isRefused = plan.hazards.some(({ permit }) => permit?.kind === 'override');
  if (isRefused) return;
  for (const change of plan.changes) apply(subject, world, change);
  if (plan.left !== undefined) return;
  record(world);
  const { changes } = planOf(subject, world, { does, knows });
  expect(changes.map(({ ref, action }) => [ref, action])).toEqual([]);
}

function planOf(
  subject: Subject,
  { git, base, live, recorded }: World,
  { does, knows }: Pick<Extract<Step, { by: 'run' }>, 'does' | 'knows'>,
): Plan {
  const inUse = live.filter(({ deleted }) => deleted !== true);
  const names = new Set(inUse.map(({ name }) => name));
  const missing = git.filter(({ name, previous = [] }) => ![name, ...previous].some((one) => names.has(one)));
  const keys = knows === 'nothing' ? [] : missing.flatMap((said) => subject.tracedAs(said));
  const traces = [...new Set(keys)].flatMap((key): Trace[] => {
    const id = recorded.get(key);
    return id === undefined || knows === 'nothing' ? [] : [{ kind: 'former', key, id, evidence: knows }];
  });
  const traced = new Set(traces.flatMap((trace) => (trace.kind === 'former' ? trace.id : [])));
  const read = live.filter(({ id, deleted }) => deleted !== true || traced.has(id));
  const allow = { protected: [], override: does === 'override' ? ['*', 'cohort:*'] : [] };
  return planOfSides(
    subject,
    { base, git, live: read, traces },
    { keepDrift: does === 'keep', exceptions: allowing(allow) },
  );
}

/** Whatever people set of a declared resource is overwritten as drift or in a conflict only. */
function expectReported(subject: Subject, { git, live, managed }: World, { plan, knows }: Seen): void {
  for (const change of plan.changes) {
    const own = live.find(({ id }) => id === change.id);
    const declared = own && managed.get(own.id);
    if (own === undefined || declared === undefined) continue;
    // Nothing tells what was renamed where no run recorded it and the log cannot be read, nor where the manifests released it.
    const isContinued = git.some((said) => namesOf(subject, said).includes(keyOf(subject, declared)));
    if (own.name !== declared.name && (knows === 'nothing' || !isContinued)) continue;
    const isEdit = (member: string): boolean =>
      own.edited.has(member) &&
      (member === 'deleted' ? own.deleted === true : own[member as 'name'] !== declared[member as 'name']);
    const shown = (divergence: Divergence | undefined): boolean =>
      divergence === 'drifted' || divergence === 'conflict';
    for (const { path, divergence } of kindFor(change).parts(change)) {
      const member = subject.paths[path] ?? path.slice(1);
      const isOverwritten = change.action === 'delete' ? isEdit('name') || isEdit('text') : isEdit(member);
      if (isOverwritten) expect(shown(divergence), `${change.ref} ${path} ${divergence ?? ''}`).toBe(true);
    }
  }
}

interface Seen {
  readonly plan: Plan;
  readonly knows: Extract<Step, { by: 'run' }>['knows'];
}

function keyOf({ kind }: Subject, { name, alias = '' }: DeclaredResource): string {
  return kind === 'flag' ? name : alias;
}

function namesOf(subject: Subject, declared: DeclaredResource): readonly string[] {
  return subject.kind === 'flag' ? [declared.name, ...(declared.previous ?? [])] : [keyOf(subject, declared)];
}

function apply(subject: Subject, world: World, change: Change): void {
  const parts = kindFor(change).parts(change);
  const set = Object.fromEntries(
    parts.flatMap(({ path, after }) => [[subject.paths[path] ?? path.slice(1), after]] as const),
  ) as Partial<Held>;
  const id = Number(change.id ?? (world.count += 1));
  world.recorded.set(change.key, id);
  if (change.action === 'create') {
    const name = subject.kind === 'flag' ? change.key : (set.name ?? '');
    // A flag with the key of a deleted one destroys it.
    const others = world.live.filter((one) => subject.kind === 'cohort' || one.name !== name || one.deleted !== true);
    world.live = [...others, { id, name, text: set.text ?? '', edited: new Set() }];
    return;
  }
  world.live = world.live.map((one) => {
    const edited = new Set([...one.edited].filter((member) => !Object.hasOwn(set, member)));
    return one.id === id ? { ...one, ...set, edited } : one;
  });
}

function record(world: World): void {
  const declared = world.git.filter((said) => said.deleted !== true);
  const found = declared.flatMap((said) => {
    const own = world.live.find((one) => one.name === said.name && one.deleted !== true);
    return own === undefined ? [] : [[own.id, said] as const];
  });
  expect(found).toHaveLength(declared.length);
  world.managed = new Map(found);
  world.base = world.git;
  world.live = world.live.map((one) => (world.managed.has(one.id) ? { ...one, edited: new Set() } : one));
}
