/** Reads the file of verdicts, which any step of CI may have written. */

import { validateVerdicts } from '../base/generated/verdict-validators.ts';
import { instantText } from '../base/times.ts';
import type { Sighting } from '../core/rollout/guard.ts';
import { dateProblems } from './checks.ts';
import { readFile, refuseProblems } from './entries.ts';

interface WrittenVerdict {
  readonly name: string;
  readonly verdict: 'pass' | 'hold';
  readonly at: string;
  readonly reason?: string;
}

export interface TimedVerdict extends Omit<WrittenVerdict, 'at'> {
  /** Milliseconds since 1970. */
  readonly at: number;
}

interface VerdictsFile {
  /** Absolute. */
  readonly path: string;
  /** As diagnostics name it. */
  readonly file: string;
}

/**
 * What the file says of each name.
 * @throws {FlagwrightError} `config_invalid` with all diagnostics, also if there is no such file.
 */
export async function readVerdicts(file: VerdictsFile): Promise<(name: string) => Sighting> {
  const entries = await readTimeline(file);
  return (name) => {
    const [one, second] = entries.filter((entry) => entry.name === name);
    if (one === undefined) return { says: 'unknown', why: 'not_in_file' };
    if (second !== undefined) return { says: 'unknown', why: 'ambiguous' };
    if (Number.isNaN(one.at)) return { says: 'unknown', why: 'file_unread' };
    const { verdict: says, at, reason } = one;
    return { says, at: new Date(at).toISOString(), ...(reason === undefined ? {} : { reason }) };
  };
}

/**
 * All verdicts in order of time: a rehearsal takes the newest of a name at each moment.
 * @throws {FlagwrightError} as `readVerdicts`
 */
export async function readTimeline(file: VerdictsFile): Promise<readonly TimedVerdict[]> {
  const read = await readFile<WrittenVerdict>(file, {
    ...{ validator: validateVerdicts, member: 'verdicts' },
    // A program that failed in a pipe leaves it.
    isNeverEmpty: true,
  });
  refuseProblems(read, ({ at }) => dateProblems(at.slice(0, 10), '/at'));
  return read.entries
    .map((entry) => ({ ...entry, at: Date.parse(instantText(entry.at) ?? '') }))
    .toSorted((one, other) => one.at - other.at);
}
