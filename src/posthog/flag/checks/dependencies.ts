/** Checks conditions on other flags: these must be declared, not deleted, active, and not depend on the flag itself. */

import { findCycles } from '../../../base/graph.ts';
import { defined } from '../../../base/optional.ts';
import type { Suggest } from '../../../base/text.ts';
import { type Filters, viewFilters } from '../model/flag.ts';
import type { Soundness } from '../../../core/manifest/declaration.ts';
import type { FlagFinding } from './problems.ts';
import { unknownVariant, variantKeysOf } from './filters.ts';

/** The facts about a flag that the check of its dependents needs. */
interface DependencyNode {
  readonly key: string;
  readonly filters: Filters | undefined;
  /** Unchecked filters: only their conditions on other flags are considered. */
  readonly unchecked: boolean;
  /** `undefined` if a mistake makes it uncertain. */
  readonly active: boolean | undefined;
  readonly sound: Soundness;
}

export interface DependencyContext {
  readonly project: string;
  readonly declared: ReadonlyMap<string, DependencyNode>;
  readonly retired: ReadonlySet<string>;
  /** Whether every file could be read. If not, what seems undeclared may be in an unread file. */
  readonly complete: boolean;
  readonly suggest: Suggest;
}

/** The findings about flags that depend on others, by key. */
export function checkDependencies(context: DependencyContext): Map<string, FlagFinding[]> {
  const findings = new Map<string, FlagFinding[]>();
  const graph: DeclaredGraph = { ...context, keys: new Set(context.declared.keys()), variants: new Map() };
  const dependents = new Map<DependencyNode, readonly Dependency[]>();
  for (const node of context.declared.values()) {
    const dependencies = findDependencies(node);
    if (dependencies.length === 0) continue;
    dependents.set(node, dependencies);
    const own = dependencies.flatMap((dependency) => checkDependency(node, dependency, graph));
    if (own.length > 0) findings.set(node.key, own);
  }
  for (const finding of checkCycles(dependents)) {
    findings.set(finding.key, [...(findings.get(finding.key) ?? []), finding.finding]);
  }
  return findings;
}

/** Caches for all dependents of a flag. */
interface DeclaredGraph extends DependencyContext {
  readonly keys: ReadonlySet<string>;
  /** The variants of each flag; `undefined` if they are uncertain. */
  readonly variants: Map<DependencyNode, ReadonlySet<string> | undefined>;
}

interface Dependency {
  readonly key: string;
  readonly at: string;
  readonly result: unknown;
}

// A number is the id of a flag, which manifests need not declare.
function findDependencies({ filters }: DependencyNode): Dependency[] {
  if (filters === undefined) return [];
  const view = viewFilters(filters);
  if (!view.mayName('flags')) return [];
  return view.properties.flatMap(({ part, at }) => {
    if (part.type !== 'flag' || typeof part.key !== 'string') return [];
    return [{ key: part.key, at, result: part.value }];
  });
}

function checkDependency(node: DependencyNode, { key, at, result }: Dependency, context: DeclaredGraph): FlagFinding[] {
  const where = `${at}/key`;
  if (context.retired.has(key))
    return [{ code: 'flag-depends-on-deleted', severity: 'error', at: where, args: { key } }];
  const target = context.declared.get(key);
  if (target === undefined) {
    if (!context.complete) return [];
    const suggestion = context.suggest(key, context.keys);
    const args = { key, project: context.project, ...defined({ suggestion }) };
    return [{ code: 'flag-unknown', severity: 'warning', at: where, args }];
  }
  // Current services refuse to enable a flag whose dependency is off; in older ones it evaluates to false for everybody.
  const isOff = node.active === true && target.active === false;
  const args = { key: target.key, ...(result === false ? { isMet: true as const } : {}) };
  return [
    ...(isOff ? [{ code: 'flag-depends-on-disabled', severity: 'warning', at: where, args } as const] : []),
    ...checkResult(target, { result, at: `${at}/value` }, context),
  ];
}

function checkResult(
  target: DependencyNode,
  { result, at }: { readonly result: unknown; readonly at: string },
  graph: DeclaredGraph,
): FlagFinding[] {
  if (typeof result !== 'string' || target.unchecked) return [];
  const variants = variantsOf(target, graph);
  if (variants === undefined || result === 'true' || result === 'false' || variants.has(result)) return [];
  return [{ code: 'variant-unknown', severity: 'warning', at, args: unknownVariant(result, variants, graph.suggest) }];
}

function variantsOf(target: DependencyNode, { variants }: DeclaredGraph): ReadonlySet<string> | undefined {
  if (!variants.has(target)) {
    const keys = target.filters && variantKeysOf(viewFilters(target.filters), target.sound);
    variants.set(target, keys && new Set(keys));
  }
  return variants.get(target);
}

// Unchecked filters are left out, so that a cycle that exists in the service can be declared.
function checkCycles(
  dependents: ReadonlyMap<DependencyNode, readonly Dependency[]>,
): { key: string; finding: FlagFinding }[] {
  const checked = [...dependents].filter(([{ unchecked }]) => !unchecked);
  const graph = new Map(checked.map(([{ key }, dependencies]) => [key, dependencies]));
  const keys = new Map([...graph].map(([key, dependencies]) => [key, dependencies.map((one) => one.key)]));
  return findCycles(keys).flatMap((cycle) => {
    const [first, second] = cycle;
    if (first === undefined) return [];
    const at = graph.get(first)?.find(({ key }) => key === (second ?? first))?.at ?? '/filters';
    const args = { cycle: [...cycle, first] };
    return [{ key: first, finding: { code: 'flag-depends-on-itself', severity: 'error', at: `${at}/key`, args } }];
  });
}
