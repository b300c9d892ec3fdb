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

/**
 * What the file says of each name. `path`: absolute; `file`: as diagnostics name it.
 * @throws {FlagwrightError} `config_invalid` with all diagnostics, also if there is no such file.
 */
export async function readVerdicts(file: {
  readonly path: string;
  readonly file: string;
}): Promise<(name: string) => Sighting> {
  const read = await readFile<WrittenVerdict>(file, { validator: validateVerdicts, member: 'verdicts' });
  refuseProblems(read, ({ at }) => dateProblems(at.slice(0, 10), '/at'));
  return (name) => {
    const [one, second] = read.entries.filter((entry) => entry.name === name);
    if (one === undefined) return { says: 'unknown', why: 'not_in_file' };
    if (second !== undefined) return { says: 'unknown', why: 'ambiguous' };
    const at = new Date(instantText(one.at) ?? Number.NaN);
    if (Number.isNaN(at.getTime())) return { says: 'unknown', why: 'file_unread' };
    return { says: one.verdict, at: at.toISOString(), ...(one.reason === undefined ? {} : { reason: one.reason }) };
  };
}
