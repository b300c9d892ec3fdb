/**
 * One process at a time executes a run. The lock of a run is a series of claims, numbered from 1. The process of the last
 * claim holds the lock for as long as it lives. Another process takes the lock over by publishing the next claim, which
 * succeeds for exactly one process. A process withdraws only its own claim, and only while it is the last: the claim of a
 * dead process remains for others to judge, and no number is skipped.
 */

import { FlagwrightError } from '../base/errors.ts';
import type { Claims, ClaimHolder, Release } from './claims.ts';

export interface LockOptions {
  readonly holder: ClaimHolder;
  /** Whether a process of this host is alive: this one, and not a later one with the same id. */
  readonly isAlive: (holder: ClaimHolder) => boolean | 'unseen';
}

/** The number of times that claims are read again when other processes publish or withdraw one in the meantime. */
const ATTEMPTS = 10;

/** @throws {FlagwrightError} `refused` while another process holds the lock, `file` when it cannot be written. */
export async function acquireLock(claims: Claims, options: LockOptions): Promise<Release> {
  for (let attempt = 1; ; attempt += 1) {
    const last = await lastClaim(claims);
    if (last !== undefined && (await isPresent(last, claims, options))) throw refusal(claims.nameOf(last.generation));
    const generation = (last?.generation ?? 0) + 1;
    const release = await claims.publish(generation, options.holder);
    if (release !== undefined) return release;
    if (attempt === ATTEMPTS) throw refusal(claims.nameOf(generation));
  }
}

/** The name of the claim by which a process that may be alive holds the lock. */
export async function heldClaim(claims: Claims, options: LockOptions): Promise<string | undefined> {
  const last = await lastClaim(claims);
  return last !== undefined && (await isPresent(last, claims, options)) ? claims.nameOf(last.generation) : undefined;
}

/** @param name The name of the claim that blocks the run. */
export function refusal(name: string): FlagwrightError {
  return new FlagwrightError('refused', 'Another process is executing this run; nothing was sent.', {
    remedy: `Wait for it to end. If that process no longer exists, remove ${name}.`,
  });
}

interface Claim {
  readonly generation: number;
  readonly holder: ClaimHolder | 'unreadable';
}

/** Reads a claim again that cannot be read, since its process may be withdrawing it. */
async function lastClaim(claims: Claims): Promise<Claim | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const last = await walk(claims);
    if (last?.holder !== 'unreadable' || attempt === ATTEMPTS) return last;
  }
}

async function walk(claims: Claims): Promise<Claim | undefined> {
  let last: Claim | undefined;
  for (let generation = 1; ; generation += 1) {
    const holder = await claims.read(generation);
    if (holder === 'none') return last;
    last = { generation, holder };
  }
}

/** A process that cannot be checked counts as alive: one on another host, and one whose claim cannot be read. */
async function isPresent({ generation, holder }: Claim, claims: Claims, options: LockOptions): Promise<boolean> {
  if (holder === 'unreadable' || holder.host !== options.holder.host) return true;
  const alive = options.isAlive(holder);
  return alive === 'unseen' ? (await claims.ask(generation)) !== 'gone' : alive;
}
