/** Whether a flag can go: what several signals say of it, and the next step that breaks nobody. Pure. */

import type { Place } from '../base/place.ts';
import type { FlagUse } from './use.ts';

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

/** The steps in the order in which a flag goes; those that change nothing come first. */
export const STEPS = [
  'none',
  'wait',
  'find_out',
  'decide',
  'remove_code',
  'deploy',
  'release',
  'disable',
  'archive',
  'delete',
] as const;

export type NextStep = (typeof STEPS)[number];

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
  readonly changed?: Changed;
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

/** The last change that is known. */
interface Changed {
  readonly at: string;
  readonly by: 'git' | 'service';
}

export interface FlagOwner {
  readonly name: string;
  /** `code_owners`: of the file that declares the flag. `git`: the author of the line. */
  readonly by: 'tag' | 'code_owners' | 'git' | 'service';
}

export interface Holder {
  readonly project: string;
  readonly what: (typeof HOLDERS)[number];
  readonly names: readonly string[];
}

export const HOLDERS = ['flags', 'experiments', 'early_access_features', 'surveys', 'session_replay'] as const;
