/** Merges two safety configurations: the lower of each limit, and the flags that either protects. */

import { defined } from '../../base/optional.ts';
import type { SafetyLimits, SafetyOrigins, SafetyRules, WrittenOrigin } from './safety.ts';

/** The safety settings of a configuration. */
export type SafetySettings = Pick<SafetyRules, 'limits' | 'protected'> & { readonly origins: SafetyOrigins };

export interface Stricter extends SafetySettings {
  /** The members of the configuration in which the checkout allows more than the base. */
  readonly looser: readonly string[];
}

/**
 * Permissions of the checkout beyond the base do not count, since a change could permit itself; its prohibitions count at once. `commit`:
 * that of the base.
 */
export function stricterOf(base: SafetySettings, checkout: SafetySettings, commit: string): Stricter {
  const former = atCommit(base.origins, commit);
  const protectedFlags = new Map([...checkout.origins.protected, ...former.protected]);
  const isLower = (name: LimitName): boolean => limitOf(checkout, name) < limitOf(base, name);
  const isHigher = (name: LimitName): boolean => limitOf(checkout, name) > limitOf(base, name);
  const isProtected = (pattern: string): boolean => checkout.protected.includes(pattern);
  return {
    limits: { ...base.limits, ...ofLimits((name) => (isLower(name) ? checkout.limits[name] : undefined)) },
    protected: [...new Set([...base.protected, ...checkout.protected])],
    origins: {
      limits: ofLimits((name) => (isLower(name) ? checkout.origins : former).limits[name]),
      protected: protectedFlags,
    },
    looser: [
      ...LIMITS.filter(isHigher).map((name) => `limits.${name}`),
      ...(base.protected.every(isProtected) ? [] : ['protected']),
    ],
  };
}

type LimitName = keyof SafetyLimits;

const LIMITS = ['deletes', 'deletes_percent', 'updates', 'updates_percent', 'disables', 'all_projects'] as const;

/** An absent limit limits nothing. */
function limitOf({ limits }: SafetySettings, name: LimitName): number {
  return limits[name] ?? Infinity;
}

function ofLimits<Value>(valueOf: (name: LimitName) => Value | undefined): { readonly [Name in LimitName]?: Value } {
  const [deletes, deletes_percent, updates, updates_percent, disables, all_projects] = LIMITS.map(valueOf);
  return defined({ deletes, deletes_percent, updates, updates_percent, disables, all_projects });
}

function atCommit({ limits, protected: patterns }: SafetyOrigins, commit: string): SafetyOrigins {
  const former = (origin: WrittenOrigin): WrittenOrigin => ({ ...origin, commit });
  return {
    limits: ofLimits((name) => limits[name] && former(limits[name])),
    protected: new Map([...patterns].map(([pattern, origin]) => [pattern, former(origin)])),
  };
}
