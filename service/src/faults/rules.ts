/** Finds the rules that are active for a request. Pure: the history is a value. */

import picomatch from 'picomatch';
import { findOperationName, type RequestLine } from './operations.ts';
import type { FaultMatch, FaultRule } from './script.ts';

/** The number of matching requests and the time of the first request since the rule became active, for each rule. */
export type FaultHistory = readonly RuleHistory[];

interface RuleHistory {
  readonly matched: number;
  readonly since?: number;
}

export interface ArrivedRequest extends RequestLine {
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface ActiveRules {
  /** Sorted as in the script. */
  readonly active: readonly FaultRule[];
  readonly history: FaultHistory;
}

export function newHistory(rules: readonly FaultRule[]): FaultHistory {
  return rules.map(() => ({ matched: 0 }));
}

export function findActive(rules: readonly FaultRule[], history: FaultHistory, request: ArrivedRequest): ActiveRules {
  const active: FaultRule[] = [];
  const next = rules.map((rule, index) => {
    const before = history[index] ?? { matched: 0 };
    if (!fits(rule.match ?? {}, request)) return before;
    const after = { ...before, matched: before.matched + 1 };
    if (after.matched < (rule.from ?? 1)) return after;
    const { since = request.now } = before;
    if (isActive(rule, { ...after, since }, request.now)) active.push(rule);
    return { ...after, since };
  });
  return { active, history: next };
}

function fits({ operation, access, method, path }: FaultMatch, request: RequestLine): boolean {
  const asked = request.method === 'HEAD' ? 'GET' : request.method;
  if (method !== undefined && method !== asked) return false;
  if (access !== undefined && (access === 'read') !== (asked === 'GET')) return false;
  if (operation !== undefined && operation !== findOperationName(request)) return false;
  return path === undefined || picomatch.isMatch(withoutSlash(request.path), withoutSlash(path));
}

function isActive(rule: FaultRule, { matched, since }: Required<RuleHistory>, now: number): boolean {
  if (rule.for_ms !== undefined) return now - since < rule.for_ms;
  return matched - (rule.from ?? 1) < (rule.count ?? 1);
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
