/** What `accept` and `promote` report, and who set the accepted values. */

import { canonicalText } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import type { BaseFacts } from '../core/engine/base.ts';
import type { ProjectIdentity } from '../core/engine/project.ts';
import type { Accepted, AcceptedChange, AcceptedFlag, Promoted } from '../editing/edit.ts';
import type { Attribution, Attributions, KnownAttribution } from '../posthog/authors/attribution.ts';
import type { FileOutcome } from './file-outcome.ts';

export type EditReport = AcceptReport | PromoteReport;

/** The values that the manifests accept from the service. */
export interface AcceptReport extends Omit<Accepted, 'edited'> {
  readonly kind: 'accept';
  readonly project: ProjectIdentity;
  readonly files: readonly FileOutcome[];
  /** Flags that the manifests declare now. */
  readonly added: readonly { readonly key: string; readonly place: Place }[];
  /** The unified diff of `--patch`, which was not written. */
  readonly patch?: string;
  /** The base that distinguishes edits in the service from changes of the manifests; absent if it was not looked for. */
  readonly base?: BaseFacts;
  readonly attributions?: Attributions;
}

/** The values that the manifests of one project take from the manifests or live flags of another. */
export interface PromoteReport extends Omit<Promoted, 'edited'> {
  readonly kind: 'promote';
  readonly from: string;
  readonly to: string;
  readonly source: 'manifests' | 'live';
  readonly files: readonly FileOutcome[];
  /** The unified diff of `--patch`, which was not written. */
  readonly patch?: string;
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
