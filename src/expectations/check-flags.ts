/** Checks that expectations name flags and variants that the manifests declare. */

import { distinct, sortDiagnostics } from '../base/diagnostic.ts';
import { defined } from '../base/optional.ts';
import type { Suggest } from '../base/suggest.ts';
import { variantsOf } from '../evaluation/parts.ts';
import type { DesiredFlag, DesiredState } from '../posthog/desired.ts';
import type { Filters } from '../posthog/flag/flag.ts';
import type { Expectation } from './expectation.ts';
import type { ExpectationDiagnostic } from './problems.ts';

/** Desired states by the name of their project. */
export type DesiredStates = ReadonlyMap<string, DesiredState>;

/** `projects`: all that are judged. Sorted, each problem once. */
export function checkFlags(
  expectations: readonly Expectation[],
  projects: DesiredStates,
  suggest: Suggest,
): ExpectationDiagnostic[] {
  const declared = new Map(
    [...projects].map(([name, { flags }]) => [name, new Map(flags.map((flag) => [flag.key, flag]))]),
  );
  const keys = new Set([...projects.values()].flatMap(keysOf));
  const found = expectations.flatMap((expectation) => [
    ...checkKey(expectation, declared, { keys, suggest }),
    ...checkVariant(expectation, declared),
  ]);
  return sortDiagnostics(distinct(found));
}

/** Also those that manifests have only for other projects. */
function keysOf({ flags, namedElsewhere = [] }: DesiredState): readonly string[] {
  return [...flags.map(({ key }) => key), ...namedElsewhere];
}

type DeclaredFlags = ReadonlyMap<string, ReadonlyMap<string, DesiredFlag>>;

function checkKey(
  { flag, projects, place }: Expectation,
  declared: DeclaredFlags,
  { keys, suggest }: { readonly keys: ReadonlySet<string>; readonly suggest: Suggest },
): ExpectationDiagnostic[] {
  if (!keys.has(flag)) {
    const suggestion = suggest(flag, keys);
    return [{ code: 'expected-flag-unknown', severity: 'error', place, args: { flag, ...defined({ suggestion }) } }];
  }
  const lacking = (projects ?? []).filter((project) => declared.get(project)?.has(flag) === false);
  return lacking.map((project) => ({
    code: 'expected-flag-unknown',
    severity: 'error',
    place,
    args: { flag, project },
  }));
}

/** A variant that no evaluation can give; `holdout-7` is one of a holdout. */
function checkVariant(
  { flag: key, expected: { value }, projects, place }: Expectation,
  declared: DeclaredFlags,
): ExpectationDiagnostic[] {
  if (typeof value !== 'string') return [];
  return [...declared].flatMap(([project, flags]): ExpectationDiagnostic[] => {
    const flag = flags.get(key);
    if (flag?.kind !== 'declared' || projects?.includes(project) === false) return [];
    const filters = flag.fields['filters'] as Filters | undefined;
    const variants = variantsOf(filters).map((variant) => variant.key);
    if (filters === undefined || variants.includes(value) || value.startsWith('holdout-')) return [];
    const args = { flag: key, variant: value, project, variants };
    return [{ code: 'expected-variant-unknown', severity: 'error', place, args }];
  });
}
