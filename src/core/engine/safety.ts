/** The safety rules as data: what a run may do, how a plan exceeds it, and the stricter of two configurations. */

import type { Place } from '../../base/place.ts';
import type { Exception, Lifted, Permit } from './exceptions.ts';
import { defined } from '../../base/optional.ts';

export interface SafetyRules {
  readonly limits: SafetyLimits;
  /** Keys or patterns of flags that are never deleted, disabled or renamed. */
  readonly protected: readonly string[];
  /** Those that count in this run; the options first. */
  readonly exceptions: readonly Exception[];
  /** The places of the limits and the patterns; absent: unknown. */
  readonly origins?: SafetyOrigins;
}

/** The places of limits and protected flags in a configuration. */
export interface SafetyOrigins {
  /** Omits default limits. */
  readonly limits: { readonly [Name in keyof SafetyLimits]?: WrittenOrigin };
  /** Keys are patterns. */
  readonly protected: ReadonlyMap<string, WrittenOrigin>;
}

/** The source of the setting that a rule uses. */
export type Origin =
  | WrittenOrigin
  | { readonly from: 'default' }
  /** An option of the run, or an exception. */
  | { readonly from: 'run' };

/** `commit`: that of the base, whose configuration has it at the place; absent if it is that of the checkout. */
export interface WrittenOrigin {
  readonly from: 'configuration';
  readonly place: Place;
  readonly commit?: string;
}

/** The source of the limits and protected flags that apply to a plan of a change, if there is a base. */
export type SafetySource =
  /** The settings of the base, unless the checkout is stricter. `looser`: the members of which it is not, such as `limits.deletes`. */
  | { readonly from: 'base'; readonly commit: string; readonly looser: readonly string[] }
  /** The base has no configuration of the project, or one that cannot be read. */
  | { readonly from: 'checkout'; readonly why: 'no_file' | 'invalid' };

/** The limits of one run; an absent number is no limit. */
export interface SafetyLimits {
  readonly deletes: number;
  readonly deletes_percent: number;
  readonly updates?: number;
  readonly updates_percent: number;
  readonly disables?: number;
  /** Changes of one apply over several projects, which no plan of one of them breaks. */
  readonly all_projects?: number;
}

export const DEFAULT_LIMITS: Required<Omit<SafetyLimits, 'updates' | 'all_projects'>> = {
  deletes: 5,
  deletes_percent: 30,
  updates_percent: 50,
  disables: 5,
};

/** A rule about any resource that a plan breaks, with the permission that it needs. */
export type RuleHazard = NumberHazard | ShareHazard | ShrunkHazard | ProtectedHazard | ReadHazard | ConflictHazard;

/** A hazard that does not refuse the plan, and what lifts it. */
export interface LiftedHazard<Of> {
  readonly hazard: Of;
  readonly by: Lifted;
}

/** When the step of a rollout is due that a hazard is about; absent for the changes of the plan. */
export interface OfStep {
  readonly step?: string;
}

/** Numbers of resources, by the name of their kind; an absent number is 0. */
export type Amounts = Readonly<Record<string, number>>;

export interface NumberHazard {
  readonly code: 'deletes' | 'updates' | 'disables';
  readonly count: number;
  /** The counted kinds; absent in plans of releases without this distinction. */
  readonly kinds?: Amounts;
  readonly limit: number;
  /** The origin of the limit. Absent, here and below, in plans of earlier releases. */
  readonly origin?: Origin;
  readonly permit: Permit;
}

export interface ShareHazard {
  readonly code: 'deletes_percent' | 'updates_percent';
  /** The kind of resources that the share is of; absent in plans of releases that counted all kinds together. */
  readonly resource?: string;
  readonly count: number;
  /** The live ones that the run may touch: the base of the share. */
  readonly of: number;
  readonly limit_percent: number;
  readonly origin?: Origin;
  readonly permit: Permit;
}

/** `--prune` would delete more flags than the manifests keep: files may be missing. */
interface ShrunkHazard {
  readonly code: 'manifests_shrunk';
  /** Flags that no manifest names and that the plan deletes. */
  readonly count: number;
  /** Live flags that a manifest declares. */
  readonly kept: number;
  readonly permit: Permit;
}

export interface ProtectedHazard {
  readonly code: 'protected';
  readonly ref: string;
  readonly key: string;
  readonly action: 'delete' | 'disable' | 'rename';
  /** The origin of the first pattern that matches the key. */
  readonly origin?: Origin;
  readonly permit: Permit;
}

/** Places in code that certainly read a resource. */
export interface CodeReads {
  readonly count: number;
  /** The first of them. */
  readonly places: readonly ReadingPlace[];
}

export interface ReadingPlace {
  /** The place from the top of its repository. */
  readonly place: Place;
  /** Absent: this repository. */
  readonly repository?: string;
}

/** Code reads the resource, and would get nothing. */
export interface ReadHazard extends CodeReads {
  readonly code: 'read_by_code';
  readonly ref: string;
  readonly key: string;
  readonly action: 'delete' | 'rename';
  /** The key that code reads, if it is another one. */
  readonly read?: string;
  readonly permit: Permit;
}

/** Git and the service both moved values away from the base, to different values. */
export interface ConflictHazard {
  readonly code: 'conflict';
  readonly ref: string;
  readonly key: string;
  /** The action of the first change with such a value. */
  readonly action: string;
  /** JSON pointers of the values; empty if the resource itself is gone from the service, or if the plan deletes it. */
  readonly paths: readonly string[];
  /** No manifest declares the resource, and `--prune` would delete it. */
  readonly pruned?: true;
  readonly permit: Permit;
}

/** Harm beyond the resource itself. Each kind of resource has its own codes and facts. */
export interface RiskHazard {
  readonly code: string;
  readonly ref: string;
  readonly key: string;
  /** Absent if the service refuses the change anyway: no permission lifts it. */
  readonly permit?: Permit | undefined;
}

/** The safety settings of a configuration. */
export type SafetySettings = Pick<SafetyRules, 'limits' | 'protected'> & { readonly origins: SafetyOrigins };

interface Stricter extends SafetySettings {
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
