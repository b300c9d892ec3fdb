/** The file of exceptions, and the reader of a file that lists entries. */

import { sortDiagnostics } from '../base/diagnostic.ts';
import { FlagwrightError } from '../base/errors.ts';
import { validateExceptions } from '../base/generated/exception-validators.ts';
import { isJsonObject, memberOf } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { placeAt, type Place, type PlaceTree } from '../base/place.ts';
import { checkShape, type Validator } from '../base/shape/check.ts';
import { nearest } from '../base/text.ts';
import { summarizeWith } from '../base/wording.ts';
import { readYaml } from '../base/yaml/read.ts';
import { parsePathOf } from '../posthog/resource-path.ts';
import { POLICIES } from '../review/policy/built-in.ts';
import { DRIFT_RULE, formOf, isSafetyRule, kindOfPermit, SAFETY } from '../review/policy/broken-rules.ts';
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
}

export interface ExceptionsFile extends EntriesFile {
  readonly allProjects: readonly string[];
  /** The names of the policies. */
  readonly policies: readonly string[];
}

interface WrittenException {
  readonly rule: string;
  readonly keys?: readonly string[];
  readonly most?: number;
  /** Of known drift: the place in the resource. */
  readonly path?: string;
  /** Of known drift: a digest of the live value. */
  readonly state?: string;
  readonly reason: string;
  /** The last day, in UTC, on which it counts. */
  readonly until: string;
  readonly granted_by: string;
  readonly projects?: readonly string[];
}

export interface ExceptionEntry extends Omit<WrittenException, 'granted_by'> {
  readonly keys: readonly string[];
  readonly grantedBy: string;
  readonly place: Place;
}

const EXCEPTIONS = { validator: validateExceptions, member: 'exceptions' } as const;

/**
 * Which rules do not hold for what, why, until when, and who grants it, in every project; none without the file.
 * @throws {FlagwrightError} `config_invalid` with all diagnostics.
 */
export async function readExceptions(file: ExceptionsFile): Promise<readonly ExceptionEntry[]> {
  const read = await readFile<WrittenException>(file, { ...EXCEPTIONS, isOptional: true });
  refuseProblems(read, ({ rule, until, projects = [], ...form }) => [
    ...(ruleProblems(rule, file.policies) ?? formProblems(rule, form)),
    ...problemsOfEach(form.keys ?? [], '/keys', globProblems),
    ...pathProblems(form),
    ...dateProblems(until, '/until'),
    ...problemsOfEach(projects, '/projects', (name, member) => projectProblems(name, file.allProjects, member)),
  ]);
  return toExceptions(read);
}

/** Those of a text that was reviewed before, as of a commit; an invalid one counts as empty: then each exception needs who grants it. */
export function parseExceptions(file: string, text: string): readonly ExceptionEntry[] {
  try {
    return toExceptions(parseEntries<WrittenException>(file, text, EXCEPTIONS));
  } catch (error) {
    if (error instanceof FlagwrightError) return [];
    throw error;
  }
}

function toExceptions({ entries, places, member }: ReadEntries<WrittenException>): readonly ExceptionEntry[] {
  return entries.map(({ keys = [], granted_by: grantedBy, ...entry }, index) => ({
    ...{ ...entry, keys, grantedBy },
    place: placeAt(places, `/${member}/${index}`),
  }));
}

/** `undefined` if an exception may name the rule. */
function ruleProblems(rule: string, policies: readonly string[]): readonly MemberProblem[] | undefined {
  const ofPolicy = [...Object.keys(POLICIES), ...policies, DRIFT_RULE];
  if (!isSafetyRule(rule) && !ofPolicy.includes(rule)) {
    const names = [...Object.keys(SAFETY).filter((one) => formOf(one) !== undefined), ...ofPolicy];
    const args = { rule, ...defined({ suggestion: nearest(rule, names) }) };
    return [{ code: 'exception-rule-unknown', args, member: '/rule' }];
  }
  if (policies.includes(rule) || formOf(rule) !== undefined) return undefined;
  const args = { rule, ...defined({ instead: kindOfPermit(rule) }) };
  return [{ code: 'exception-impossible', args, member: '/rule' }];
}

function pathProblems({ keys = [], path }: Pick<WrittenException, 'keys' | 'path'>): readonly MemberProblem[] {
  if (path === undefined) return [];
  return keys.flatMap((name): readonly MemberProblem[] => {
    const parsed = parsePathOf(name, path);
    if (!('problem' in parsed)) return [];
    return [{ code: 'exception-path-invalid', args: { name, path, problem: parsed.problem }, member: '/path' }];
  });
}

function formProblems(
  rule: string,
  { keys, most, path, state }: Pick<WrittenException, 'keys' | 'most' | 'path' | 'state'>,
): readonly MemberProblem[] {
  const form = formOf(rule) ?? 'keys';
  const isRight = form === 'most' ? most !== undefined && keys === undefined : keys !== undefined && most === undefined;
  if (!isRight) return [{ code: 'exception-form', args: { rule, form }, member: '' }];
  const isPlaced = path !== undefined || state !== undefined;
  return isPlaced && rule !== DRIFT_RULE ? [{ code: 'exception-form', args: { rule, form: 'whole' }, member: '' }] : [];
}

interface EntriesForm {
  readonly validator: Validator;
  /** The member that has the entries. */
  readonly member: string;
  /** Whether a file that does not exist has no entries. */
  readonly isOptional?: true;
  /** Whether an empty file is a mistake: what should have written it failed. */
  readonly isNeverEmpty?: true;
}

interface ReadEntries<Entry> {
  readonly entries: readonly Entry[];
  readonly places: PlaceTree;
  readonly member: string;
}

export async function readFile<Entry>(file: EntriesFile, form: EntriesForm): Promise<ReadEntries<Entry>> {
  const read = await readConfigText(file);
  if ('text' in read) return parseEntries<Entry>(file.file, read.text, form);
  const { code, args } = read.problem;
  const isMissing = code === 'file-unreadable' && 'reason' in args && args.reason === 'ENOENT';
  if (form.isOptional !== true || !isMissing) throw invalid([read.problem]);
  return { entries: [], places: { place: { file: file.file, line: 1, column: 1 } }, member: form.member };
}

/** The entries as they are written, in the form of the schema; none in an empty file, if it may be empty. */
function parseEntries<Entry>(
  file: string,
  text: string,
  { validator, member, isNeverEmpty }: EntriesForm,
): ReadEntries<Entry> {
  const { documents, diagnostics } = readYaml(file, text);
  if (diagnostics.length > 0) throw invalid(diagnostics);
  const [document, second] = documents;
  if (second !== undefined) {
    const { place } = second.places;
    throw invalid([{ code: 'config-several-documents', severity: 'error', place, args: {} }]);
  }
  const { value, places } = document ?? { value: null, places: { place: { file, line: 1, column: 1 } } };
  const wrong = document === undefined && isNeverEmpty !== true ? [] : checkShape(validator, value, places);
  if (wrong.length > 0) throw invalid(wrong);
  const written = isJsonObject(value) ? memberOf(value, member) : undefined;
  return { entries: (written ?? []) as unknown as readonly Entry[], places, member };
}

/** @throws {FlagwrightError} `config_invalid` with all problems, at their places. */
export function refuseProblems<Entry>(
  { entries, places, member }: ReadEntries<Entry>,
  problemsOf: (entry: Entry) => readonly MemberProblem[],
): void {
  const problems = entries.flatMap((entry, index) => placeProblems(problemsOf(entry), `/${member}/${index}`, places));
  if (problems.length > 0) throw invalid(problems);
}

function invalid(diagnostics: readonly ConfigDiagnostic[]): FlagwrightError {
  const sorted = sortDiagnostics(diagnostics);
  return new FlagwrightError('config_invalid', summarizeWith(CONFIG_READING_WORDS, sorted), { diagnostics: sorted });
}
