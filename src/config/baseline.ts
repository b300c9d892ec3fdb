/** Reads a file of known drift (`--baseline`): which differences do not count, why, and until when. */

import { sortDiagnostics } from '../base/diagnostic.ts';
import { FlagwrightError } from '../base/errors.ts';
import { validateBaseline } from '../base/generated/baseline-validators.ts';
import { isJsonObject } from '../base/json.ts';
import { keyGlobProblem } from '../base/key-glob.ts';
import { placeAt, type Place, type PlaceTree } from '../base/place.ts';
import { checkShape } from '../base/shape/check.ts';
import { summarizeWith } from '../base/wording.ts';
import { readYaml } from '../base/yaml/read.ts';
import { readConfigText } from './find.ts';
import type { ConfigDiagnostic } from './problems.ts';
import { CONFIG_READING_WORDS } from './reading-words.ts';
import { isDate } from './dates.ts';

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
  const read = await readConfigText(options);
  if ('problem' in read) throw invalid([read.problem]);
  const { documents, diagnostics } = readYaml(options.file, read.text);
  if (diagnostics.length > 0) throw invalid(diagnostics);
  const [document, second] = documents;
  if (second !== undefined) {
    throw invalid([{ code: 'config-several-documents', severity: 'error', place: second.places.place, args: {} }]);
  }
  if (document === undefined) return [];
  const wrong = checkShape(validateBaseline, document.value, document.places);
  if (wrong.length > 0) throw invalid(wrong);
  const written = isJsonObject(document.value) ? document.value['drift'] : null;
  return toKnown((written ?? []) as unknown as readonly WrittenEntry[], document.places, options);
}

interface WrittenEntry extends Omit<KnownDrift, 'isExpired' | 'source'> {
  readonly projects?: readonly string[];
}

function toKnown(
  written: readonly WrittenEntry[],
  places: PlaceTree,
  { project, now }: ReadBaselineOptions,
): readonly KnownDrift[] {
  const problems = written.flatMap((entry, index) => problemsOf(entry, places, `/drift/${index}`));
  if (problems.length > 0) throw invalid(problems);
  const today = new Date(now).toISOString().slice(0, 10);
  return written.flatMap(({ projects, ...entry }, index) =>
    projects?.includes(project) === false
      ? []
      : [{ ...entry, isExpired: entry.expires < today, source: placeAt(places, `/drift/${index}`) }],
  );
}

function problemsOf({ key, expires }: WrittenEntry, places: PlaceTree, at: string): ConfigDiagnostic[] {
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

function invalid(diagnostics: readonly ConfigDiagnostic[]): FlagwrightError {
  const sorted = sortDiagnostics(diagnostics);
  return new FlagwrightError('config_invalid', summarizeWith(CONFIG_READING_WORDS, sorted), { diagnostics: sorted });
}
