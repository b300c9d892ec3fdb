/** Checks that expectations name flags and variants that the manifests declare. */

import { distinct, sortDiagnostics } from '../base/diagnostic.ts';
import { defined } from '../base/optional.ts';
import type { Suggest } from '../base/text.ts';
import { variantsOf } from '../evaluation/parts.ts';
import type { DesiredFlag, DesiredState } from '../posthog/desired.ts';
import type { Filters } from '../posthog/flag/model/flag.ts';
import { viewFilters } from '../posthog/flag/model/view.ts';
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

/** Includes the keys that manifests declare only for other projects. */
function keysOf({ flags, namedElsewhere }: DesiredState): readonly string[] {
  return [...flags.map(({ key }) => key), ...(namedElsewhere?.flags ?? [])];
}

type FlagsByProject = ReadonlyMap<string, ReadonlyMap<string, DesiredFlag>>;

function checkKey(
  { flag, projects, place }: Expectation,
  declared: FlagsByProject,
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

/** A variant that no evaluation can give; `holdout-7` is one of a holdout. Said once where no project has it. */
function checkVariant(
  { flag: key, expected: { value }, projects, place }: Expectation,
  declared: FlagsByProject,
): ExpectationDiagnostic[] {
  if (typeof value !== 'string' || value.startsWith('holdout-')) return [];
  const known = [...declared].flatMap(([project, flags]) => {
    const variants = projects?.includes(project) === false ? undefined : knownVariants(flags.get(key));
    return variants === undefined ? [] : [{ project, variants }];
  });
  const lacking = known.filter(({ variants }) => !variants.includes(value));
  const isEverywhere =
    lacking.length === known.length && new Set(lacking.map(({ variants }) => variants.join())).size === 1;
  return (isEverywhere ? lacking.slice(0, 1) : lacking).map(({ project, variants }) => ({
    code: 'expected-variant-unknown',
    severity: 'error',
    place,
    args: { flag: key, variant: value, variants, ...(isEverywhere ? {} : { project }) },
  }));
}

/** `undefined` if no manifest declares them. */
function knownVariants(flag: DesiredFlag | undefined): readonly string[] | undefined {
  const filters = flag?.kind === 'declared' ? (flag.fields['filters'] as Filters | undefined) : undefined;
  return filters === undefined || viewFilters(filters).isOpaque
    ? undefined
    : variantsOf(filters).map((variant) => variant.key);
}
