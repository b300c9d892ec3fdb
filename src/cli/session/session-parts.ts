/**
 * The parts that a session and its publisher share: the context, the options, and the guards of one run. Secrets stay inside the process; Ctrl-C,
 * SIGTERM and `--deadline` are two abort signals: one stops new work, one also cuts off requests in flight.
 */

import { setImmediate as turn } from 'node:timers/promises';
import { replaceSpellings, spellingsOf } from '../../base/api-key.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { startTimer, type Timer } from '../../base/timer.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { ManifestSource } from '../../core/manifest/source.ts';
import type { Pace } from '../../posthog/client/pace.ts';
import type { GlobalOptions } from '../line/options.ts';
import type { Context } from './context.ts';

export interface Secrets {
  add(secret: string): void;
  redact(text: string): string;
  /**
   * `message`: the action that failed; `source`: the text before masking.
   * @throws {FlagwrightError} `refused` if the text contains a secret, so that it cannot be written unchanged.
   */
  refuse(text: string, refusal: { readonly message: string; readonly source: string }): void;
}

// A shorter string is not a key of the service, and redacting `x` would garble every document.
const SHORTEST = 8;
const PLACEHOLDER = '[redacted]';

export function createSecrets(): Secrets {
  const known = new Set<string>();
  const redact = (text: string): string => replaceSpellings(text, known, PLACEHOLDER);
  return {
    add: (secret) => {
      if (secret.length >= SHORTEST) for (const spelling of spellingsOf(secret)) known.add(spelling);
    },
    redact,
    refuse: (text, { message, source }) => {
      if (redact(text) === text) return;
      throw new FlagwrightError('refused', message, {
        remedy: `Find the key in descriptions and payloads of ${source}, and replace it.`,
      });
    },
  };
}

export interface SessionParts {
  /** The folder that places in files are relative to: the working directory, later the folder of flagwright.yaml. */
  readonly places: {
    root: string;
    /** Folders of the journal that `--journal` names; by default one folder next to flagwright.yaml is both. */
    journal?: { readonly runs: string; readonly newRuns?: string };
  };
  readonly context: Context;
  readonly options: GlobalOptions;
  readonly interrupts: Interrupts;
  readonly secrets: Secrets;
  /** The pace of each budget of requests that several projects of the run share, by its name. */
  readonly paces: Map<string, Pace>;
  /** In a run over several projects, which see the same configuration and manifests, whoever edits the files meanwhile. */
  readonly configuration?: LoadedConfig;
  readonly manifests?: ManifestSource;
  /** In a run over several projects. */
  readonly onMisses?: OnMisses;
}

/** A target that selects nothing in a project. */
export interface TargetMiss {
  /** As the command line names it: `--target search`. */
  readonly name: string;
  readonly why: string;
  readonly remedy: string;
  /** The manifests declare it for other projects. */
  readonly isElsewhere?: true;
}

/** Called by each check, instead of an error: another project of the run may have what this one lacks. */
export type OnMisses = (misses: readonly TargetMiss[]) => void;

export interface Interrupts {
  /** Aborts at the first signal or at the deadline, with a `FlagwrightError` as the reason. */
  readonly stop: AbortSignal;
  /** Aborts requests in flight: together with `stop`; while draining, at the second signal or after the grace period. */
  readonly cut: AbortSignal;
  /** Serves long computations, which block timers: throws the reason of `stop` once it aborted or the deadline passed. */
  readonly checkpoint: () => void;
  /** Lets waiting events run first, such as a signal; then the same as `checkpoint`. */
  readonly breathe: () => Promise<void>;
  /** Milliseconds until the deadline; absent without one. */
  readonly leftMs?: () => number;
  /** Makes `stop` let changes already begun finish while it holds; otherwise `stop` ends everything. */
  drain(holds: boolean): void;
  dispose(): void;
}

interface InterruptOptions {
  readonly deadlineMs?: number;
  /** Called once, if changes are left to finish. */
  readonly onDrain: (reason: FlagwrightError) => void;
}

/** The time that changes already begun have to finish. Build systems kill a job soon after they signal it. */
const DRAIN_GRACE_MS = 10_000;

export function listenForInterrupts(context: Pick<Context, 'onStopSignal'>, options: InterruptOptions): Interrupts {
  const stop = new AbortController();
  const cut = new AbortController();
  const timers: Timer[] = [];
  let draining = false;

  const halt = (reason: FlagwrightError): void => {
    if (stop.signal.aborted) return cut.abort(stop.signal.reason);
    stop.abort(reason);
    if (!draining) return cut.abort(reason);
    options.onDrain(reason);
    timers.push(startTimer(DRAIN_GRACE_MS, () => cut.abort(reason)));
  };
  const removeListener = context.onStopSignal(() => halt(new FlagwrightError('interrupted', 'Interrupted.')));
  const { deadlineMs } = options;
  // Without a deadline nobody asks for the clock, whose module takes a millisecond to load.
  const ends = deadlineMs === undefined ? undefined : performance.now() + deadlineMs;
  if (deadlineMs !== undefined) timers.push(startTimer(deadlineMs, () => halt(deadlinePassed()), { unref: true }));
  const checkpoint = (): void => {
    if (ends !== undefined && !stop.signal.aborted && performance.now() >= ends) halt(deadlinePassed());
    stop.signal.throwIfAborted();
  };
  return {
    stop: stop.signal,
    cut: cut.signal,
    checkpoint,
    ...(ends !== undefined && { leftMs: () => ends - performance.now() }),
    breathe: async () => {
      await turn();
      checkpoint();
    },
    drain: (holds) => {
      draining = holds;
    },
    dispose: () => {
      removeListener();
      for (const timer of timers) timer.cancel();
    },
  };
}

function deadlinePassed(): FlagwrightError {
  return new FlagwrightError('deadline', 'The deadline passed.', { remedy: 'Allow more time with --deadline.' });
}
