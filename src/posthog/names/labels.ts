/** The words that reports use for a kind of resource. Names in them are as users wrote them: a report shortens and escapes them. */

import type { JsonValue } from '../../base/json.ts';
import type { Change, LastEdit } from '../../core/engine/change.ts';

export interface Labels<KindChange extends Change = Change> {
  /** One of the resources, after a number: `flag`. */
  readonly noun: string;
  /** The plural: `flags`. */
  readonly plural: string;
  /** Added to a key that would otherwise name the flag: ` (role access)`. */
  readonly qualifier: string;
  /** The label of a JSON pointer into the resource. No two pointers have the same label. */
  readonly field: (pointer: string) => string;
  /** The unit of a number at the pointer: `%`, or nothing. */
  readonly unit: (pointer: string) => string;
  /** The value that an absent value at the pointer stands for; `undefined` if it stands for none. */
  readonly absent: (pointer: string) => JsonValue | undefined;
  /** The ids of the resource in the service, `id 12`; a detailed report shows more of them. */
  readonly identity: (change: KindChange, detailed: boolean) => readonly string[];
  /** Added to the key in the line of a change: ` to engineering`, or nothing. */
  readonly target: (change: KindChange, quote: Quote) => string;
  /** Added to the key in the line of a drift report: what differs. */
  readonly drift: (change: KindChange, quote: Quote) => string;
  /** Sentences about effects of the change beyond its fields. */
  readonly consequences: (change: KindChange, quote: Quote) => readonly string[];
  /** The last editor of the live resource, and the time, if the service states them. */
  readonly lastEdit: (change: KindChange) => LastEdit | undefined;
  /** Precedes the key of a change that another change needs: `a grant on `, or nothing. */
  readonly need: string;
  /** How manifests delete a resource of the kind; absent for one that is attached to another. */
  readonly deletionHint?: string;
  /** The member of a result document for the id that the service returned; absent where it is not known which one that is. */
  readonly answeredId: (change: KindChange) => 'id' | 'entry_id' | undefined;
}

/** The words of a kind with resources of its own, `KIND:KEY`, where it has no others. The service does not say who edited one last. */
export const OWN_LABELS: Omit<Labels, 'noun' | 'plural' | 'qualifier' | 'field' | 'identity' | 'drift'> = {
  unit: () => '',
  absent: () => undefined,
  target: () => '',
  consequences: () => [],
  lastEdit: () => undefined,
  need: '',
  answeredId: () => 'id',
};

/** Shortens and escapes a name. */
export type Quote = (text: string) => string;
