/** What models and documents derive from a report: which differences are shown. */

import type { ResourceEffects } from '../review/effects/effect.ts';
import type { FlagImpact, Impact } from '../review/effects/impact.ts';
import { mapFamilies } from '../posthog/families.ts';
import type { FamilyName } from '../posthog/kind-types.ts';
import { readName } from '../posthog/names/resource-name.ts';
import type { Parity, ParityRow } from '../posthog/parity/parity.ts';
import type { ReportOf } from './report.ts';

/** Declared differences are shown on request. */
export function shownRows({ parity, withDeclared }: ReportOf<'parity'>): readonly ParityRow[] {
  return withDeclared ? parity.rows : parity.rows.filter(({ declared }) => !declared);
}

/** `declared`, `undeclared`: differences; of each family the resources with one that no manifest declares. */
export function countParity({ rows }: Parity): Readonly<Record<FamilyName | 'declared' | 'undeclared', number>> {
  const undeclared = rows.filter((row) => !row.declared);
  const sections = [...new Set(undeclared.map(({ key }) => key))].map((key) => readName(key).section);
  const amounts = mapFamilies<Record<FamilyName, number>>(
    ({ section }) => sections.filter((one) => one === section).length,
  );
  return { declared: rows.length - undeclared.length, undeclared: undeclared.length, ...amounts };
}

/** Flags without an effect of their own, which change because others do. */
export function changedByOthers(
  effects: readonly Pick<ResourceEffects, 'resource' | 'key'>[],
  impact: Impact,
): readonly FlagImpact[] {
  const own = new Set(effects.flatMap(({ resource, key }) => (resource === 'flag' ? [key] : [])));
  return impact.flags.filter(({ key }) => !own.has(key));
}
