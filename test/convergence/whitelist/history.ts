/** A history: a repository, a service behind the watch, what git declares, what people did last, and a log that explains a failure. */

import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { CONFIG, gitStage, type GitStage, REF } from '../../helpers/git-stage.ts';
import { ROLE_IDS } from '../../helpers/world.ts';
import type { DocumentChange } from './document.ts';
import type { Fact } from './live.ts';
import { startWatch, type Watch } from './watch.ts';
import { seeded } from '../../helpers/runs.ts';

const START = Date.parse('2026-10-01T08:00:00Z');
export const HOUR = 3_600_000;
const [SALES = '', OPS = ''] = ROLE_IDS;

export interface Manifest {
  readonly flags: Record<string, JsonObject>;
  readonly early_access: Record<string, JsonObject>;
}

/** A plan that was saved, or a run that was recorded. */
export interface Planned {
  readonly name: string;
  readonly changes: readonly DocumentChange[];
  readonly overrides: readonly string[];
  readonly keeps: boolean;
  /** What was applied last when it was planned. */
  readonly base: Manifest;
  readonly undoes?: string;
}

export interface History {
  readonly here: GitStage;
  readonly watch: Watch;
  readonly isKeeping: boolean;
  /** What is committed last. */
  manifest: Manifest;
  readonly saved: Planned[];
  readonly runs: Map<string, Planned>;
  /** What each run wrote, by its name. */
  readonly written: Map<string, Fact[]>;
  /** By flag and place: what a person gave it, where a person was the last. */
  readonly people: Map<string, Fact>;
  /** By flag and place: what the last run that applies manifests wrote. A person who gives that back edits nothing. */
  readonly recorded: Map<string, Fact['after']>;
  /** The flags that `off` turned off, and how. */
  readonly off: Map<number, 'active' | 'zero'>;
  now: number;
  count: number;
  readonly random: () => number;
  readonly below: (limit: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  readonly log: (what: string) => void;
  readonly told: (law: string) => string;
}

export type Event = (history: History) => Promise<void>;

export async function beginHistory(seed: number): Promise<History> {
  const random = seeded(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const lines: string[] = [];
  const watch = await startWatch();
  const isKeeping = below(2) === 0;
  const manifest = firstManifest(below);
  const config = CONFIG.replace('$HOST', watch.url).replace('"1" }', `"1", roles: { sales: ${SALES}, ops: ${OPS} } }`);
  let now = START;
  const here = await gitStage(isKeeping ? `${config}drift: keep\n` : config, {
    manifest: JSON.stringify(manifest),
    now: () => new Date(now),
  });
  watch.world = here.world;
  return {
    ...{ here, watch, isKeeping, manifest, random, below },
    ...{
      saved: [],
      runs: new Map(),
      written: new Map(),
      people: new Map(),
      recorded: new Map(),
      off: new Map(),
      count: 0,
    },
    get now() {
      return now;
    },
    set now(time) {
      now = time;
    },
    pick: <Item>(items: readonly Item[]) => items[below(items.length)] as Item,
    log: (what) => void lines.push(`${new Date(now).toISOString()} ${what}`),
    told: (law) => `seed ${seed}: ${law}\n${lines.join('\n')}`,
  };
}

/** The manifests of the commit that was applied last. */
export function appliedManifest({ here }: History): Manifest {
  return JSON.parse(here.git('show', `${REF}:flags/main.yaml`)) as Manifest;
}

function firstManifest(below: (limit: number) => number): Manifest {
  return {
    flags: {
      plain: { active: true, description: 'A', rollout_percentage: 10 },
      ramp: { active: true, rollout_percentage: { steps: stepsFrom(below, [10, 30, 60, 100]) } },
      night: { active: { steps: stepsFrom(below, [true, false, true]) }, rollout_percentage: 50 },
      people: { active: true, tags: ['x'], filters: { groups: [condition('pro', 10), { rollout_percentage: 20 }] } },
      split: { active: true, filters: { ...shares(50), payloads: { one: { a: 1 } } } },
      guarded: { active: false, rollout_percentage: 5, access: { roles: { sales: 'editor' }, default: 'viewer' } },
      sharing: { active: true, rollout_percentage: 0 },
    },
    early_access: { sharing: { name: 'Sharing', description: 'x', stage: 'concept' } },
  };
}

function stepsFrom(below: (limit: number) => number, values: readonly JsonValue[]): JsonObject[] {
  let at = START + HOUR;
  return values.map((to) => {
    at += (1 + below(60)) * HOUR;
    return { at: new Date(at).toISOString().replace('.000', ''), to };
  });
}

function condition(plan: string, rollout_percentage: number): JsonObject {
  return { properties: [{ key: 'plan', type: 'person', operator: 'exact', value: [plan] }], rollout_percentage };
}

function shares(first: number): JsonObject {
  const variants = [
    { key: 'one', rollout_percentage: first },
    { key: 'two', rollout_percentage: 100 - first },
  ];
  return { groups: [{ rollout_percentage: 100 }], multivariate: { variants } };
}

/** Of a manifest: one of them is committed at a time. Each changes a flag of git. */
const EDITS: readonly ((history: History, manifest: Manifest) => string)[] = [
  ({ below }, { flags }) => edit(flags, 'plain', (flag) => ({ ...flag, rollout_percentage: below(100) })),
  ({ below }, { flags }) => edit(flags, 'plain', (flag) => ({ ...flag, active: below(2) === 0 })),
  ({ below }, { flags }) => edit(flags, 'plain', (flag) => ({ ...flag, description: `D${below(3)}` })),
  ({ below }, { flags }) => edit(flags, 'guarded', (flag) => ({ ...flag, active: below(2) === 0 })),
  ({ pick }, { flags }) => edit(flags, 'guarded', (flag) => ({ ...flag, access: accessOf(pick) })),
  ({ below, pick }, { flags }) =>
    edit(flags, 'people', (flag) => ({
      ...flag,
      filters: {
        groups: pick([
          [condition('pro', below(50)), { rollout_percentage: 20 }],
          [{ rollout_percentage: below(50) }],
          [condition('pro', 10), condition('max', 30), { rollout_percentage: 20 }],
          [{ rollout_percentage: 20 }, condition('pro', 10)],
        ]),
      },
    })),
  ({ pick }, { flags }) => edit(flags, 'people', (flag) => ({ ...flag, tags: pick([['x'], ['y'], ['x', 'y'], []]) })),
  ({ below }, { flags }) => edit(flags, 'split', (flag) => ({ ...flag, filters: shares(below(100)) })),
  ({ pick }, { early_access: features }) =>
    edit(features, 'sharing', (one) => ({ ...one, stage: pick(['concept', 'beta', 'alpha', 'general-availability']) })),
  ({ below, now }, { flags }) => edit(flags, 'ramp', (flag) => shifted(flag, (1 + below(48)) * HOUR, now)),
  (history, { flags }) => {
    const key = history.pick(Object.keys(flags).filter((name) => /^(plain|people|extra)/.test(name)));
    const flag = flags[key];
    if (flag === undefined || flag['deleted'] === true) return 'nothing';
    const { previous_keys: _, ...rest } = flag;
    history.count += 1;
    const made = `${key.split('-')[0] as string}-${history.count}`;
    flags[made] = { ...rest, previous_keys: [key] };
    delete flags[key];
    return `renames ${key} to ${made}`;
  },
  (history, { flags }) => {
    const key = history.pick(Object.keys(flags));
    if (key === 'sharing') return 'nothing';
    if (flags[key]?.['deleted'] === true) flags[key] = { active: true, rollout_percentage: history.below(20) };
    else flags[key] = { deleted: true };
    return `deletes or restores ${key}`;
  },
  (history, { flags }) => {
    history.count += 1;
    flags[`extra-${history.count}`] = { active: true, rollout_percentage: history.below(20) };
    return `adds extra-${history.count}`;
  },
  (history, { flags }) => {
    const key = history.pick(Object.keys(flags));
    if (key === 'sharing') return 'nothing';
    delete flags[key];
    return `no longer declares ${key}`;
  },
];

function edit(all: Record<string, JsonObject>, name: string, change: (one: JsonObject) => JsonObject): string {
  const key = Object.keys(all).find((found) => found === name || found.startsWith(`${name}-`));
  const former = key === undefined ? undefined : all[key];
  if (key === undefined || former === undefined || former['deleted'] === true) return 'nothing';
  all[key] = change(former);
  return `${key}: ${JSON.stringify(all[key])}`;
}

function accessOf(pick: History['pick']): JsonObject {
  return {
    roles: pick([{ sales: 'editor' }, { ops: 'manager' }, { sales: 'viewer', ops: 'editor' }]),
    default: pick(['viewer', 'editor']),
  };
}

function shifted(flag: JsonObject, by: number, now: number): JsonObject {
  const { steps } = flag['rollout_percentage'] as unknown as { readonly steps?: readonly { readonly at: string }[] };
  if (steps === undefined) return flag;
  const later = (at: string): string => new Date(Date.parse(at) + by).toISOString().replace('.000', '');
  const moved = steps.map((one) => (Date.parse(one.at) <= now ? one : { ...one, at: later(one.at) }));
  return { ...flag, rollout_percentage: { steps: moved as unknown as JsonValue } };
}

export const commit: Event = async (history) => {
  const manifest = structuredClone(history.manifest);
  const said = Array.from({ length: 1 + history.below(3) }, () => history.pick(EDITS)(history, manifest));
  history.manifest = manifest;
  history.here.commit({ 'flags/main.yaml': JSON.stringify(manifest) });
  history.log(`git: ${said.join('; ')}`);
};

/** What a person may do in the service. Who edits is recorded by place. */
export const click: Event = async (history) => {
  const { here, watch, pick, below } = history;
  const { client } = here.world;
  const flag = pick(await client.listFlags());
  const filters = flag.filters as JsonObject;
  const [first, ...others] = (filters['groups'] ?? []) as readonly JsonObject[];
  const set = async (body: JsonObject): Promise<unknown> => client.updateFlag(flag.id, body);
  const ways: readonly (() => Promise<unknown>)[] = [
    () => set({ active: flag.active === false }),
    () => set({ active: false }),
    () => set({ name: `P${below(3)}` }),
    () => set({ tags: pick([['x'], ['theirs'], []]) }),
    () => set({ filters: { ...filters, groups: [{ ...first, rollout_percentage: below(100) }, ...others] } }),
    () =>
      set({
        filters: {
          ...filters,
          groups: [...(first === undefined ? [] : [first, ...others]), { properties: [], rollout_percentage: 1 }],
        },
      }),
    () => set({ filters: { ...filters, groups: [first ?? { properties: [], rollout_percentage: 3 }] } }),
    () => set({ key: `${flag.key}-p` }),
    () => set({ deleted: true }),
    () => client.setAccess(flag.id, { role: pick([SALES, OPS]), level: pick(['viewer', 'editor', null]) }),
    async () => {
      const [feature] = await client.listEarlyAccessFeatures();
      if (feature !== undefined)
        await client.updateEarlyAccessFeature(feature.id, { stage: pick(['concept', 'beta', 'archived']) });
    },
    () =>
      client.createFlag({
        key: `own-${(history.count += 1)}`,
        filters: { groups: [{ properties: [], rollout_percentage: 5 }] },
      }),
  ];
  // The service refuses some of it, as for everybody.
  const refused = await pick(ways)().then(
    () => '',
    (error: unknown) => ` (refused: ${String(error)})`,
  );
  noteClicks(history, await watch.refresh(), `a person, at ${flag.key}${refused}`);
};

function noteClicks(history: History, facts: readonly Fact[], who: string): void {
  for (const fact of facts) {
    history.people.set(placeOf(fact), fact);
    const isOn = fact.path === '/active' || fact.path === '/filters/groups' || fact.path === '/deleted';
    if (isOn && fact.after !== false) history.off.delete(fact.id);
  }
  history.log(`${who}: ${factsText(facts)}`);
}

export const placeOf = ({ id, path }: Fact): string => `${id} ${path}`;

export function factsText(facts: readonly Fact[]): string {
  return facts
    .map(
      ({ id, key, path, before, after }) =>
        `${key}(${id})${path}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`,
    )
    .join('; ');
}
