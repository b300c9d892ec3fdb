/** Separate files that list entries with a reason and a last day: permits, waivers of policies, and known drift. */

import { sortDiagnostics } from '../base/diagnostic.ts';
import { FlagwrightError } from '../base/errors.ts';
import { validateBaseline } from '../base/generated/baseline-validators.ts';
import { validatePermits } from '../base/generated/permit-validators.ts';
import { validateWaivers } from '../base/generated/waiver-validators.ts';
import { stringifyJson } from '../base/json-text.ts';
import { isJsonObject, memberOf } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { placeAt, type Place, type PlaceTree } from '../base/place.ts';
import { checkShape, type Validator } from '../base/shape/check.ts';
import { nearest } from '../base/text.ts';
import { summarizeWith } from '../base/wording.ts';
import { readYaml } from '../base/yaml/read.ts';
import type { GivenPermit, Permit } from '../core/engine/safety.ts';
import type { Waiver } from '../review/policy/exemptions.ts';
import {
  dateProblems,
  globProblems,
  placeProblems,
  problemsOfEach,
  projectProblems,
  type MemberProblem,
} from './checks.ts';
import { readConfigText } from './find.ts';
import { CONFIG_READING_WORDS, type ConfigDiagnostic } from './problems.ts';

interface EntriesFile {
  /** Absolute. */
  readonly path: string;
  /** The file as diagnostics name it. */
  readonly file: string;
  /** The project of the run; entries for other projects are left out. */
  readonly project: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** One entry of known drift for the project of the run. */
export interface KnownDrift {
  readonly key: string;
  readonly path?: string;
  readonly state?: string;
  readonly reason: string;
  readonly expires: string;
  readonly isExpired: boolean;
  readonly source: Place;
}

type WrittenKnownDrift = Omit<KnownDrift, 'isExpired' | 'source'> & WrittenEntry;

/**
 * Which differences do not count, why, and until when (`--baseline`).
 * @throws {FlagwrightError} `config_invalid` with all diagnostics.
 */
export async function readBaseline(file: EntriesFile): Promise<readonly KnownDrift[]> {
  const written = await readFile<WrittenKnownDrift>(file, { validator: validateBaseline, member: 'drift' });
  const entries = listed(written, file, ({ key }) => globProblems(key, '/key'));
  return entries.map(({ entry: { projects: _own, ...entry }, isExpired, source }) => ({ ...entry, isExpired, source }));
}

interface WrittenPermit extends WrittenEntry {
  readonly deletes?: number;
  readonly updates?: number;
  readonly disables?: number;
  readonly protected?: string;
  readonly risky?: string;
  readonly override?: string;
}

/**
 * What plans may do despite a safety rule.
 * @throws {FlagwrightError} `config_invalid` with all diagnostics.
 */
export async function readPermits(
  file: EntriesFile & { readonly allProjects: readonly string[] },
): Promise<readonly GivenPermit[]> {
  const written = await readFile<WrittenPermit>(file, { validator: validatePermits, member: 'permits' });
  const entries = listed(written, file, (permit) => {
    const found = permitsIn(permit);
    return [
      ...(found.length === 1
        ? []
        : [{ code: 'permit-kind', args: { found: found.map(({ kind }) => kind) }, member: '' } as const]),
      ...problemsOfEach(permit.projects ?? [], '/projects', (name, member) =>
        projectProblems(name, file.allProjects, member),
      ),
      ...found.flatMap(({ kind, value }) => (typeof value === 'string' ? globProblems(value, `/${kind}`) : [])),
    ];
  });
  return entries.flatMap(({ entry, isExpired, source }) => {
    const { reason, expires } = entry;
    return permitsIn(entry).map((permit) => ({ permit, reason, expires, isExpired, source }));
  });
}

function permitsIn(written: WrittenPermit): readonly Permit[] {
  const kinds = ['deletes', 'updates', 'disables', 'protected', 'risky', 'override'] as const;
  return kinds.flatMap((kind) => (written[kind] === undefined ? [] : [{ kind, value: written[kind] } as Permit]));
}

interface WrittenWaiver extends WrittenEntry {
  readonly rule: string;
  readonly key: string;
  readonly granted_by: string;
}

interface WaiversFile extends EntriesFile {
  readonly allProjects: readonly string[];
  /** The names of the rules. */
  readonly rules: readonly string[];
  /** The text of the file at the base; absent if it has none. */
  readonly base?: string;
}

const WAIVERS = { validator: validateWaivers, member: 'waivers' } as const;

/**
 * For which flags a policy does not hold, and who grants it; none without the file.
 * @throws {FlagwrightError} `config_invalid` with all diagnostics.
 */
export async function readWaivers(file: WaiversFile): Promise<readonly Waiver[]> {
  const { allProjects, rules } = file;
  const written = await readFile<WrittenWaiver>(file, { ...WAIVERS, isOptional: true });
  const entries = listed(written, file, ({ rule, key, projects = [] }) => {
    const args = { rule, ...defined({ suggestion: nearest(rule, rules) }) };
    return [
      ...(rules.includes(rule) ? [] : [{ code: 'policy-unknown', args, member: '/rule' } as const]),
      ...globProblems(key, '/key'),
      ...problemsOfEach(projects, '/projects', (name, member) => projectProblems(name, allProjects, member)),
    ];
  });
  const former = new Set(formerWaivers(file).map(identityOf));
  return entries.map(({ entry, isExpired, source }) => {
    const { rule, key, reason, expires, granted_by: grantedBy } = entry;
    return { rule, key, reason, expires, isExpired, grantedBy, isInBase: former.has(identityOf(entry)), source };
  });
}

/** An invalid file in the base counts as empty: then each waiver needs who grants it. */
function formerWaivers({ file, base }: WaiversFile): readonly WrittenWaiver[] {
  if (base === undefined) return [];
  try {
    return parseEntries<WrittenWaiver>(file, base, WAIVERS).entries;
  } catch (error) {
    if (error instanceof FlagwrightError) return [];
    throw error;
  }
}

/** A waiver with another reason, day or flag is another one. */
function identityOf({ rule, key, reason, expires, granted_by: grantedBy, projects }: WrittenWaiver): string {
  return stringifyJson([rule, key, reason, expires, grantedBy, projects?.toSorted() ?? null]);
}

/** What entries of every kind have. */
interface WrittenEntry {
  readonly reason: string;
  /** The last day, in UTC, on which it counts. */
  readonly expires: string;
  readonly projects?: readonly string[];
}

interface EntriesForm {
  readonly validator: Validator;
  /** The member that has the entries. */
  readonly member: string;
  /** Whether a file that does not exist has no entries. */
  readonly isOptional?: true;
}

interface ReadEntries<Entry> {
  readonly entries: readonly Entry[];
  readonly places: PlaceTree;
  readonly member: string;
}

async function readFile<Entry>(file: EntriesFile, form: EntriesForm): Promise<ReadEntries<Entry>> {
  const read = await readConfigText(file);
  if ('text' in read) return parseEntries<Entry>(file.file, read.text, form);
  const { code, args } = read.problem;
  const isMissing = code === 'file-unreadable' && 'reason' in args && args.reason === 'ENOENT';
  if (form.isOptional !== true || !isMissing) throw invalid([read.problem]);
  return { entries: [], places: { place: { file: file.file, line: 1, column: 1 } }, member: form.member };
}

/** The entries as they are written, in the form of the schema; none in an empty file. */
function parseEntries<Entry>(file: string, text: string, { validator, member }: EntriesForm): ReadEntries<Entry> {
  const { documents, diagnostics } = readYaml(file, text);
  if (diagnostics.length > 0) throw invalid(diagnostics);
  const [document, second] = documents;
  if (second !== undefined) {
    const { place } = second.places;
    throw invalid([{ code: 'config-several-documents', severity: 'error', place, args: {} }]);
  }
  const { value, places } = document ?? { value: null, places: { place: { file, line: 1, column: 1 } } };
  const wrong = document === undefined ? [] : checkShape(validator, value, places);
  if (wrong.length > 0) throw invalid(wrong);
  const written = isJsonObject(value) ? memberOf(value, member) : undefined;
  return { entries: (written ?? []) as unknown as readonly Entry[], places, member };
}

/** The entries for the project of the run, each with its place and whether its last day is over. */
function listed<Entry extends WrittenEntry>(
  { entries, places, member }: ReadEntries<Entry>,
  { project, now }: EntriesFile,
  problemsOf: (entry: Entry) => readonly MemberProblem[],
): readonly { readonly entry: Entry; readonly isExpired: boolean; readonly source: Place }[] {
  const today = new Date(now).toISOString().slice(0, 10);
  const problems = entries.flatMap((entry, index) =>
    placeProblems([...dateProblems(entry.expires, '/expires'), ...problemsOf(entry)], `/${member}/${index}`, places),
  );
  if (problems.length > 0) throw invalid(problems);
  return entries.flatMap((entry, index) =>
    entry.projects?.includes(project) === false
      ? []
      : [{ entry, isExpired: entry.expires < today, source: placeAt(places, `/${member}/${index}`) }],
  );
}

function invalid(diagnostics: readonly ConfigDiagnostic[]): FlagwrightError {
  const sorted = sortDiagnostics(diagnostics);
  return new FlagwrightError('config_invalid', summarizeWith(CONFIG_READING_WORDS, sorted), { diagnostics: sorted });
}
