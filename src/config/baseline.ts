/** Reads a file of known drift (`--baseline`): which differences do not count, why, and until when. */

import { validateBaseline } from '../base/generated/baseline-validators.ts';
import { keyGlobProblem } from '../base/key-glob.ts';
import { placeAt, type Place, type PlaceTree } from '../base/place.ts';
import { invalidEntries, isExpiredOn, readEntries, type ReadEntries } from './entries.ts';
import type { ConfigDiagnostic } from './problems.ts';
import { isDate } from '../base/times.ts';

/** One entry for the project of the run. */
export interface KnownDrift {
  readonly key: string;
  readonly path?: string;
  readonly state?: string;
  readonly reason: string;
  readonly expires: string;
  readonly isExpired: boolean;
  readonly source: Place;
}

export interface ReadBaselineOptions {
  /** Absolute. */
  readonly path: string;
  /** The file as diagnostics name it. */
  readonly file: string;
  /** The project of the run; entries for other projects are left out. */
  readonly project: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** @throws {FlagwrightError} `config_invalid` with all diagnostics. */
export async function readBaseline(options: ReadBaselineOptions): Promise<readonly KnownDrift[]> {
  const read = await readEntries<WrittenKnownDrift>(options, { validator: validateBaseline, member: 'drift' });
  return read === undefined ? [] : toKnown(read, options);
}

interface WrittenKnownDrift extends Omit<KnownDrift, 'isExpired' | 'source'> {
  readonly projects?: readonly string[];
}

function toKnown(
  { entries: written, places }: ReadEntries<WrittenKnownDrift>,
  { project, now }: ReadBaselineOptions,
): readonly KnownDrift[] {
  const problems = written.flatMap((entry, index) => problemsOf(entry, places, `/drift/${index}`));
  if (problems.length > 0) throw invalidEntries(problems);
  return written.flatMap(({ projects, ...entry }, index) =>
    projects?.includes(project) === false
      ? []
      : [{ ...entry, isExpired: isExpiredOn(entry.expires, now), source: placeAt(places, `/drift/${index}`) }],
  );
}

function problemsOf({ key, expires }: WrittenKnownDrift, places: PlaceTree, at: string): ConfigDiagnostic[] {
  const problem = keyGlobProblem(key);
  const common = (member: string): Pick<ConfigDiagnostic, 'severity' | 'place'> => ({
    severity: 'error',
    place: placeAt(places, `${at}/${member}`),
  });
  return [
    ...(isDate(expires)
      ? []
      : [{ code: 'permit-date-invalid', args: { date: expires }, ...common('expires') } as ConfigDiagnostic]),
    ...(problem === undefined
      ? []
      : [{ code: 'key-pattern-invalid', args: { pattern: key, problem }, ...common('key') } as ConfigDiagnostic]),
  ];
}
