/** What is live, as plain values by place, and which of them a request changed: read from the service itself, with none of the product's comparisons. */

import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { accessOf } from '../../helpers/access.ts';
import type { World } from '../../helpers/world.ts';

/** By place; a value that is absent has no place. */
export type Values = Readonly<Record<string, JsonValue>>;

/** By the id of the flag, also those that are deleted. */
export type Live = ReadonlyMap<number, Values>;

/** One value that changed. */
export interface Fact {
  readonly id: number;
  /** The key of the flag, before the change if it had one. */
  readonly key: string;
  /** The flag did not exist. */
  readonly isNew: boolean;
  readonly path: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** Where each variant stands in the list: no value of its own, but documents name variants by their index. */
export const ORDER = '#variants';

/** `known`: the state before, from which flags that the list does not have any more keep their values. */
export async function readLive(
  { client }: World,
  known: Live,
  withAccess: (id: number) => boolean = () => false,
): Promise<Live> {
  const [flags, features] = await Promise.all([client.listFlags(), client.listEarlyAccessFeatures()]);
  const live = new Map<number, Values>();
  for (const [id, values] of known) live.set(id, { ...values, '/deleted': true });
  for (const flag of flags) {
    const feature = features.find(({ feature_flag: of }) => of?.['id'] === flag.id);
    const access = withAccess(flag.id) ? await readAccess(client, flag.id) : keptAccess(known.get(flag.id));
    live.set(flag.id, {
      '/deleted': false,
      ...fieldValues(flag),
      ...filterValues((flag.filters ?? {}) as JsonObject),
      ...featureValues((feature ?? {}) as JsonObject),
      ...access,
    });
  }
  return live;
}

async function readAccess(client: World['client'], id: number): Promise<Values> {
  const { roles, everyone } = await accessOf(client, id);
  return Object.fromEntries([
    ...roles.map(({ role, level }) => [`/access/${role.id}`, level] as const),
    ...(everyone === null ? [] : [['/access/everyone', everyone] as const]),
  ]);
}

function keptAccess(values: Values = {}): Values {
  return Object.fromEntries(Object.entries(values).filter(([path]) => path.startsWith('/access/')));
}

const FIELDS = ['key', 'name', 'active', 'ensure_experience_continuity'] as const;

function fieldValues(flag: JsonObject): Values {
  const tags = ((flag['tags'] ?? []) as readonly string[]).toSorted();
  return { ...Object.fromEntries(FIELDS.map((name) => [`/${name}`, flag[name] ?? false])), '/tags': tags };
}

function featureValues(feature: JsonObject): Values {
  const told = Object.entries(feature).filter(([name]) => ['name', 'description', 'stage'].includes(name));
  return Object.fromEntries(told.map(([name, value]) => [`/early_access/${name}`, value as JsonValue]));
}

export function filterValues({ groups, multivariate, payloads, ...others }: JsonObject): Values {
  const variants = ((multivariate as JsonObject | null)?.['variants'] ?? []) as readonly JsonObject[];
  const rest = Object.entries(others).filter(([, value]) => value !== null && value !== false);
  return {
    ...(groups === undefined ? {} : { '/filters/groups': (groups as readonly JsonObject[]).map(conditionValue) }),
    ...(variants.length === 0 ? {} : { [ORDER]: variants.map(({ key }) => key as string) }),
    ...Object.fromEntries(
      variants.map(({ key, rollout_percentage }) => [`/variants/${key as string}`, rollout_percentage as number]),
    ),
    ...Object.fromEntries(
      Object.entries((payloads ?? {}) as JsonObject).map(([key, value]) => [`/payloads/${key}`, payload(value)]),
    ),
    ...Object.fromEntries(rest.map(([name, value]) => [`/filters/${name}`, value as JsonValue])),
  };
}

export function payload(value: JsonValue | undefined): JsonValue {
  return typeof value === 'string' ? (JSON.parse(value) as JsonValue) : (value ?? null);
}

/** One form of all conditions that mean the same. */
export function conditionValue({ properties, rollout_percentage, variant, description }: JsonObject): JsonObject {
  return {
    properties: ((properties ?? []) as readonly JsonObject[]).map(({ key, value, operator, type }) => ({
      ...{ key: key as string, type: type as string, operator: (operator ?? 'exact') as string },
      value: Array.isArray(value) ? (value as string[]).toSorted() : (value ?? null),
    })),
    rollout_percentage: rollout_percentage ?? 100,
    variant: variant ?? null,
    description: description ?? null,
  };
}

export function factsBetween(before: Live, after: Live): readonly Fact[] {
  return [...after].flatMap(([id, is]) => {
    const was = before.get(id);
    // What a deleted flag has is not read.
    const paths =
      is['/deleted'] === true ? ['/deleted'] : [...new Set([...Object.keys(was ?? {}), ...Object.keys(is)])];
    const key = (was ?? is)['/key'] as string;
    const facts = paths.map((path): Fact => {
      return { id, key, isNew: was === undefined, path, before: was?.[path], after: is[path] };
    });
    return facts.filter((fact) => fact.path !== ORDER && !isDeepStrictEqual(fact.before, fact.after));
  });
}
