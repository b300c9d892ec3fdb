/**
 * The law of what an apply records: whatever git, people and applies do, everything that git asks for is recorded as applied or
 * reported as left, and what was left is never taken for an edit in the service. A model over the functions that plan.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonEquals, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import type { EarlierBase } from '../../../src/core/engine/base.ts';
import { withEarlier } from '../../../src/posthog/planning/base.ts';
import { buildPlan, type BuildOptions } from '../../../src/posthog/planning/build-plan.ts';
import type { DesiredFlag, DesiredState } from '../../../src/posthog/desired.ts';
import { findMissingKeys } from '../../../src/core/engine/trace.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { findUnrecorded } from '../../../src/posthog/planning/drift-groups.ts';
import type { Change, Plan } from '../../../src/posthog/plan.ts';
import { holds } from '../../helpers/runs.ts';
import { allowing, declared, desiredState, liveFlag, liveState, planOptions, retired } from '../../helpers/states.ts';

const KEYS = ['a', 'b'] as const;
const ANYTHING = { deletes: 99, updates: 99, disables: 99, protected: ['*'], risky: ['*'] };

/** What git declares of a flag. `formerly`: the key that it had before. */
interface Declared {
  readonly fields: JsonObject;
  readonly formerly?: string;
}
type Commit = ReadonlyMap<string, Declared | 'deleted'>;

function stateOf(commit: Commit): DesiredState {
  const flags = [...commit].map(([key, one]): DesiredFlag => {
    if (one === 'deleted') return retired(key);
    return declared(key, one.fields, { previousKeys: one.formerly === undefined ? [] : [one.formerly] });
  });
  return desiredState(...flags);
}

type Step =
  | { readonly do: 'git'; readonly key: string; readonly field: string; readonly value: JsonValue }
  | { readonly do: 'git deletes' | 'git restores' | 'git renames'; readonly key: string }
  | { readonly do: 'people'; readonly key: string; readonly field: string; readonly value: JsonValue }
  | { readonly do: 'people rename' | 'people delete'; readonly key: string }
  | { readonly do: 'apply'; readonly keep: boolean; readonly override: boolean; readonly fails: boolean };

const rollout = (percent: number): JsonValue => ({ groups: [{ properties: [], rollout_percentage: percent }] });
const key = fc.constantFrom(...KEYS);
const often = fc.constantFrom(true, true, true, false);
const edit = fc.oneof(
  fc.constantFrom<JsonValue>('X', 'Y', 'Z').map((value) => ({ field: 'name', value })),
  fc.constantFrom<JsonValue>(rollout(10), rollout(20), rollout(30)).map((value) => ({ field: 'filters', value })),
  fc.constantFrom<JsonValue>(['s'], ['t']).map((value) => ({ field: 'tags', value })),
);
const RARE = [
  'git deletes',
  'git restores',
  'git renames',
  'people rename',
  'people rename',
  'people delete',
] as const satisfies readonly Step['do'][];
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(key, edit).map(([of, one]): Step => ({ do: 'git', key: of, ...one })) },
  { weight: 4, arbitrary: fc.tuple(key, edit).map(([of, one]): Step => ({ do: 'people', key: of, ...one })) },
  {
    weight: 3,
    arbitrary: fc.tuple(key, fc.constantFrom(...RARE)).map(([of, what]) => ({ do: what, key: of }) as Step),
  },
  {
    weight: 5,
    arbitrary: fc
      .record({
        keep: often,
        override: often,
        fails: fc.constantFrom(false, false, false, true),
      })
      .map((options): Step => ({ do: 'apply', ...options })),
  },
);

/** The world of one project: what git had, what is live, and what is recorded. */
class History {
  readonly commits: Commit[] = [];
  live: Flag[] = [];
  record: { readonly commit: number; readonly earlier: readonly EarlierBase[] } | undefined;
  readonly counts = { recorded: 0, left: 0 };
  /** The keys under which applies wrote. */
  readonly written = new Set<string>();
  /** The value of a field at the last complete run that found or made it as declared, by key and field. */
  readonly agreed = new Map<string, JsonValue | undefined>();

  constructor() {
    this.commits.push(new Map(KEYS.map((one) => [one, { fields: { name: 'X', filters: rollout(10), tags: ['s'] } }])));
  }

  get head(): Commit {
    return this.commits.at(-1) as Commit;
  }

  baseState(): BuildOptions['base'] {
    if (this.record === undefined) return { facts: { kind: 'none', reason: { code: 'not_recorded' } } };
    const { commit, earlier } = this.record;
    const states = earlier.map(({ key: of, fields, commit: at }) => ({
      key: of,
      ...(fields === undefined ? {} : { fields }),
      ...(at === undefined ? {} : { desired: stateOf(this.commits[indexOf(at)] as Commit) }),
    }));
    return {
      facts: { kind: 'commit', commit: idOf(commit), from: 'ref', ...(earlier.length === 0 ? {} : { earlier }) },
      desired: withEarlier(stateOf(this.commits[commit] as Commit), states),
    };
  }

  plan(options: Partial<BuildOptions> = {}): Plan {
    const base = this.baseState();
    const desired = stateOf(this.head);
    const held = new Set(this.live.filter(({ deleted }) => deleted !== true).map((flag) => flag.key));
    // The journal knows whom applies wrote under a key.
    const traces = findMissingKeys(desired.flags, held)
      .filter((name) => this.written.has(name))
      .map((name) => ({ kind: 'former', key: name, id: idAt(name.slice(0, 1)), evidence: 'recorded' }) as const);
    return buildPlan(
      desired,
      { ...liveState(this.live), traces: { flags: traces } },
      {
        ...planOptions({ exceptions: allowing(ANYTHING) }),
        ...(base === undefined ? {} : { base }),
        ...options,
      },
    );
  }

  take(one: Step): void {
    if (one.do === 'apply') this.apply(one);
    else if (one.do.startsWith('git')) this.commit(one);
    else this.live = this.live.map((flag) => (flag.id === idAt(one.key) ? edited(flag, one) : flag));
  }

  private commit(one: Exclude<Step, { readonly do: 'apply' }>): void {
    const id = KEYS.indexOf(one.key as 'a');
    const [current] = [...this.head.keys()].filter((name) => name.startsWith(KEYS[id] as string));
    if (current === undefined) return;
    const next = new Map(this.head);
    const now = next.get(current);
    if (one.do === 'git' && now !== 'deleted' && now !== undefined) {
      next.set(current, { ...now, fields: { ...now.fields, [one.field]: one.value } });
    } else if (one.do === 'git deletes') next.set(current, 'deleted');
    else if (one.do === 'git restores' && now === 'deleted') {
      next.set(current, { fields: { name: 'X', filters: rollout(10), tags: ['s'] } });
    } else if (one.do === 'git renames' && now !== 'deleted' && now !== undefined) {
      next.delete(current);
      next.set(`${current}2`, { fields: now.fields, formerly: current });
    }
    this.commits.push(next);
  }

  private apply({ keep, override, fails }: Extract<Step, { readonly do: 'apply' }>): void {
    const keepDrift = keep && this.record !== undefined;
    const first = this.plan({ keepDrift });
    // Somebody decides the conflicts for git, and nothing else.
    const decided = first.hazards.flatMap((hazard) => ('key' in hazard ? hazard.key : []));
    const plan = override ? this.plan({ keepDrift, exceptions: allowing({ ...ANYTHING, override: decided }) }) : first;
    this.check();
    if (plan.hazards.length > 0) return;
    const made = fails ? plan.changes.slice(1) : plan.changes;
    for (const change of made) {
      this.live = applied(this.live, change);
      this.written.add(change.key);
    }
    if (made.length < plan.changes.length) return;
    const reported = findUnrecorded({ left: plan.left ?? [], warnings: plan.warnings });
    this.record = { commit: this.commits.length - 1, earlier: plan.unrecorded ?? [] };
    this.counts.recorded += 1;
    this.counts.left += this.record.earlier.length === 0 ? 0 : 1;
    this.agree();
    this.checkRecorded(reported);
    this.check();
  }

  /** What is live as declared was agreed on, also under the name that people gave the flag since. */
  private agree(): void {
    for (const [name, one] of this.head) {
      const isTraced = (other: Flag): boolean => this.written.has(name) && other.id === idAt(name.slice(0, 1));
      const flag = this.live.find((other) => (other.key === name || isTraced(other)) && other.deleted !== true);
      if (one === 'deleted' || flag === undefined) continue;
      for (const [field, value] of Object.entries(one.fields)) {
        if (jsonEquals(flag[field], value)) this.agreed.set(`${flag.id} ${field}`, value);
      }
    }
  }

  /** Each value that git asks for is that of the base, or was reported. */
  private checkRecorded(reported: ReturnType<typeof findUnrecorded>): void {
    const flags = new Map(this.baseState()?.desired?.flags.map((flag) => [flag.key, flag]));
    for (const [name, one] of this.head) {
      const ofFlag = reported.filter((other) => other.key === name);
      const isReported = (field: string): boolean => ofFlag.some(({ fields }) => fields?.includes(field) !== false);
      const base = flags.get(name);
      if (one === 'deleted') expect(base?.kind === 'retired' || ofFlag.length > 0).toBe(true);
      else {
        for (const [field, value] of Object.entries(one.fields)) {
          const isRecorded = base?.kind === 'declared' && jsonEquals(base.fields[field], value);
          expect([name, field, isRecorded || isReported(field)]).toEqual([name, field, true]);
        }
      }
    }
  }

  /** A drifted value is one that git and the service agreed on. */
  private check(): void {
    if (this.record === undefined) return;
    for (const change of this.plan().changes) {
      if (change.resource !== 'flag' || change.action !== 'update') continue;
      for (const { path, divergence } of change.fields) {
        const field = path.split('/')[1] ?? '';
        if (divergence !== 'drifted' || field === 'key') continue;
        const one = this.head.get(change.key);
        const wanted = one === undefined || one === 'deleted' ? undefined : one.fields[field];
        expect([change.ref, field, this.agreed.get(`${change.id} ${field}`)]).toEqual([change.ref, field, wanted]);
      }
    }
  }
}

const idOf = (index: number): string => index.toString(16).padStart(40, '0');
const indexOf = (id: string): number => Number.parseInt(id, 16);
const idAt = (of: string): number => KEYS.indexOf(of as 'a') + 1;

function edited(flag: Flag, one: Exclude<Step, { readonly do: 'apply' }>): Flag {
  if (one.do === 'people delete') return { ...flag, deleted: true };
  if (one.do === 'people rename') return { ...flag, key: `${flag.key}x` };
  return one.do === 'people' ? { ...flag, [one.field]: one.value } : flag;
}

/** As the service has the flags once the change is made. */
function applied(live: readonly Flag[], change: Change): Flag[] {
  if (change.resource !== 'flag') throw new Error(change.ref);
  const { body } = change;
  if (change.action === 'create') {
    const id = idAt(change.key.slice(0, 1));
    // The service has one flag of a key, and a new one gets a new id; the model has one flag of each.
    return [...live.filter((flag) => flag.id !== id), { ...liveFlag(id, change.key), ...body } as Flag];
  }
  return live.map((flag) => (flag.id === change.id ? ({ ...flag, ...body } as Flag) : flag));
}

function play(steps: readonly Step[]): History {
  const history = new History();
  history.take({ do: 'apply', keep: false, override: false, fails: false });
  for (const one of steps) history.take(one);
  return history;
}

const apply = (keep: boolean): Step => ({ do: 'apply', keep, override: false, fails: false });

describe('a commit that is recorded', () => {
  it('is not the base of a flag whose change was left', () => {
    const history = play([
      { do: 'people rename', key: 'a' },
      { do: 'git', key: 'a', field: 'filters', value: rollout(20) },
      apply(true),
    ]);
    expect(history.record).toEqual({ commit: 1, earlier: [{ key: 'a', fields: ['filters'], commit: idOf(0) }] });
    // The people take the name back: what is left is the change of git alone.
    history.live = history.live.map((flag) => (flag.id === 1 ? { ...flag, key: 'a' } : flag));
    const [change] = history.plan().changes;
    expect(change).toMatchObject({ key: 'a', fields: [{ divergence: 'pending', before: 10, after: 20 }] });
    history.take(apply(true));
    expect(history.record).toEqual({ commit: 1, earlier: [] });
  });

  it('keeps the commit of what several applies leave, each its own', () => {
    const history = play([
      { do: 'people rename', key: 'a' },
      { do: 'git', key: 'a', field: 'filters', value: rollout(20) },
      apply(true),
      { do: 'git', key: 'a', field: 'name', value: 'Y' },
      apply(true),
    ]);
    expect(history.record).toEqual({
      commit: 2,
      earlier: [
        { key: 'a', fields: ['filters'], commit: idOf(0) },
        { key: 'a', fields: ['name'], commit: idOf(1) },
      ],
    });
  });
});

it('everything that git asks for is recorded or reported as left, and no change of git is an edit of the service', () => {
  let recorded = 0;
  let left = 0;
  holds(600, [fc.array(step, { minLength: 4, maxLength: 25 })], (steps) => {
    const { counts } = play(steps);
    recorded += counts.recorded;
    left += counts.left;
  });
  // The histories reach what the law is about.
  expect(left / recorded).toBeGreaterThan(0.02);
});
