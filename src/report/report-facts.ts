/** What models and documents derive from a report: who set accepted values, which differences are shown, which code reads flags. */

import { canonicalText } from '../base/json.ts';
import { nearest } from '../base/text.ts';
import type { AcceptedChange, AcceptedFlag } from '../editing/edit.ts';
import type { ResourceEffects } from '../review/effects/effect.ts';
import type { FlagImpact, Impact } from '../review/impact/impact.ts';
import type { Attribution, Attributions, KnownAttribution } from '../posthog/authors/attribution.ts';
import { mapFamilies } from '../posthog/families.ts';
import type { FamilyName } from '../posthog/kind-types.ts';
import { readName } from '../posthog/names/resource-name.ts';
import type { Parity, ParityRow } from '../posthog/parity/parity.ts';
import type { UnknownRead } from '../code/references/reference.ts';
import { type OfRepository } from '../code/references/use.ts';
import { isStillRead } from '../code/references/staleness.ts';
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

export interface ReferenceCounts {
  readonly read: number;
  readonly notFound: number;
  /** `possible`, `indirect` and `unknown`. */
  readonly unclear: number;
  /** Keys that no manifest declares. */
  readonly unknownReads: number;
  /** Deleted, renamed, disabled or fully rolled out. */
  readonly stillRead: number;
}

export function countReferences(report: ReportOf<'refs'>): ReferenceCounts {
  const { flags } = report;
  const amount = (verdicts: readonly string[]): number =>
    flags.filter(({ use }) => verdicts.includes(use.verdict)).length;
  return {
    read: amount(['read']),
    notFound: amount(['not_found']),
    unclear: amount(['possible', 'indirect', 'unknown']),
    unknownReads: new Set(unknownReadsOf(report).map(({ key }) => key)).size,
    stillRead: flags.filter(isStillRead).length,
  };
}

/** The unknown reads; none where only some flags are asked for. */
export function unknownReadsOf({ code, listed }: ReportOf<'refs'>): readonly (UnknownRead & OfRepository)[] {
  if (listed) return [];
  const declared = new Set(code.repositories[0]?.code.keys);
  return code.repositories.flatMap(({ name, code: { unknownReads } }) =>
    unknownReads
      .filter(({ key }) => !declared.has(key))
      .map((read) => ({ ...read, ...(name === undefined ? {} : { repository: name }) })),
  );
}

/** The key that the writer may have meant. */
export function meantKey({ code }: ReportOf<'refs'>, key: string): string | undefined {
  const keys = code.repositories[0]?.code.keys ?? [];
  const reads = code.repositories.reduce((sum, one) => sum + one.code.unknownReads.length, 0);
  return keys.length * reads > MOST_COMPARED ? undefined : nearest(key, keys);
}

/** The limit is that of all names of a run (docs/security.md). */
const MOST_COMPARED = 1_000_000;

/** Flags without an effect of their own, which change because others do. */
export function changedByOthers(
  effects: readonly Pick<ResourceEffects, 'resource' | 'key'>[],
  impact: Impact,
): readonly FlagImpact[] {
  const own = new Set(effects.flatMap(({ resource, key }) => (resource === 'flag' ? [key] : [])));
  return impact.flags.filter(({ key }) => !own.has(key));
}
