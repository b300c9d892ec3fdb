/** A file of permits: what plans may do despite a safety rule, with a reason and a last day. */

import { validatePermits } from '../base/generated/permit-validators.ts';
import { keyGlobProblem } from '../base/key-glob.ts';
import { defined } from '../base/optional.ts';
import { placeAt } from '../base/place.ts';
import { nearest } from '../base/text.ts';
import type { GivenPermit, Permit } from '../engine/safety.ts';
import { isDate } from '../base/times.ts';
import { invalidEntries, isExpiredOn, readEntries, type ReadEntries } from './entries.ts';
import type { ConfigDiagnostic, MemberProblem } from './problems.ts';

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
  const read = await readEntries<WrittenPermit>(options, { validator: validatePermits, member: 'permits' });
  return read === undefined ? [] : toPermits(read, options);
}

interface WrittenPermit {
  readonly deletes?: number;
  readonly updates?: number;
  readonly disables?: number;
  readonly protected?: string;
  readonly risky?: string;
  readonly override?: string;
  readonly reason: string;
  readonly expires: string;
  readonly projects?: readonly string[];
}

function toPermits(
  { entries: written, places }: ReadEntries<WrittenPermit>,
  { project, allProjects, now }: ReadPermitsOptions,
): readonly GivenPermit[] {
  const problems = written.flatMap((permit, index) =>
    problemsOf(permit, allProjects).map(({ member, ...problem }) => {
      const path = `/permits/${index}${member}`;
      return { ...problem, severity: 'error', place: placeAt(places, path), path } as ConfigDiagnostic;
    }),
  );
  if (problems.length > 0) throw invalidEntries(problems);
  return written.flatMap((permit, index) => {
    if (permit.projects?.includes(project) === false) return [];
    const { reason, expires } = permit;
    const source = placeAt(places, `/permits/${index}`);
    return permitsIn(permit).map((one) => ({
      permit: one,
      reason,
      expires,
      isExpired: isExpiredOn(expires, now),
      source,
    }));
  });
}

function problemsOf(permit: WrittenPermit, allProjects: readonly string[]): MemberProblem[] {
  const found = permitsIn(permit);
  const unknown = (permit.projects ?? []).flatMap((name, index): MemberProblem[] => {
    if (allProjects.includes(name)) return [];
    const args = { project: name, ...defined({ suggestion: nearest(name, allProjects) }) };
    return [{ code: 'project-unknown', args, member: `/projects/${index}` }];
  });
  const patterns = found.flatMap(({ kind, value }): MemberProblem[] => {
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
  const keys = (['protected', 'risky', 'override'] as const).flatMap((kind) => {
    const value = permit[kind];
    return value === undefined ? [] : [{ kind, value }];
  });
  return [...numbers, ...keys];
}
