/** A file of permits: what plans may do despite a safety rule, with a reason and a last day. */

import { sortDiagnostics } from '../base/diagnostic.ts';
import { FlagwrightError } from '../base/errors.ts';
import { validatePermits } from '../base/generated/permit-validators.ts';
import { isJsonObject } from '../base/json.ts';
import { keyGlobProblem } from '../base/key-glob.ts';
import { defined } from '../base/optional.ts';
import { placeAt, type PlaceTree } from '../base/place.ts';
import { checkShape } from '../base/shape/check.ts';
import { nearest } from '../base/text.ts';
import { summarizeWith } from '../base/wording.ts';
import { readYaml } from '../base/yaml/read.ts';
import type { GivenPermit, Permit } from '../engine/safety.ts';
import { isDate } from './dates.ts';
import { readConfigText } from './find.ts';
import type { ConfigDiagnostic } from './problems.ts';
import { CONFIG_READING_WORDS } from './reading-words.ts';

export interface ReadPermitsOptions {
  /** Absolute. */
  readonly path: string;
  /** The file as diagnostics name it. */
  readonly file: string;
  /** The project of the run; permits for other projects are left out. */
  readonly project: string;
  readonly allProjects: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** @throws {FlagwrightError} `config_invalid` with all diagnostics. */
export async function readPermits(options: ReadPermitsOptions): Promise<readonly GivenPermit[]> {
  const read = await readConfigText(options);
  if ('problem' in read) throw invalid([read.problem]);
  const { documents, diagnostics } = readYaml(options.file, read.text);
  if (diagnostics.length > 0) throw invalid(diagnostics);
  const [document, second] = documents;
  if (second !== undefined) {
    const { place } = second.places;
    throw invalid([{ code: 'config-several-documents', severity: 'error', place, args: {} }]);
  }
  // An empty file permits nothing.
  if (document === undefined) return [];
  const wrong = checkShape(validatePermits, document.value, document.places);
  if (wrong.length > 0) throw invalid(wrong);
  const written = isJsonObject(document.value) ? document.value['permits'] : null;
  return toPermits((written ?? []) as unknown as readonly WrittenPermit[], document.places, options);
}

interface WrittenPermit {
  readonly deletes?: number;
  readonly updates?: number;
  readonly disables?: number;
  readonly protected?: string;
  readonly risky?: string;
  readonly reason: string;
  readonly expires: string;
  readonly projects?: readonly string[];
}

function toPermits(
  written: readonly WrittenPermit[],
  places: PlaceTree,
  { project, allProjects, now }: ReadPermitsOptions,
): readonly GivenPermit[] {
  const problems = written.flatMap((permit, index) =>
    problemsOf(permit, allProjects).map(({ member, ...problem }) => {
      const path = `/permits/${index}${member}`;
      return { ...problem, severity: 'error', place: placeAt(places, path), path } as ConfigDiagnostic;
    }),
  );
  if (problems.length > 0) throw invalid(problems);
  const today = new Date(now).toISOString().slice(0, 10);
  return written.flatMap((permit, index) => {
    if (permit.projects?.includes(project) === false) return [];
    const { reason, expires } = permit;
    const source = placeAt(places, `/permits/${index}`);
    return permitsIn(permit).map((one) => ({ permit: one, reason, expires, isExpired: expires < today, source }));
  });
}

type Found = Pick<ConfigDiagnostic, 'code' | 'args'> & { readonly member: string };

function problemsOf(permit: WrittenPermit, allProjects: readonly string[]): Found[] {
  const found = permitsIn(permit);
  const unknown = (permit.projects ?? []).flatMap((name, index): Found[] => {
    if (allProjects.includes(name)) return [];
    const args = { project: name, ...defined({ suggestion: nearest(name, allProjects) }) };
    return [{ code: 'project-unknown', args, member: `/projects/${index}` }];
  });
  const patterns = found.flatMap(({ kind, value }): Found[] => {
    const problem = typeof value === 'string' ? keyGlobProblem(value) : undefined;
    if (problem === undefined) return [];
    return [{ code: 'key-pattern-invalid', args: { pattern: String(value), problem }, member: `/${kind}` }];
  });
  return [
    ...(found.length === 1
      ? []
      : [{ code: 'permit-kind', args: { found: found.map(({ kind }) => kind) }, member: '' } as const]),
    ...(isDate(permit.expires)
      ? []
      : [{ code: 'permit-date-invalid', args: { date: permit.expires }, member: '/expires' } as const]),
    ...unknown,
    ...patterns,
  ];
}

function permitsIn(permit: WrittenPermit): readonly Permit[] {
  const numbers = (['deletes', 'updates', 'disables'] as const).flatMap((kind) => {
    const value = permit[kind];
    return value === undefined ? [] : [{ kind, value }];
  });
  const keys = (['protected', 'risky'] as const).flatMap((kind) => {
    const value = permit[kind];
    return value === undefined ? [] : [{ kind, value }];
  });
  return [...numbers, ...keys];
}

function invalid(diagnostics: readonly ConfigDiagnostic[]): FlagwrightError {
  const sorted = sortDiagnostics(diagnostics);
  return new FlagwrightError('config_invalid', summarizeWith(CONFIG_READING_WORDS, sorted), { diagnostics: sorted });
}
