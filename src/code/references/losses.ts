/** What the changes of a plan take from the code that reads flags: flags, keys, and variants. */

import type { JsonValue } from '../../base/json.ts';
import type { CodeReads } from '../../core/engine/safety.ts';
import type { Change, FlagChange } from '../../posthog/plan.ts';
import { FLAG } from '../../posthog/flag/kind.ts';
import { viewFilters } from '../../posthog/flag/model/flag.ts';
import type { IndirectRead, Reference } from './reference.ts';
import { gapsOf, useFinder, type FlagUse, type Gap, type KnownCode, type OfRepository } from './use.ts';

export const LOSSES = ['delete', 'rename', 'disable', 'variants'] as const;

/** A change after which code that reads the flag gets something else. */
export interface Loss {
  readonly ref: string;
  /** The live one, which code reads. */
  readonly key: string;
  /** The gravest. */
  readonly loses: (typeof LOSSES)[number];
  /** The variants that go; absent if none does. */
  readonly variants?: readonly string[];
}

/** A loss with the code that it concerns. */
export interface ReadLoss extends Loss {
  /** A loss never says that nothing was found: code may be elsewhere. */
  readonly verdict: Exclude<FlagUse['verdict'], 'not_found'>;
  /** False: some code was not searched for the key. */
  readonly searched: boolean;
  /** Files that read the flag before the change and still exist, but are no longer searched; absent if there are none. */
  readonly hidden?: readonly string[];
  /** Documents of sources that named the flag before the change, which edits them; absent if there are none. */
  readonly edited?: readonly string[];
  /** Certain ones first. */
  readonly references: readonly LossReference[];
  readonly indirect: readonly (IndirectRead & OfRepository)[];
}

/** `variants`: those that go and that the line names too, as far as it can be read. */
type LossReference = Omit<Reference, 'key'> & OfRepository & { readonly variants?: readonly string[] };

export interface Readers {
  readonly flags: readonly ReadLoss[];
  /** Code that was not searched. */
  readonly gaps: readonly Gap[];
}

export function findLosses(changes: readonly Change[]): readonly Loss[] {
  return changes.flatMap((change): Loss[] => {
    if (change.resource !== 'flag') return [];
    const variants = lostVariants(change);
    const effects = FLAG.effects(change);
    const loses = LOSSES.find((loss) => (loss === 'variants' ? variants.length > 0 : effects.includes(loss)));
    if (loses === undefined) return [];
    return [{ ref: change.ref, key: FLAG.liveKey(change), loses, ...(variants.length > 0 && { variants }) }];
  });
}

function lostVariants(change: FlagChange): readonly string[] {
  if (change.action !== 'update' || change.body['filters'] === undefined) return [];
  const kept = new Set(variantsOf(change.body['filters']));
  return variantsOf(change.base.flag['filters']).filter((variant) => !kept.has(variant));
}

/** None of a format that is not known. */
function variantsOf(filters: JsonValue | undefined): readonly string[] {
  const view = viewFilters(filters);
  return view.isOpaque ? [] : view.variants.flatMap(({ part: { key } }) => (typeof key === 'string' ? [key] : []));
}

/** `lineAt`: of this repository; `undefined` if it cannot be read. */
export function readLosses(
  losses: readonly Loss[],
  code: KnownCode,
  lineAt: (place: Reference['place']) => string | undefined,
): Readers {
  const gaps = [...code.gaps, ...code.repositories.flatMap(gapsOf)];
  const find = useFinder(code, gaps);
  const flags = losses.flatMap((loss): ReadLoss[] => {
    const { verdict, references, indirect, gaps: own } = find(loss.key);
    if (verdict === 'not_found') return [];
    const searched = own.every(({ code }) => code !== 'key_not_searched');
    const hidden = own.find((gap) => gap.code === 'code_hidden')?.files;
    const edited = own.flatMap((gap) => (gap.code === 'source_edited' ? [gap.file] : []));
    const marked = references.map(({ key: _key, ...one }): LossReference => {
      const line = loss.variants !== undefined && one.repository === undefined ? lineAt(one.place) : undefined;
      const variants = line === undefined ? [] : (loss.variants ?? []).filter((variant) => names(line, variant));
      return { ...one, ...(variants.length > 0 && { variants }) };
    });
    const gone = { ...(hidden && { hidden }), ...(edited.length > 0 && { edited }) };
    return [{ ...loss, verdict, searched, ...gone, references: marked, indirect }];
  });
  return { flags, gaps };
}

/** Whether the line has the variant, not as a part of a longer word. */
function names(line: string, variant: string): boolean {
  const around = line.split(variant);
  return around.some(
    (before, index) =>
      index < around.length - 1 && !/[\w-]$/.test(before) && !/^[\w-]/.test(around[index + 1] as string),
  );
}

/** The certain reads by the refs of changes. */
export function certainReads({ flags }: Readers): ReadonlyMap<string, CodeReads> {
  return new Map(
    flags.flatMap(({ ref, references }) => {
      const certain = references.filter(({ certain: isCertain }) => isCertain);
      if (certain.length === 0) return [];
      const places = certain
        .slice(0, MOST_PLACES)
        .map(({ place, repository }) => ({ place, ...(repository !== undefined && { repository }) }));
      return [[ref, { count: certain.length, places }] as const];
    }),
  );
}

const MOST_PLACES = 3;
