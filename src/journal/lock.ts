/**
 * One process at a time carries out a run. The lock of a run is a row of claims, numbered from 1, and the last one
 * decides: its process holds the lock for as long as it lives. To take a lock over is to publish the next claim, which
 * succeeds for exactly one process. A process withdraws no claim but its own, and only the last one, so that a claim
 * that was found dead stays where it is for everybody who is still to judge it, and no number is skipped.
 */

import { FlagwrightError } from '../base/errors.ts';
import type { Claims, Holder, Release } from './claims.ts';

export interface LockOptions {
  /** This process. */
  readonly holder: Holder;
  /** Whether a process of this host lives: the very one, and not another that got its number. */
  readonly isAlive: (holder: Holder) => boolean | 'unseen';
}

/** How often a claim that others publish or withdraw meanwhile is looked at anew. */
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

/** The name of the claim by which a process that may still be there holds the lock. */
export async function heldClaim(claims: Claims, options: LockOptions): Promise<string | undefined> {
  const last = await lastClaim(claims);
  return last !== undefined && (await isPresent(last, claims, options)) ? claims.nameOf(last.generation) : undefined;
}

/** @param name Of the claim that is in the way. */
export function refusal(name: string): FlagwrightError {
  return new FlagwrightError('refused', 'The run is being carried out by another process; nothing was sent.', {
    remedy: `Wait until it has ended. If there is no such process any more, remove ${name}.`,
  });
}

interface Claim {
  readonly generation: number;
  readonly holder: Holder | 'unreadable';
}

/** A claim that cannot be read is looked at again, since it may have been withdrawn at this moment. */
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

/** What cannot be checked counts as alive: processes on other hosts, and whoever made a claim that cannot be read. */
async function isPresent({ generation, holder }: Claim, claims: Claims, options: LockOptions): Promise<boolean> {
  if (holder === 'unreadable' || holder.host !== options.holder.host) return true;
  const alive = options.isAlive(holder);
  return alive === 'unseen' ? (await claims.ask(generation)) !== 'gone' : alive;
}
