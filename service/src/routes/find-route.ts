/** Finds the route of a path, below a project or not, per profile. */

import type { Methods, Operation } from '../handler/call.ts';
import type { ProfileRules } from '../handler/profile.ts';
import { ACCOUNT_ROUTES } from './account-routes.ts';
import { match } from './match.ts';
import { PROJECT_ROUTES } from './project-routes.ts';

export interface Route {
  readonly methods: Methods;
  readonly params: Readonly<Record<string, string>>;
}

/** The settings that decide which routes a service has. */
type ProfileSelection = Pick<ProfileRules, 'name' | 'access'>;

/** Takes decoded segments; `undefined` if the profile has no such path. */
type FindRoute = (segments: readonly string[], rules: ProfileSelection) => Route | undefined;

/** Paths below `/api/projects/ID`. */
export const findRoute: FindRoute = finderOf(PROJECT_ROUTES);

/** Paths below `/api`. */
export const findAccountRoute: FindRoute = finderOf(ACCOUNT_ROUTES);

function finderOf(routes: typeof PROJECT_ROUTES): FindRoute {
  const matchers = routes.map(([pattern, methods]) => ({ segments: pattern.split('/'), methods }));
  return (segments, rules) => {
    for (const { segments: pattern, methods } of matchers) {
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
  const entries = Object.entries(methods);
  const isOwn = ({ profile: only = name, access: form = access }: Operation): boolean =>
    only === name && form === access;
  return Object.fromEntries(entries.filter(([, operation]) => isOwn(operation)));
}
