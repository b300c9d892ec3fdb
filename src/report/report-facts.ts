/** What models and documents derive from a report: who set accepted values, which differences are shown. */

import { canonicalText } from '../base/json.ts';
import type { AcceptedChange, AcceptedFlag } from '../editing/edit.ts';
import type { ResourceEffects } from '../review/effects/effect.ts';
import type { FlagImpact, Impact } from '../review/impact/impact.ts';
import type { Attribution, Attributions, KnownAttribution } from '../posthog/authors/attribution.ts';
import { mapFamilies } from '../posthog/families.ts';
import type { FamilyName } from '../posthog/kind-types.ts';
import { readName } from '../posthog/names/resource-name.ts';
import type { Parity, ParityRow } from '../posthog/parity/parity.ts';
import type { ReportOf } from './report.ts';

/** A change without fields, such as a grant, has one attribution for all of it. */
export function attributionOf({ ref, path }: AcceptedChange, all: Attributions | undefined): Attribution | undefined {
  const own = all?.get(ref);
  return own?.get(path) ?? own?.get('');
}

/** The attributions of the flag's changes, without duplicates. */
export function attributionsOf({ changes }: AcceptedFlag, all: Attributions | undefined): readonly Attribution[] {
  const found = changes.flatMap((change) => attributionOf(change, all) ?? []);
  return [...new Map(found.map((one) => [canonicalText({ ...one }), one])).values()];
}

/** The authors of the flag's values, each once, the latest last. */
export function authorsOf({ changes }: AcceptedFlag, all: Attributions | undefined): readonly KnownAttribution[] {
  const found = new Map<string, KnownAttribution>();
  for (const change of changes) {
    const author = attributionOf(change, all);
    if (author?.kind !== 'known') continue;
    const name = author.by ?? author.via;
    const known = found.get(name);
    if (known === undefined || known.at < author.at) found.set(name, author);
  }
  return [...found.values()].toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

/** Declared differences are shown on request. */
export function shownRows({ parity, withDeclared }: ReportOf<'parity'>): readonly ParityRow[] {
  return withDeclared ? parity.rows : parity.rows.filter(({ declared }) => !declared);
}

/** `declared`, `undeclared`: differences; of each family the resources with one that no manifest declares. */
interface ParityCounts extends Readonly<Record<FamilyName, number>> {
  readonly declared: number;
  readonly undeclared: number;
}

export function countParity({ rows }: Parity): ParityCounts {
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
