/** Unites test files to one suite: people by name, and one expectation for each flag. Checks what needs no flag. */

import { hasErrors, sortDiagnostics } from '../base/diagnostic.ts';
import { toPointer } from '../base/json-pointer.ts';
import { defined } from '../base/optional.ts';
import { placeAt, type Place } from '../base/place.ts';
import { nearest } from '../base/text.ts';
import type { Expectation, Expected, GroupOfPerson, Person, Suite } from './expectation.ts';
import type { ExpectationDiagnostic } from './problems.ts';
import type { TestDocument, WrittenAnswer, WrittenExpectation, WrittenGroup, WrittenPerson } from './written.ts';

export interface ResolvedSuite extends Suite {
  /** Sorted. An expectation with an error is left out. */
  readonly diagnostics: readonly ExpectationDiagnostic[];
}

/** `allProjects`: the names that expectations may use. `aliases`: those of the cohorts of any project. */
export interface KnownNames {
  readonly allProjects: readonly string[];
  readonly aliases: readonly string[];
}

export function resolveSuite(documents: readonly TestDocument[], names: KnownNames): ResolvedSuite {
  const { people, diagnostics } = readPeople(documents);
  const found = [...diagnostics, ...documents.flatMap((document) => checkAliases(document, names.aliases))];
  const expectations = documents.flatMap((document) =>
    (document.written.expect ?? []).flatMap((written, index) => {
      const scope = { document, at: `/expect/${index}`, people, names };
      const wrong = checkExpectation(written, scope);
      found.push(...wrong);
      return hasErrors(wrong) ? [] : toExpectations(written, scope);
    }),
  );
  return { people, expectations, diagnostics: sortDiagnostics(found) };
}

interface NamedPeople {
  readonly people: ReadonlyMap<string, Person>;
  readonly diagnostics: readonly ExpectationDiagnostic[];
}

/** The people alone; expectations may be wrong. */
export function readPeople(documents: readonly TestDocument[]): NamedPeople {
  const people = new Map<string, Person>();
  const places = new Map<string, Place>();
  const diagnostics: ExpectationDiagnostic[] = [];
  for (const document of documents) {
    for (const [name, written] of Object.entries(document.written.people ?? {})) {
      const place = placeAt(document.places, toPointer(['people', name]));
      const other = places.get(name);
      if (other === undefined) {
        places.set(name, place);
        people.set(name, toPerson(name, written ?? {}));
      } else diagnostics.push({ code: 'person-duplicate', severity: 'error', place, args: { person: name, other } });
    }
  }
  return { people, diagnostics };
}

function toPerson(name: string, written: WrittenPerson): Person {
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

function checkAliases({ written, places }: TestDocument, aliases: readonly string[]): ExpectationDiagnostic[] {
  const named = Object.entries(written.people ?? {}).map(([name, person]) => ({
    cohorts: person?.cohorts ?? [],
    at: toPointer(['people', name, 'cohorts']),
  }));
  const inline = (written.expect ?? []).map(({ person }, index) => ({
    cohorts: isWritten(person) ? (person.cohorts ?? []) : [],
    at: `/expect/${index}/person/cohorts`,
  }));
  return [...named, ...inline].flatMap(({ cohorts, at }) =>
    cohorts.flatMap((cohort, index): ExpectationDiagnostic[] => {
      if (typeof cohort === 'number' || /^\d+$/.test(cohort) || aliases.includes(cohort)) return [];
      const args = { cohort, ...defined({ suggestion: nearest(cohort, aliases) }) };
      return [{ code: 'person-cohort-unknown', severity: 'error', place: placeAt(places, `${at}/${index}`), args }];
    }),
  );
}

function isWritten(person: WrittenExpectation['person']): person is Exclude<typeof person, string | readonly string[]> {
  return typeof person === 'object' && !Array.isArray(person);
}

interface Scope {
  readonly document: TestDocument;
  /** Pointer of the expectation in the document. */
  readonly at: string;
  readonly people: ReadonlyMap<string, Person>;
  readonly names: KnownNames;
}

function checkExpectation(
  written: WrittenExpectation,
  { document, at, people, names }: Scope,
): ExpectationDiagnostic[] {
  const place = (...segments: readonly string[]): Place => placeAt(document.places, at + toPointer(segments));
  const unknown = namesIn(written).flatMap(({ name, segments }): ExpectationDiagnostic[] => {
    if (people.has(name)) return [];
    const args = { person: name, ...defined({ suggestion: nearest(name, people.keys()) }) };
    return [{ code: 'person-unknown', severity: 'error', place: place(...segments), args }];
  });
  const projects = (written.projects ?? []).flatMap((project, index): ExpectationDiagnostic[] => {
    if (names.allProjects.includes(project)) return [];
    const args = { project, ...defined({ suggestion: nearest(project, names.allProjects) }) };
    return [{ code: 'project-unknown', severity: 'error', place: place('projects', String(index)), args }];
  });
  const { at: time } = written;
  const isTime = time === undefined || !Number.isNaN(Date.parse(time));
  return [
    ...unknown,
    ...projects,
    ...(isTime
      ? []
      : [{ code: 'expected-time-invalid', severity: 'error', place: place('at'), args: { time } } as const]),
    ...Object.entries(written.flags).flatMap(([flag, answer]): ExpectationDiagnostic[] => {
      const { value, payload } = toExpected(answer);
      if (value !== false || payload === undefined || payload === null) return [];
      return [{ code: 'expected-payload-of-off', severity: 'error', place: place('flags', flag, 'payload'), args: {} }];
    }),
  ];
}

function namesIn({ person }: WrittenExpectation): { readonly name: string; readonly segments: readonly string[] }[] {
  if (typeof person === 'string') return [{ name: person, segments: ['person'] }];
  if (isWritten(person)) return [];
  return person.map((name, index) => ({ name, segments: ['person', String(index)] }));
}

function toExpectations(written: WrittenExpectation, { document, at, people }: Scope): Expectation[] {
  const { person, name, projects, at: time } = written;
  const meant = isWritten(person)
    ? [toPerson(person.id, person)]
    : namesIn(written).flatMap((named) => people.get(named.name) ?? []);
  return Object.entries(written.flags).map(([flag, answer]) => ({
    ...defined({ name, projects, at: time === undefined ? undefined : Date.parse(time) }),
    people: meant,
    flag,
    expected: toExpected(answer),
    place: placeAt(document.places, at + toPointer(['flags', flag])),
  }));
}

function toExpected(answer: WrittenAnswer): Expected {
  if (typeof answer !== 'object') return { value: answer };
  const { value = true, payload } = answer;
  return { value, ...defined({ payload }) };
}
