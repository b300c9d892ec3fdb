/** A file of waivers: for which flags a policy does not hold, with a reason, a last day, and who grants it. */

import { isDate } from '../base/times.ts';
import { FlagwrightError } from '../base/errors.ts';
import { validateWaivers } from '../base/generated/waiver-validators.ts';
import { stringifyJson } from '../base/json-text.ts';
import { keyGlobProblem } from '../base/key-glob.ts';
import { defined } from '../base/optional.ts';
import { placeAt } from '../base/place.ts';
import { nearest } from '../base/text.ts';
import type { Waiver } from '../policy/exemptions.ts';
import { entriesOf, invalidEntries, isExpiredOn, readEntries, type ReadEntries } from './entries.ts';
import type { ConfigDiagnostic, MemberProblem } from './problems.ts';

export interface ReadWaiversOptions {
  /** Absolute. */
  readonly path: string;
  /** The file as diagnostics name it. */
  readonly file: string;
  /** The project of the run; waivers for other projects are left out. */
  readonly project: string;
  readonly allProjects: readonly string[];
  /** The names of the rules. */
  readonly rules: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The text of the file at the base; absent if it has none. */
  readonly base?: string;
}

const FORM = { validator: validateWaivers, member: 'waivers' } as const;

/** Returns none without the file. @throws {FlagwrightError} `config_invalid` with all diagnostics. */
export async function readWaivers(options: ReadWaiversOptions): Promise<readonly Waiver[]> {
  const read = await readEntries<WrittenWaiver>(options, { ...FORM, isOptional: true });
  return read === undefined ? [] : toWaivers(read, options);
}

interface WrittenWaiver {
  readonly rule: string;
  readonly key: string;
  readonly reason: string;
  readonly expires: string;
  readonly granted_by: string;
  readonly projects?: readonly string[];
}

function toWaivers(
  { entries: written, places }: ReadEntries<WrittenWaiver>,
  options: ReadWaiversOptions,
): readonly Waiver[] {
  const problems = written.flatMap((waiver, index) =>
    problemsOf(waiver, options).map(({ member, ...problem }) => {
      const path = `/waivers/${index}${member}`;
      return { ...problem, severity: 'error', place: placeAt(places, path), path } as ConfigDiagnostic;
    }),
  );
  if (problems.length > 0) throw invalidEntries(problems);
  const former = new Set(formerEntries(options).map(identityOf));
  return written.flatMap((waiver, index) => {
    const { rule, key, reason, expires, granted_by: grantedBy, projects } = waiver;
    if (projects?.includes(options.project) === false) return [];
    const source = placeAt(places, `/waivers/${index}`);
    const isExpired = isExpiredOn(expires, options.now);
    return [{ rule, key, reason, expires, isExpired, grantedBy, isInBase: former.has(identityOf(waiver)), source }];
  });
}

/** An invalid file in the base counts as empty: then each waiver needs who grants it. */
function formerEntries({ file, base }: ReadWaiversOptions): readonly WrittenWaiver[] {
  if (base === undefined) return [];
  try {
    return entriesOf<WrittenWaiver>({ file, text: base }, FORM)?.entries ?? [];
  } catch (error) {
    if (error instanceof FlagwrightError) return [];
    throw error;
  }
}

/** A waiver with another reason, day or flag is another one. */
function identityOf({ rule, key, reason, expires, granted_by: grantedBy, projects }: WrittenWaiver): string {
  return stringifyJson([rule, key, reason, expires, grantedBy, projects?.toSorted() ?? null]);
}

function problemsOf(
  { rule, key, expires, projects = [] }: WrittenWaiver,
  { allProjects, rules }: ReadWaiversOptions,
): MemberProblem[] {
  const problem = keyGlobProblem(key);
  const unknown = projects.flatMap((project, index): MemberProblem[] => {
    if (allProjects.includes(project)) return [];
    const args = { project, ...defined({ suggestion: nearest(project, allProjects) }) };
    return [{ code: 'project-unknown', args, member: `/projects/${index}` }];
  });
  const ruleArgs = { rule, ...defined({ suggestion: nearest(rule, rules) }) };
  return [
    ...(rules.includes(rule) ? [] : [{ code: 'policy-unknown', args: ruleArgs, member: '/rule' } as const]),
    ...(problem === undefined
      ? []
      : [{ code: 'key-pattern-invalid', args: { pattern: key, problem }, member: '/key' } as const]),
    ...(isDate(expires) ? [] : [{ code: 'permit-date-invalid', args: { date: expires }, member: '/expires' } as const]),
    ...unknown,
  ];
}
