/** What decides about people, as yes-or-no questions that flags have in common. */

import { canonicalText, type JsonObject } from '../../base/json.ts';
import type { HashName } from '../../evaluation/assumptions.ts';
import type { Property } from '../../posthog/flag/flag.ts';
import { PERSON } from './identifiers.ts';

/** `hash`: its identifier is a name of the person, their group or their device, by `identifiers.ts`. */
export type Asking =
  | { readonly kind: 'hash'; readonly hash: HashName; readonly share: number }
  /** `aggregation`: the group type of the condition; null means persons. */
  | { readonly kind: 'filter'; readonly property: Property; readonly aggregation: number | null }
  /** Whether the person is in a group of the type. */
  | { readonly kind: 'group'; readonly type: string }
  | { readonly kind: 'device' }
  /** Whether the person has a property by which early access is decided. */
  | { readonly kind: 'has' | 'enrolled'; readonly property: string }
  /** Whom a cohort selects on one side of a change of its definition. */
  | { readonly kind: 'member'; readonly property: Property; readonly side: number };

/** Equal questions are one object. */
export interface Question {
  readonly asking: Asking;
  /** Counts from 0. Questions on the same hash have the same one, counted for itself. */
  readonly place: number;
  /** Whether the answer depends on the distinct id. */
  readonly isOfId: boolean;
}

export interface Questions {
  readonly find: (asking: Asking) => Question;
  /** How many were found so far. */
  readonly amounts: () => { readonly questions: number; readonly hashes: number };
}

export function createQuestions(): Questions {
  const found = new Map<string, Question>();
  const hashes = new Map<string, number>();
  return {
    find: (asking) => {
      const name = canonicalText(asking as unknown as JsonObject);
      const known = found.get(name);
      if (known !== undefined) return known;
      const place = asking.kind === 'hash' ? placeOf(asking.hash, hashes) : found.size;
      const question = { asking, place, isOfId: isOfId(asking) };
      found.set(name, question);
      return question;
    },
    amounts: () => ({ questions: found.size, hashes: hashes.size }),
  };
}

function placeOf(hash: HashName, hashes: Map<string, number>): number {
  const name = canonicalText({ ...hash });
  const place = hashes.get(name) ?? hashes.size;
  hashes.set(name, place);
  return place;
}

function isOfId(asking: Asking): boolean {
  if (asking.kind === 'hash') return asking.hash.identifier === PERSON;
  return asking.kind === 'filter' && asking.property.key === 'distinct_id';
}
