/** Finds what other projects declared, for policies that require a declaration there first. */

import { memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { ProjectConfig } from '../../config/config.ts';
import type { PolicyContext } from '../../policy/basis/policy-kind.ts';
import { policyKindOf } from '../../policy/built-in.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { canonicalFlag } from '../../posthog/flag/model/canonical.ts';
import { mapReferencesIn } from '../../posthog/flag/model/references.ts';
import type { Session } from '../session/session.ts';
import { findBase } from './find-base.ts';
import type { FoundPolicies } from './find-judge.ts';
import { loadBase } from './load-base.ts';
import type { RunBase, BaseSearch } from './open-checkout.ts';

/**
 * Uses the commit last applied to the other project, or else the base of the run. A project without either is absent. `commit`: that of the
 * base; absent if there is none.
 */
export async function findDeclared(
  session: Session,
  search: BaseSearch,
  { set, project: name, commit }: Pick<FoundPolicies, 'set' | 'project'> & { readonly commit: string | undefined },
): Promise<NonNullable<PolicyContext['declared']>> {
  const { config, project } = search.loaded;
  const names = set.rules.flatMap((policy) => {
    const compared = policy.rule === 'own' ? undefined : policyKindOf(policy.rule).comparesWith?.(policy);
    return compared !== undefined && policy.projects?.includes(name) !== false ? [compared] : [];
  });
  const declared = new Map<string, ReadonlyMap<string, JsonObject>>();
  for (const first of new Set(names)) {
    const other = memberOf(config.projects, first);
    const desired = other && (await desiredOf(session, { ...search, loaded: { config, project: other } }, commit));
    if (other !== undefined && desired !== undefined)
      declared.set(first, flagsOf(desired, { from: other, to: project }));
  }
  return declared;
}

async function desiredOf(
  session: Session,
  search: BaseSearch,
  commit: string | undefined,
): Promise<DesiredState | undefined> {
  // A snapshot names the commit that was applied to its own project.
  const { snapshot } = search;
  const applied = await findBase(session, { ...search, option: 'auto', ...(snapshot && { snapshot: {} }) });
  if (applied !== undefined && 'desired' in applied) return applied.desired;
  const opened = await search.checkout.opened;
  if (commit === undefined || opened.kind !== 'open') return undefined;
  const facts = { kind: 'commit', commit, from: 'option' } as const;
  const base: RunBase = await loadBase(session, search, { repository: opened.repository, facts });
  return 'desired' in base ? base.desired : undefined;
}

/** Flags in the form in which they are compared, with the ids that the project itself gives the same cohorts. */
function flagsOf(
  { flags }: DesiredState,
  { from, to }: { readonly from: ProjectConfig; readonly to: ProjectConfig },
): Map<string, JsonObject> {
  const ids = new Map(Object.entries(from.cohorts).map(([alias, id]) => [id, memberOf(to.cohorts, alias)]));
  const cohort = (value: JsonValue): JsonValue => (typeof value === 'number' ? (ids.get(value) ?? value) : value);
  return new Map(
    flags.flatMap((flag) =>
      flag.kind === 'retired' ? [] : [[flag.key, canonicalFlag(mapReferencesIn(flag.fields, { cohort }))]],
    ),
  );
}
