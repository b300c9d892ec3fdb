/** The people of test files: those with a name, which all files share, and those who are written in an expectation. */

import { toPointer } from '../base/json-pointer.ts';
import { defined } from '../base/optional.ts';
import { placeAt, type Place } from '../base/place.ts';
import type {
  GroupOfPerson,
  NamedPerson,
  TestDocument,
  WrittenExpectation,
  WrittenGroup,
  WrittenPerson,
} from './expectation.ts';
import type { ExpectationDiagnostic } from './problems.ts';

export interface NamedPeople {
  /** Keys are names. */
  readonly people: ReadonlyMap<string, NamedPerson>;
  /** Includes people whose form is wrong. */
  readonly names: ReadonlySet<string>;
  readonly diagnostics: readonly ExpectationDiagnostic[];
}

export function readPeople(documents: readonly TestDocument[]): NamedPeople {
  const people = new Map<string, NamedPerson>();
  const places = new Map<string, Place>();
  const diagnostics: ExpectationDiagnostic[] = [];
  for (const document of documents) {
    for (const [name, written] of document.people) {
      const place = placeAt(document.places, toPointer(['people', name]));
      const other = places.get(name);
      if (other !== undefined) {
        diagnostics.push({ code: 'person-duplicate', severity: 'error', place, args: { person: name, other } });
        continue;
      }
      places.set(name, place);
      if (written !== undefined) people.set(name, toPerson(name, written));
    }
  }
  return { people, names: new Set(places.keys()), diagnostics };
}

export function toPerson(name: string, written: WrittenPerson): NamedPerson {
  const { id = name, properties, groups, cohorts, device_id: deviceId, anonymous_id: anonymousId } = written;
  return {
    name,
    id,
    properties: properties ?? {},
    groups: Object.fromEntries(Object.entries(groups ?? {}).map(([index, group]) => [index, toGroup(group)])),
    cohorts: cohorts ?? [],
    ...defined({ deviceId, anonymousId }),
  };
}

function toGroup(written: WrittenGroup): GroupOfPerson {
  if (typeof written !== 'object') return { key: written, properties: {} };
  return { key: written.key, properties: written.properties ?? {} };
}

/** Whether the expectation has the person itself, and not names. */
export function isWritten(
  person: WrittenExpectation['person'],
): person is Exclude<typeof person, string | readonly string[]> {
  return typeof person === 'object' && !Array.isArray(person);
}
