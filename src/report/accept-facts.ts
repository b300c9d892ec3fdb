/** What every format shows of an accept: its fields as a plan has them, and who gave the values. */

import { canonicalText } from '../base/json.ts';
import { fromPointer } from '../base/json-pointer.ts';
import type { AcceptedChange, AcceptedFlag } from '../editing/results.ts';
import type { FieldChange } from '../engine/change.ts';
import type { Labels } from '../engine/labels.ts';
import type { Attribution, Attributions, KnownAttribution } from '../posthog/attribution.ts';
import { COHORT_LABELS } from '../posthog/cohort/labels.ts';
import { EARLY_ACCESS_LABELS } from '../posthog/early-access/labels.ts';
import { FLAG_LABELS } from '../posthog/flag/labels.ts';
import { defined } from '../base/optional.ts';
import type { OwnKind } from '../posthog/kind-types.ts';
import { readName } from '../posthog/resource-name.ts';

/** Of the resource with the name. Access is named as a part of the flag. */
export function labelsOf(key: string): Labels {
  return LABELS[readName(key).kind];
}

const LABELS: Readonly<Record<OwnKind, Labels>> = {
  flag: { ...(FLAG_LABELS as Labels), field: labelField },
  cohort: COHORT_LABELS as Labels,
  early_access: EARLY_ACCESS_LABELS as Labels,
};

function labelField(pointer: string): string {
  const [field, kind, role = ''] = fromPointer(pointer);
  if (field !== 'role_access') return FLAG_LABELS.field(pointer);
  return kind === 'default' ? 'access · default' : `access · ${role}`;
}

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

/** What is known of the flag's changes; equal facts once. */
export function attributionsOf({ changes }: AcceptedFlag, all: Attributions | undefined): readonly Attribution[] {
  const found = changes.flatMap((change) => attributionOf(change, all) ?? []);
  return [...new Map(found.map((one) => [canonicalText({ ...one }), one])).values()];
}

/** Who gave the flag its values, the newest last; each once. */
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
