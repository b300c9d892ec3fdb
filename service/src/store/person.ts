/** A stored person. */

import type { JsonObject } from '../../../src/base/json.ts';

/** A person without its distinct ids, which are in another table. */
export interface PersonRecord {
  readonly id: number;
  readonly projectId: string;
  readonly uuid: string;
  readonly createdAt: string;
  readonly properties: JsonObject;
}

export interface StoredPerson extends PersonRecord {
  /** Sorted as the person got them; never empty. */
  readonly distinctIds: readonly string[];
}

export interface NewPerson extends Omit<StoredPerson, 'id'> {
  /** Default: the next free one. */
  readonly id?: number;
}
