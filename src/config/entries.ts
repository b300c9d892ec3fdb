/** Reads a separate file that lists entries under one name: permits, waivers, known drift. */

import { sortDiagnostics } from '../base/diagnostic.ts';
import { FlagwrightError } from '../base/errors.ts';
import { isJsonObject, memberOf } from '../base/json.ts';
import type { PlaceTree } from '../base/place.ts';
import { checkShape } from '../base/shape/check.ts';
import { summarizeWith } from '../base/wording.ts';
import { readYaml } from '../base/yaml/read.ts';
import { readConfigText } from './find.ts';
import { type ConfigDiagnostic, CONFIG_READING_WORDS } from './problems.ts';

interface EntriesFile {
  /** Absolute. */
  readonly path: string;
  /** The file as diagnostics name it. */
  readonly file: string;
}

interface EntriesForm {
  readonly validator: Parameters<typeof checkShape>[0];
  /** The member that has the entries. */
  readonly member: string;
  /** Whether a file that does not exist has no entries. */
  readonly isOptional?: true;
}

export interface ReadEntries<Entry> {
  readonly entries: readonly Entry[];
  /** The places in the document. */
  readonly places: PlaceTree;
}

/**
 * The entries as they are written, in the form of the schema; `undefined` for an empty file.
 * @throws {FlagwrightError} `config_invalid` with all diagnostics.
 */
export async function readEntries<Entry>(
  file: EntriesFile,
  { validator, member, isOptional }: EntriesForm,
): Promise<ReadEntries<Entry> | undefined> {
  const read = await readConfigText(file);
  if ('problem' in read) {
    if (isOptional === true && isMissing(read.problem)) return undefined;
    throw invalidEntries([read.problem]);
  }
  return entriesOf<Entry>({ file: file.file, text: read.text }, { validator, member });
}

/**
 * Reads the entries of a text that was read before.
 * @throws {FlagwrightError} `config_invalid` with all diagnostics.
 */
export function entriesOf<Entry>(
  { file, text }: { readonly file: string; readonly text: string },
  { validator, member }: Pick<EntriesForm, 'validator' | 'member'>,
): ReadEntries<Entry> | undefined {
  const { documents, diagnostics } = readYaml(file, text);
  if (diagnostics.length > 0) throw invalidEntries(diagnostics);
  const [document, second] = documents;
  if (second !== undefined) {
    const { place } = second.places;
    throw invalidEntries([{ code: 'config-several-documents', severity: 'error', place, args: {} }]);
  }
  if (document === undefined) return undefined;
  const wrong = checkShape(validator, document.value, document.places);
  if (wrong.length > 0) throw invalidEntries(wrong);
  const written = isJsonObject(document.value) ? memberOf(document.value, member) : null;
  return { entries: (written ?? []) as unknown as readonly Entry[], places: document.places };
}

export function invalidEntries(diagnostics: readonly ConfigDiagnostic[]): FlagwrightError {
  const sorted = sortDiagnostics(diagnostics);
  return new FlagwrightError('config_invalid', summarizeWith(CONFIG_READING_WORDS, sorted), { diagnostics: sorted });
}

/** An entry expires when its last day, in UTC, is over. `now`: milliseconds since 1970. */
export function isExpiredOn(expires: string, now: number): boolean {
  return expires < new Date(now).toISOString().slice(0, 10);
}

function isMissing({ code, args }: ConfigDiagnostic): boolean {
  return code === 'file-unreadable' && 'reason' in args && args.reason === 'ENOENT';
}
