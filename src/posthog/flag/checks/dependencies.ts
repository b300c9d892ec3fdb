/** Conditions on other flags: those flags are declared, stay, are active, and do not lead back. */

import { findCycles } from '../../../base/graph.ts';
import type { Suggest } from '../../../base/suggest.ts';
import type { Filters } from '../flag.ts';
import type { Soundness } from '../../../manifest/soundness.ts';
import { conditionsOf, propertiesOf, variantKeysOf } from './conditions.ts';
import type { FlagFinding } from './problems.ts';
import { unknownVariant } from './variants.ts';

/** A flag with what its dependents may need to know of it. */
export interface DependencyNode {
  readonly key: string;
  readonly filters: Filters | undefined;
  /** Filters that are taken as they stand: their conditions on other flags count, and nothing is said of the rest. */
  readonly unchecked: boolean;
  /** `undefined` where a mistake leaves it in doubt. */
  readonly active: boolean | undefined;
  readonly sound: Soundness;
}

export interface DependencyContext {
  readonly project: string;
  readonly declared: ReadonlyMap<string, DependencyNode>;
  readonly retired: ReadonlySet<string>;
  /** false when some manifest could not be read: what seems undeclared may stand there. */
  readonly complete: boolean;
  readonly suggest: Suggest;
}

/** The findings about each flag that depends on others, by key. */
export function checkDependencies(context: DependencyContext): Map<string, FlagFinding[]> {
  const findings = new Map<string, FlagFinding[]>();
  const graph: Graph = { ...context, keys: new Set(context.declared.keys()), variants: new Map() };
  for (const node of context.declared.values()) {
    const own = dependenciesOf(node).flatMap((dependency) => checkDependency(node, dependency, graph));
    if (own.length > 0) findings.set(node.key, own);
  }
  for (const finding of checkCycles(context.declared)) {
    findings.set(finding.key, [...(findings.get(finding.key) ?? []), finding.finding]);
  }
  return findings;
}

/** What is looked up once for all that depend on a flag. */
interface Graph extends DependencyContext {
  readonly keys: ReadonlySet<string>;
  /** By flag; `undefined` where they are in doubt. */
  readonly variants: Map<DependencyNode, ReadonlySet<string> | undefined>;
}

interface Dependency {
  readonly key: string;
  readonly at: string;
  readonly result: unknown;
}

// A number is the id of a flag that no manifest need know.
function dependenciesOf({ filters }: DependencyNode): Dependency[] {
  if (filters === undefined) return [];
  return conditionsOf(filters)
    .flatMap(propertiesOf)
    .flatMap(({ part, at }) => {
      if (part.type !== 'flag' || typeof part.key !== 'string') return [];
      return [{ key: part.key, at, result: part.value }];
    });
}

function checkDependency(node: DependencyNode, { key, at, result }: Dependency, context: Graph): FlagFinding[] {
  const where = `${at}/key`;
  if (context.retired.has(key))
    return [{ code: 'flag-depends-on-deleted', severity: 'error', at: where, args: { key } }];
  const target = context.declared.get(key);
  if (target === undefined) {
    if (!context.complete) return [];
    const suggestion = context.suggest(key, context.keys);
    const args = { key, project: context.project, ...(suggestion === undefined ? {} : { suggestion }) };
    return [{ code: 'flag-unknown', severity: 'warning', at: where, args }];
  }
  return [...checkActive(node, { target, at: where }), ...checkResult(target, { result, at: `${at}/value` }, context)];
}

// Today's service refuses to enable a flag whose dependency is off; older ones let it be false for everybody.
function checkActive(node: DependencyNode, { target, at }: { target: DependencyNode; at: string }): FlagFinding[] {
  if (node.active !== true || target.active !== false) return [];
  return [{ code: 'flag-depends-on-disabled', severity: 'warning', at, args: { key: target.key } }];
}

function checkResult(
  target: DependencyNode,
  { result, at }: { readonly result: unknown; readonly at: string },
  graph: Graph,
): FlagFinding[] {
  if (typeof result !== 'string' || target.unchecked) return [];
  const variants = variantsOf(target, graph);
  if (variants === undefined || result === 'true' || result === 'false' || variants.has(result)) return [];
  return [{ code: 'variant-unknown', severity: 'warning', at, args: unknownVariant(result, variants, graph.suggest) }];
}

function variantsOf(target: DependencyNode, { variants }: Graph): ReadonlySet<string> | undefined {
  if (!variants.has(target)) {
    const keys = target.filters && variantKeysOf(target.filters, target.sound);
    variants.set(target, keys && new Set(keys));
  }
  return variants.get(target);
}

// A live circle can only be declared as it stands: one flag of it unchecked says that this is known.
function checkCycles(nodes: ReadonlyMap<string, DependencyNode>): { key: string; finding: FlagFinding }[] {
  const checked = [...nodes.values()].filter(({ unchecked }) => !unchecked);
  const graph = new Map(checked.map((node) => [node.key, dependenciesOf(node)]));
  const keys = new Map([...graph].map(([key, dependencies]) => [key, dependencies.map((one) => one.key)]));
  return findCycles(keys).flatMap((cycle) => {
    const [first, second] = cycle;
    if (first === undefined) return [];
    const at = graph.get(first)?.find(({ key }) => key === (second ?? first))?.at ?? '/filters';
    const args = { cycle: [...cycle, first] };
    return [{ key: first, finding: { code: 'flag-depends-on-itself', severity: 'error', at: `${at}/key`, args } }];
  });
}
