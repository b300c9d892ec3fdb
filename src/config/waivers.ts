/** A file of waivers: for which flags a policy does not hold, with a reason, a last day, and who grants it. */

import { isDate } from '../base/dates.ts';
import { validateWaivers } from '../base/generated/waiver-validators.ts';
import { keyGlobProblem } from '../base/key-glob.ts';
import { defined } from '../base/optional.ts';
import { placeAt } from '../base/place.ts';
import { nearest } from '../base/text.ts';
import type { Waiver } from '../policy/lift.ts';
import { invalidEntries, isExpiredOn, readEntries, type ReadEntries } from './entries.ts';
import type { ConfigDiagnostic } from './problems.ts';

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
}

/**
 * Without the file there are none.
 * @throws {FlagwrightError} `config_invalid` with all diagnostics.
 */
export async function readWaivers(options: ReadWaiversOptions): Promise<readonly Waiver[]> {
  const read = await readEntries<WrittenWaiver>(options, {
    validator: validateWaivers,
    member: 'waivers',
    isOptional: true,
  });
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
  return written.flatMap(({ rule, key, reason, expires, granted_by: grantedBy, projects }, index) => {
    if (projects?.includes(options.project) === false) return [];
    const source = placeAt(places, `/waivers/${index}`);
    return [{ rule, key, reason, expires, isExpired: isExpiredOn(expires, options.now), grantedBy, source }];
  });
}

type Found = Pick<ConfigDiagnostic, 'code' | 'args'> & { readonly member: string };

function problemsOf(
  { rule, key, expires, projects = [] }: WrittenWaiver,
  { allProjects, rules }: ReadWaiversOptions,
): Found[] {
  const problem = keyGlobProblem(key);
  const unknown = projects.flatMap((project, index): Found[] => {
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
