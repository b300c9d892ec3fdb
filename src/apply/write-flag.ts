/**
 * Writes one flag, and finds out what happened when the answer was lost. A create is never repeated before the key was
 * looked up, an update not before the flag was read again.
 */

import type { JsonObject } from '../base/json.ts';
import { withoutInjected } from '../posthog/flag/canonical.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import { comparableFlag } from '../posthog/flag/comparison.ts';
import { missingEffect } from '../posthog/flag/effect.ts';
import type { CreateFlag, FlagChange } from '../posthog/plan.ts';
import type { ServiceClient } from '../posthog/client/client.ts';
import { findFlag } from '../posthog/client/find-flag.ts';
import type { FlagDirectory } from './flag-directory.ts';
import { resolveBody } from './flag-directory.ts';
import {
  isConflict,
  isKeyTaken,
  isUncertain,
  outcomeOfAttempts,
  outcomeOfEffect,
  outcomeOfError,
} from './outcome-of-error.ts';
import type { ApplyRecorder } from './recorder.ts';
import type { Outcome } from './result.ts';
import { movedFlag } from './staleness.ts';

/** How often a write whose answer was lost, and which was not found afterwards, is tried. */
const ATTEMPTS = 3;

export interface WriteContext {
  readonly client: ServiceClient;
  readonly directory: FlagDirectory;
  readonly recorder: ApplyRecorder;
  /** Told of a flag as the service holds it after a write: an update in two writes goes on from there. */
  readonly written: (id: number, flag: Flag) => void;
}

export async function createFlag(change: CreateFlag, context: WriteContext): Promise<Outcome> {
  const resolved = resolveBody(change.body, context.directory);
  if ('missing' in resolved) return missingDependency(resolved.missing);
  const errors: unknown[] = [];
  for (;;) {
    try {
      await context.recorder.sending(change);
      const { id } = await context.client.createFlag(resolved.body);
      context.directory.add(change.key, id);
      return { outcome: 'applied', id };
    } catch (error) {
      errors.push(error);
      // The key may be taken by an attempt of ours that was carried out late, or by somebody who made the same flag.
      if (!isUncertain(error) && !isKeyTaken(error)) return outcomeOfAttempts(errors);
      const found = await lookUp(() => findByKey(change, context.client));
      if (found === 'unreadable') return outcomeOfError(errors.find(isUncertain) ?? error);
      if (found !== undefined) return outcomeOfFound(found, change, { ...context, errors });
      if (errors.length === ATTEMPTS || isKeyTaken(error)) return outcomeOfAttempts(errors);
    }
  }
}

type LiveChange = Exclude<FlagChange, CreateFlag>;

/** `live` is the flag as it was just read: it goes along as `original_flag`, so that the service can see a conflict. */
export async function updateFlag(change: LiveChange, live: Flag, context: WriteContext): Promise<Outcome> {
  const resolved = resolveBody(change.body, context.directory);
  if ('missing' in resolved) return missingDependency(resolved.missing);
  const errors: unknown[] = [];
  let original = live;
  for (;;) {
    try {
      await context.recorder.sending(change);
      context.written(change.id, await context.client.updateFlag(change.id, { ...resolved.body, ...lock(original) }));
      return { outcome: 'applied', id: change.id };
    } catch (error) {
      errors.push(error);
      if (!isUncertain(error) && !isConflict(error)) return outcomeOfAttempts(errors);
      const now = await lookUp(() => findFlag(context.client, change.id));
      const uncertain = errors.find(isUncertain);
      if (now === 'unreadable') return outcomeOfError(uncertain ?? error);
      if (isAsWanted(change, now, context.directory)) {
        if (now !== undefined) context.written(change.id, now);
        return outcomeOfEffect(change.id, errors);
      }
      const moved = movedFlag(change.base, now, context.directory.keyOf);
      if (now === undefined || moved.length > 0) {
        // What moved may be our own write, and somebody else's over it: nobody can tell them apart any more.
        return uncertain === undefined
          ? { outcome: 'skipped', reason: { code: 'stale', moved } }
          : outcomeOfError(uncertain);
      }
      if (errors.length === ATTEMPTS) return outcomeOfAttempts(errors);
      original = now;
    }
  }
}

/**
 * Version and original together make the service refuse a write over somebody else's; the version alone does not.
 * Flags older than the counter have none, and are protected by the comparison before the write. (docs/service.md, "Lock")
 */
function lock(live: Flag): JsonObject {
  return typeof live.version === 'number' ? { version: live.version, original_flag: withoutInjected(live) } : {};
}

/** A flag with our key that was not there before: what was wanted if it says what was sent, another one otherwise. */
function outcomeOfFound(
  found: Flag,
  change: CreateFlag,
  context: WriteContext & { readonly errors: readonly unknown[] },
): Outcome {
  const live = comparableFlag(found, context.directory.keyOf);
  if (missingEffect(change, live, context.directory.keyOf).length > 0) {
    return outcomeOfError(context.errors.find(isUncertain) ?? context.errors[0]);
  }
  context.directory.add(change.key, found.id);
  return outcomeOfEffect(found.id, context.errors);
}

function isAsWanted(change: LiveChange, now: Flag | undefined, directory: FlagDirectory): boolean {
  if (now === undefined) return change.action === 'delete';
  return missingEffect(change, comparableFlag(now, directory.keyOf), directory.keyOf).length === 0;
}

async function findByKey({ key, body }: CreateFlag, client: ServiceClient): Promise<Flag | undefined> {
  const flags = await client.listFlags({ key, ...(body['archived'] === true ? { archived: true } : {}) });
  return flags.find((flag) => flag.key === key && flag.deleted !== true);
}

async function lookUp(read: () => Promise<Flag | undefined>): Promise<Flag | undefined | 'unreadable'> {
  try {
    return await read();
  } catch {
    return 'unreadable';
  }
}

function missingDependency(key: string): Outcome {
  return {
    outcome: 'failed',
    error: {
      code: 'dependency_missing',
      message: `The flag ${key}, which a condition names, does not exist.`,
      field: 'filters',
    },
  };
}
