/**
 * Reads the former files of exceptions for one release: waivers of policies, which `policies.waivers` names, and permits of safety rules, which
 * `--permits` names. Nothing else knows them: this file can be deleted whole.
 */

import { validatePermits } from '../base/generated/permit-validators.ts';
import { validateWaivers } from '../base/generated/waiver-validators.ts';
import { defined } from '../base/optional.ts';
import { placeAt } from '../base/place.ts';
import { rulesLiftedBy } from '../review/policy/broken-rules.ts';
import { dateProblems, globProblems, problemsOfEach, projectProblems, type MemberProblem } from './checks.ts';
import {
  type ExceptionEntry,
  type ExceptionsFile,
  ifValid,
  parseEntries,
  readFile,
  type ReadEntries,
  refuseProblems,
  ruleProblems,
  type WrittenEntry,
} from './entries.ts';

interface WrittenWaiver extends WrittenEntry {
  readonly rule: string;
  readonly key: string;
  readonly granted_by: string;
}

const WAIVERS = { validator: validateWaivers, member: 'waivers' } as const;

/** @throws {FlagwrightError} `config_invalid` with all diagnostics. */
export async function readWaivers(file: ExceptionsFile): Promise<readonly ExceptionEntry[]> {
  const read = await readFile<WrittenWaiver>(file, { ...WAIVERS, isOptional: true });
  refuseProblems(read, (entry) => [
    ...(ruleProblems(entry.rule, file.policies) ?? []),
    ...globProblems(entry.key, '/key'),
    ...commonProblems(entry, file),
  ]);
  return toExceptions(read);
}

export function parseWaivers(file: string, text: string): readonly ExceptionEntry[] {
  return ifValid(() => toExceptions(parseEntries<WrittenWaiver>(file, text, WAIVERS)));
}

function toExceptions({ entries, places, member }: ReadEntries<WrittenWaiver>): readonly ExceptionEntry[] {
  return entries.map(({ rule, key, reason, expires: until, granted_by: grantedBy, projects }, index) => ({
    ...{ rules: [rule], keys: [key], reason, until, grantedBy },
    ...defined({ projects }),
    place: placeAt(places, `/${member}/${index}`),
  }));
}

const KINDS = ['deletes', 'updates', 'disables', 'protected', 'risky', 'override'] as const;

type WrittenPermit = WrittenEntry & Readonly<Partial<Record<(typeof KINDS)[number], string | number>>>;

/** @throws {FlagwrightError} `config_invalid` with all diagnostics. */
export async function readPermits(file: ExceptionsFile): Promise<readonly ExceptionEntry[]> {
  const read = await readFile<WrittenPermit>(file, { validator: validatePermits, member: 'permits' });
  refuseProblems(read, (entry) => {
    const found = KINDS.filter((kind) => entry[kind] !== undefined);
    const isOne = found.length === 1;
    return [
      ...(isOne ? [] : [{ code: 'permit-kind', args: { found }, member: '' } as const]),
      ...found.flatMap((kind) => (typeof entry[kind] === 'string' ? globProblems(entry[kind], `/${kind}`) : [])),
      ...commonProblems(entry, file),
    ];
  });
  return read.entries.flatMap(({ reason, expires: until, projects, ...entry }, index) =>
    KINDS.flatMap((kind): readonly ExceptionEntry[] => {
      const value = entry[kind];
      if (value === undefined) return [];
      const what = typeof value === 'number' ? { rules: [kind], keys: [], most: value } : { keys: [value] };
      const place = placeAt(read.places, `/permits/${index}`);
      return [{ rules: rulesLiftedBy(kind), ...what, reason, until, ...defined({ projects }), place }];
    }),
  );
}

function commonProblems({ expires, projects = [] }: WrittenEntry, { allProjects }: ExceptionsFile): MemberProblem[] {
  return [
    ...dateProblems(expires, '/expires'),
    ...problemsOfEach(projects, '/projects', (name, member) => projectProblems(name, allProjects, member)),
  ];
}
