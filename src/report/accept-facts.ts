/** The facts of an accept for every format: its fields in the form of a plan, and who set the values. */

import { canonicalText } from '../base/json.ts';
import type { AcceptedChange, AcceptedFlag } from '../editing/results.ts';
import type { FieldChange } from '../engine/change.ts';
import type { Attribution, Attributions, KnownAttribution } from '../posthog/authors/attribution.ts';
import { defined } from '../base/optional.ts';

export function toFields(changes: readonly AcceptedChange[]): FieldChange[] {
  return changes.map(({ path, before, after, place, divergence, base }) => ({
    path,
    ...defined({ before, after, source: place, divergence, base }),
  }));
}

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
