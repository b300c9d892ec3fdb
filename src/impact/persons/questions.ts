/** The criteria that decide about people, as yes-or-no questions that flags share. */

import { canonicalText } from '../../base/json.ts';
import type { HashName } from '../../evaluation/input.ts';
import type { Property } from '../../posthog/flag/model/flag.ts';

/** `hash`: its identifier is a name of the person, their group or their device, by `identifiers.ts`. */
export type QuestionContent =
  | { readonly kind: 'hash'; readonly hash: HashName; readonly share: number }
  /** `aggregation`: the group type of the condition; null means persons. */
  | { readonly kind: 'filter'; readonly property: Property; readonly aggregation: number | null }
  /** Whether the person is in a group of the type. */
  | { readonly kind: 'group'; readonly type: string }
  | { readonly kind: 'device' }
  /** Whether the person has a property by which early access is decided. */
  | { readonly kind: 'has' | 'enrolled'; readonly property: string }
  /** The members of a cohort on one side of a change of its definition. */
  | { readonly kind: 'member'; readonly property: Property; readonly side: number };

/** Equal questions are one object. */
export interface PersonQuestion {
  readonly asking: QuestionContent;
  /** Counts from 0. Questions on the same hash have the same number; hashes are counted separately. */
  readonly place: number;
}

export interface PersonQuestions {
  readonly find: (asking: QuestionContent) => PersonQuestion;
}

export function createQuestions(): PersonQuestions {
  const found = new Map<string, PersonQuestion>();
  const [hashPlace, filterPlace] = [createPlaces(), createPlaces()];
  // A flag asks for its filters each time that it is evaluated, as the same objects.
  const seen = new WeakMap<Property, number>();
  const filterOf = (property: Property): number => {
    const known = seen.get(property) ?? filterPlace(canonicalText(property));
    seen.set(property, known);
    return known;
  };
  return {
    find: (asking) => {
      const name = nameOf(asking, filterOf);
      const known = found.get(name);
      if (known !== undefined) return known;
      const place = asking.kind === 'hash' ? hashPlace(hashText(asking.hash)) : found.size;
      const question = { asking, place };
      found.set(name, question);
      return question;
    },
  };
}

/** Equal names have the same place. */
function createPlaces(): (name: string) => number {
  const places = new Map<string, number>();
  return (name) => {
    const place = places.get(name) ?? places.size;
    places.set(name, place);
    return place;
  };
}

/** A part that may contain any character comes last. */
function nameOf(asking: QuestionContent, filterOf: (property: Property) => number): string {
  switch (asking.kind) {
    case 'hash':
      return `hash ${asking.share} ${hashText(asking.hash)}`;
    case 'filter':
      return `filter ${filterOf(asking.property)} ${asking.aggregation}`;
    case 'member':
      return `member ${filterOf(asking.property)} ${asking.side}`;
    case 'group':
      return `group ${asking.type}`;
    case 'device':
      return 'device';
    case 'has':
    case 'enrolled':
      return `${asking.kind} ${asking.property}`;
  }
}

/** An identifier is a name by `identifiers.ts`, so it has no line break. */
function hashText({ kind, identifier, flagKey }: HashName): string {
  return `${kind} ${identifier}\n${flagKey}`;
}
