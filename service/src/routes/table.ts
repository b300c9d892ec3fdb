/** Tables of routes: their rows, and the row of a path and a method, per profile. */

import { setMember } from '../../../src/base/json.ts';
import type { Handler } from '../handler/call.ts';
import type { AccessRoutes, Profile, ProfileRules } from '../handler/profile.ts';

/** The operation behind a method of a path. */
export interface Operation {
  /** The `operationId` in the OpenAPI document. */
  readonly id: string;
  readonly handler: Handler;
  /** The only profile with this operation; absent: both. */
  readonly profile?: Profile;
  /** The only routes of access with this operation; absent: both. */
  readonly access?: AccessRoutes;
}

export type Methods = Readonly<Record<string, Operation>>;

/** A path, of which `:name` stands for one segment, and its methods. */
export type Route = readonly [path: string, methods: Methods];

type Row = readonly [methodAndPath: string, operation: Operation];
type MakeRow = (methodAndPath: string, id: string, handler: Handler) => Row;

export const both: MakeRow = (methodAndPath, id, handler) => [methodAndPath, { id, handler }];
export const today: MakeRow = (methodAndPath, id, handler) => [methodAndPath, { id, handler, profile: 'posthog' }];
export const documented: MakeRow = (methodAndPath, id, handler) => [
  methodAndPath,
  { id, handler, profile: 'documented' },
];
export const entries: MakeRow = (methodAndPath, id, handler) => [methodAndPath, { id, handler, access: 'entries' }];
export const levels: MakeRow = (methodAndPath, id, handler) => [methodAndPath, { id, handler, access: 'levels' }];

/** The rows by path, each path where its first row stands. */
export function routes(rows: readonly Row[]): Route[] {
  const found = new Map<string, Record<string, Operation>>();
  for (const [methodAndPath, operation] of rows) {
    const [method = '', path = ''] = methodAndPath.split(' ');
    found.set(path, { ...found.get(path), [method]: operation });
  }
  return [...found];
}

interface FoundRoute {
  readonly methods: Methods;
  readonly params: Readonly<Record<string, string>>;
}

/** The settings that decide which routes a service has. */
type ProfileSelection = Pick<ProfileRules, 'name' | 'access'>;

/** Takes decoded segments; `undefined` if the profile has no such path. The first match counts. */
export type FindRoute = (segments: readonly string[], rules: ProfileSelection) => FoundRoute | undefined;

export function finderOf(table: readonly Route[]): FindRoute {
  const matchers = table.map(([path, methods]) => ({ pattern: path.split('/'), methods }));
  return (segments, rules) => {
    for (const { pattern, methods } of matchers) {
      const params = match(pattern, segments);
      if (params === undefined) continue;
      const own = selectMethods(methods, rules);
      // A path that only the other profile has must not match as an id.
      return Object.keys(own).length === 0 ? undefined : { methods: own, params };
    }
    return undefined;
  };
}

export function selectMethods(methods: Methods, { name, access }: ProfileSelection): Methods {
  const own = Object.entries(methods).filter(
    ([, { profile: only = name, access: form = access }]) => only === name && form === access,
  );
  return Object.fromEntries(own);
}

/** The parameters by name; `undefined` for another path. */
export function match(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] as string;
    if (part.startsWith(':')) setMember(params, part.slice(1), segment);
    else if (part !== segment) return undefined;
  }
  return params;
}
