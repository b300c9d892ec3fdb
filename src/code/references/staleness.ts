/**
 * How flags stand: what code that reads them gets, as the manifests of all projects say. And whether a flag can go: what several signals say of
 * it, and the next step that breaks nobody. Pure.
 */

import { compareStrings } from '../../base/compare-strings.ts';
import { arrayOrEmpty, isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { Place } from '../../base/place.ts';
import type { Owner } from '../../core/manifest/code-owners.ts';
import type { DeclaredFlag, DesiredFlag, DesiredState } from '../../posthog/desired.ts';
import { findOwnership } from '../../posthog/flag/model/fields.ts';
import { viewFilters } from '../../posthog/flag/model/flag.ts';
import { useFinder, type FlagUse, type KnownCode } from './use.ts';

export interface FlagStanding {
  readonly key: string;
  readonly standing: Standing;
  /** The declaration. */
  readonly place?: Place;
  /** The current key of a renamed flag. */
  readonly to?: string;
}

/**
 * `disabled`, `rolled_out` and `deleted` hold in every project that declares the flag. `rolled_out`: everyone gets the same answer. `renamed`: a former
 * key. `undeclared`: it is live or known otherwise, and no manifest names it.
 */
export type Standing = (typeof STANDINGS)[number];

export const STANDINGS = ['active', 'disabled', 'rolled_out', 'deleted', 'renamed', 'undeclared'] as const;

/** Sorted by key. `others`: keys that need not be declared. */
export function findStandings(desired: readonly DesiredState[], others: readonly string[]): readonly FlagStanding[] {
  const byKey = new Map<string, DesiredFlag[]>();
  for (const flag of desired.flatMap(({ flags }) => flags)) byKey.set(flag.key, [...(byKey.get(flag.key) ?? []), flag]);
  const declared = [...byKey].map(([key, flags]): FlagStanding => {
    const place = flags[0]?.places.place;
    return { key, standing: standingOf(flags), ...(place && { place }) };
  });
  const former = [...byKey.values()]
    .flat()
    .filter((flag) => flag.kind === 'declared')
    .flatMap(({ previousKeys, key: to, places: { place } }) =>
      previousKeys.map((key): FlagStanding => ({ key, standing: 'renamed', to, place })),
    )
    .filter(({ key }) => !byKey.has(key));
  const named = new Set([...declared, ...former].map(({ key }) => key));
  const live = others.filter((key) => !named.has(key));
  const all = [...declared, ...former, ...live.map((key): FlagStanding => ({ key, standing: 'undeclared' }))];
  return [...new Map(all.map((one) => [one.key, one])).values()].toSorted((a, b) => compareStrings(a.key, b.key));
}

function standingOf(flags: readonly DesiredFlag[]): Standing {
  const declared = flags.filter((flag) => flag.kind === 'declared');
  if (declared.length === 0) return 'deleted';
  if (declared.every(({ fields }) => fields['active'] === false)) return 'disabled';
  const isRolledOut = (flag: DeclaredFlag): boolean =>
    !isOfOthers(flag) && flag.fields['active'] !== false && sameAnswer(flag.fields) !== undefined;
  return declared.every(isRolledOut) ? 'rolled_out' : 'active';
}

/** What everyone gets by these fields of a flag: off, on, or a variant. A condition without filters includes everyone, and no variant or only one is left. */
export function sameAnswer({ active, filters }: JsonObject): boolean | string | undefined {
  if (active === false) return false;
  // Most flags have no such condition, and are not looked at further.
  if (isJsonObject(filters) && !arrayOrEmpty(filters['groups']).some(isForEverybody)) return undefined;
  const view = viewFilters(filters);
  if (!isJsonObject(filters) || view.isOpaque) return undefined;
  if (Object.entries(filters).some(([name, value]) => !KNOWN.has(name) && (value ?? null) !== null)) return undefined;
  const all = view.conditions.filter(({ part }) => isForEverybody(part));
  const shares = view.variants.filter(({ part }) => part.rollout_percentage !== 0);
  const isSame = shares.length < 2 && view.conditions.every(({ part }) => (part.variant ?? null) === null);
  return all.length > 0 && isSame ? (shares[0]?.part.key ?? true) : undefined;
}

function isForEverybody(condition: JsonValue): boolean {
  if (!isJsonObject(condition)) return false;
  const { properties, rollout_percentage: share } = condition;
  return arrayOrEmpty(properties).length === 0 && (share ?? 100) === 100;
}

/** Any other member may decide who gets what: groups, holdouts, early access. */
const KNOWN: ReadonlySet<string> = new Set(['groups', 'multivariate', 'payloads']);

export function isOfOthers({ ownership = [], fields }: DeclaredFlag): boolean {
  return ['/active', '/filters'].some((path) => (findOwnership(ownership, path, fields) ?? 'managed') !== 'managed');
}

export type JudgedFlag = FlagStanding & { readonly use: FlagUse };

export function judgeFlags(flags: readonly FlagStanding[], known: KnownCode): readonly JudgedFlag[] {
  const find = useFinder(known);
  return flags.map((flag) => ({ ...flag, use: find(flag.key) }));
}

/** Code reads the flag, and gets nothing, or always the same. */
export function isStillRead({ standing, use }: JudgedFlag): boolean {
  return standing !== 'active' && standing !== 'undeclared' && use.verdict === 'read';
}

/**
 * `code`: no code was found that reads it. `calls`: nothing asked the service for it lately. `answer`: everyone gets the same answer. `age`: nobody has changed it
 * lately. `expiry`: its last day has passed.
 */
export type SignalName = (typeof SIGNALS)[number];

export const SIGNALS = ['code', 'calls', 'answer', 'age', 'expiry'] as const;

/** `for`: the flag can be removed. `unknown`: nothing is known, or what is known does not decide. */
export type Tendency = (typeof TENDENCIES)[number];

export const TENDENCIES = ['for', 'against', 'unknown'] as const;

export type Signals = Readonly<Record<SignalName, Tendency>>;

/** The state in all projects that were asked. `archived` and `off` hold in each that has the flag; `unarchived`: off, with an archive. */
export type FlagState = 'on' | 'off' | 'unarchived' | 'archived' | 'absent';

export const REMOVALS = ['remove_code', 'deploy', 'release', 'disable', 'archive', 'delete'] as const;

/** The steps in the order in which a flag goes; those that change nothing come first. */
export const STEPS: readonly NextStep[] = ['none', 'wait', 'find_out', 'decide', ...REMOVALS];

export type NextStep = 'none' | 'wait' | 'find_out' | 'decide' | (typeof REMOVALS)[number];

interface Rule {
  readonly step: NextStep;
  readonly state?: readonly FlagState[];
  readonly needs: Partial<Signals>;
  /** One of them at least is `for`. */
  readonly also?: readonly SignalName[];
}

/** The first that fits decides. */
const RULES: readonly Rule[] = [
  { step: 'find_out', needs: { code: 'unknown' }, also: ['calls', 'answer', 'expiry'] },
  { step: 'remove_code', needs: { code: 'against', answer: 'for' }, also: ['calls', 'age', 'expiry'] },
  { step: 'decide', needs: { code: 'against' }, also: ['calls', 'expiry'] },
  { step: 'deploy', needs: { code: 'for', calls: 'against' } },
  { step: 'disable', state: ['on'], needs: { code: 'for', calls: 'for' } },
  { step: 'archive', state: ['unarchived'], needs: { code: 'for' }, also: ['calls', 'age'] },
  { step: 'delete', state: ['off', 'archived'], needs: { code: 'for' }, also: ['calls', 'age'] },
  { step: 'wait', needs: { code: 'for' } },
];

/** The steps that take the flag away from people who still have it. */
export const TAKING: ReadonlySet<NextStep> = new Set(['disable', 'archive', 'delete']);

/** `isHeld`: something in the service uses the flag. */
export function nextStep(signals: Signals, state: FlagState, isHeld: boolean): NextStep {
  const rule = RULES.find(
    ({ state: states, needs, also }) =>
      (states === undefined || states.includes(state)) &&
      SIGNALS.every((name) => needs[name] === undefined || needs[name] === signals[name]) &&
      (also === undefined || also.some((name) => signals[name] === 'for')),
  );
  const step = rule?.step ?? 'none';
  return isHeld && TAKING.has(step) ? 'release' : step;
}

/** `possible`, `indirect` and `unknown` prove nothing. */
export function tendencyOfCode({ verdict }: Pick<FlagUse, 'verdict'>): Tendency {
  if (verdict === 'not_found') return 'for';
  return verdict === 'read' ? 'against' : 'unknown';
}

/** Tendencies join to `against` if one is, to `for` if all are. */
export function joinTendencies(all: readonly Tendency[]): Tendency {
  if (all.includes('against')) return 'against';
  return all.length > 0 && all.every((one) => one === 'for') ? 'for' : 'unknown';
}

/** What is known of a flag, and what to do. */
export interface StaleFlag {
  readonly key: string;
  /** The declaration, from the top of the repository; absent: no manifest declares it. */
  readonly place?: Place;
  readonly description?: string;
  readonly step: NextStep;
  readonly signals: Signals;
  readonly state: FlagState;
  readonly use: FlagUse;
  /** What everyone gets: off, on, or a variant. */
  readonly answer?: boolean | string;
  readonly live: readonly LiveEvidence[];
  /** The last change that is known. */
  readonly changed?: { readonly at: string; readonly by: 'git' | 'service' };
  /** The last day. */
  readonly expires?: string;
  readonly owner?: FlagOwner;
  /** What uses it in the service. */
  readonly holders: readonly Holder[];
}

/** What the service of one project says of the flag. */
export interface LiveEvidence {
  readonly project: string;
  readonly id: number;
  readonly active: boolean;
  readonly archived?: boolean;
  /** The service's own word, such as `STALE`; absent on older services. */
  readonly status?: string;
  /** The reason of the status. */
  readonly reason?: string;
  /** Null: never; absent on older services. */
  readonly last_called_at?: string | null;
  readonly created_at?: string;
}

/** `git`: the author of the declaration, who need not own the flag; `service`: who created it. */
export type FlagOwner = Owner | { readonly name: string; readonly by: 'git' | 'service' };

export interface Holder {
  readonly project: string;
  readonly what: (typeof HOLDERS)[number];
  readonly names: readonly string[];
}

export const HOLDERS = ['flags', 'experiments', 'early_access_features', 'surveys', 'session_replay'] as const;
