/** The paths that the service has, each with its methods. */

import { flagActivity, projectActivity } from './activity/read.ts';
import type { Answer, Handler } from './call.ts';
import { createFlag } from './flags/create.ts';
import { evaluationReasons, localEvaluation, myFlags, userBlastRadius } from './flags/evaluation.ts';
import { getFlag, listFlags } from './flags/read.ts';
import { updateFlag } from './flags/update.ts';
import { getRoleAccess, listRoleAccess } from './role-access/read.ts';
import { grantRoleAccess, revokeRoleAccess } from './role-access/write.ts';

export interface Route {
  readonly methods: Readonly<Record<string, Handler>>;
  readonly params: Readonly<Record<string, string>>;
}

/** Paths below a project; `:name` stands for one segment. The first that fits counts. */
const ROUTES: readonly (readonly [path: string, methods: Readonly<Record<string, Handler>>])[] = [
  ['feature_flags', { GET: listFlags, POST: createFlag }],
  ['feature_flags/activity', { GET: projectActivity }],
  ['feature_flags/evaluation_reasons', { GET: evaluationReasons }],
  ['feature_flags/local_evaluation', { GET: localEvaluation }],
  ['feature_flags/my_flags', { GET: myFlags }],
  ['feature_flags/user_blast_radius', { POST: userBlastRadius }],
  ['feature_flags/:id', { GET: getFlag, PATCH: updateFlag, DELETE: refuseDelete }],
  ['feature_flags/:id/activity', { GET: flagActivity }],
  ['feature_flags/:flagId/role_access', { GET: listRoleAccess, POST: grantRoleAccess }],
  ['feature_flags/:flagId/role_access/:id', { GET: getRoleAccess, DELETE: revokeRoleAccess }],
];

const MATCHERS = ROUTES.map(([path, methods]) => ({ segments: path.split('/'), methods }));

/** The route of a path below a project, given as decoded segments; `undefined` where there is none. */
export function findRoute(segments: readonly string[]): Route | undefined {
  for (const { segments: pattern, methods } of MATCHERS) {
    const params = match(pattern, segments);
    if (params !== undefined) return { methods, params };
  }
  return undefined;
}

function match(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = segment;
    else if (part !== segment) return undefined;
  }
  return params;
}

/** A flag is never deleted hard; the answer has no body and does not depend on whether the flag exists. */
function refuseDelete(): Answer {
  return { status: 405 };
}
