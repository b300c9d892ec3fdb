/** Finds the resources that stay on an older base after a partial apply. */

import { comparing } from '../base/compare-strings.ts';
import { defined } from '../base/optional.ts';
import type { BaseFacts, EarlierBase } from './base.ts';

/** A declared difference that a plan does not make. */
export interface Unplanned {
  /** The name in options. */
  readonly key: string;
  /** The base's name for it, if it differs. */
  readonly former?: string;
  /** Absent: all of it. */
  readonly fields?: readonly string[];
}

/** The commits at which they were applied last. Sorted; the whole resource comes before its fields. */
export function findEarlier(unplanned: readonly Unplanned[], base: BaseFacts | undefined): EarlierBase[] {
  const byKey = new Map<string, Unplanned[]>();
  for (const one of unplanned) byKey.set(one.key, [...(byKey.get(one.key) ?? []), one]);
  return [...byKey].toSorted(comparing(([key]) => key)).flatMap(([key, ofKey]): EarlierBase[] => {
    const former = ofKey.find((one) => one.former !== undefined)?.former ?? key;
    const known = base?.kind === 'commit' ? (base.earlier ?? []).filter((one) => one.key === former) : [];
    const whole = known.find(({ fields }) => fields === undefined);
    const otherwise = whole === undefined ? (base?.kind === 'commit' ? base.commit : undefined) : whole.commit;
    const parts = known.filter(({ fields }) => fields !== undefined).map((one) => ({ ...one, key }));
    if (ofKey.some(({ fields }) => fields === undefined)) return [{ key, ...defined({ commit: otherwise }) }, ...parts];
    const fields = [...new Set(ofKey.flatMap((one) => one.fields ?? []))].toSorted();
    return groupByCommit(
      key,
      fields.map((field) => {
        const part = parts.find((one) => one.fields?.includes(field));
        return { field, commit: part === undefined ? otherwise : part.commit };
      }),
    );
  });
}

function groupByCommit(
  key: string,
  fields: readonly { readonly field: string; readonly commit: string | undefined }[],
): EarlierBase[] {
  const commits = [...new Set(fields.map(({ commit }) => commit))];
  return commits.map((commit) => ({
    key,
    fields: fields.filter((one) => one.commit === commit).map(({ field }) => field),
    ...defined({ commit }),
  }));
}
