/** The words that a kind of resource brings for reports. They are as users wrote them: a report cuts and escapes them. */

import type { Change } from './change.ts';

export interface Labels<KindChange extends Change = Change> {
  /** Follows the key where that alone would mean the flag: ` (role access)`. */
  readonly qualifier: string;
  /** A JSON pointer into the resource in words; each label stands for exactly one pointer. */
  readonly field: (pointer: string) => string;
  /** What a number at the pointer counts: `%`, or nothing. */
  readonly unit: (pointer: string) => string;
  /** What a person needs to find the resource in the service, `id 12`; more of it in a detailed report. */
  readonly identity: (change: KindChange, detailed: boolean) => readonly string[];
  /** Follows the key where a plan names the change: ` to engineering`, or nothing. */
  readonly target: (change: KindChange, quote: Quote) => string;
  /** Follows the key where drift names the change. */
  readonly drift: (change: KindChange, quote: Quote) => string;
  /** Before the key where a sentence names a change that another one needs: `a grant on `, or nothing. */
  readonly need: string;
  /** The key in a ref of this kind. */
  readonly keyOfRef: (ref: string) => string;
  /** The member of a result document that holds the id which the service answered. */
  readonly answeredId: 'id' | 'entry_id';
}

/** Makes a name that a user chose short and harmless. */
export type Quote = (text: string) => string;
