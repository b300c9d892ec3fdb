/** Unites test files to one suite: people by name, and one expectation for each flag. Checks what needs no flag. */

import { hasErrors, sortDiagnostics } from '../base/diagnostic.ts';
import { toPointer } from '../base/json-pointer.ts';
import { defined } from '../base/optional.ts';
import { placeAt, type Place } from '../base/place.ts';
import type { Suggest } from '../base/text.ts';
import { parseInstant } from '../base/times.ts';
import type { Expectation, Expected, Suite, TestDocument, WrittenAnswer, WrittenExpectation } from './expectation.ts';
import { isWritten, readPeople, toPerson, type NamedPeople } from './people.ts';
import type { ExpectationDiagnostic } from './problems.ts';

export interface ResolvedSuite extends Suite {
  /** Sorted. An expectation with an error is left out. */
  readonly diagnostics: readonly ExpectationDiagnostic[];
}

/** `allProjects`: the names that expectations may use. `aliases`: those of the cohorts of any project; absent: not checked. */
export interface KnownNames {
  readonly allProjects: readonly string[];
  readonly aliases?: ReadonlySet<string>;
  /** False where a file with people could not be read: then a person without an entry may be in it. */
  readonly arePeopleComplete: boolean;
  readonly suggest: Suggest;
}

export function resolveSuite(documents: readonly TestDocument[], known: KnownNames): ResolvedSuite {
  const { people, names, diagnostics } = readPeople(documents);
  const found = [...diagnostics, ...documents.flatMap((document) => checkAliases(document, known))];
  const expectations = documents.flatMap((document) =>
    document.expectations.flatMap(({ written, at }) => {
      const scope = { document, at, people, names, known };
      const wrong = checkExpectation(written, scope);
      found.push(...wrong);
      return hasErrors(wrong) ? [] : toExpectations(written, scope);
    }),
  );
  return { people, expectations, diagnostics: sortDiagnostics(found) };
}

function checkAliases(
  { people, expectations, places }: TestDocument,
  { aliases, suggest }: KnownNames,
): ExpectationDiagnostic[] {
  if (aliases === undefined) return [];
  const named = [...people].map(([name, person]) => ({
    cohorts: person?.cohorts ?? [],
    at: toPointer(['people', name, 'cohorts']),
  }));
  const inline = expectations.map(({ written: { person }, at }) => ({
    cohorts: isWritten(person) ? (person.cohorts ?? []) : [],
    at: `${at}/person/cohorts`,
  }));
  return [...named, ...inline].flatMap(({ cohorts, at }) =>
    cohorts.flatMap((cohort, index): ExpectationDiagnostic[] => {
      if (typeof cohort === 'number' || /^\d+$/.test(cohort) || aliases.has(cohort)) return [];
      const args = { cohort, ...defined({ suggestion: suggest(cohort, aliases) }) };
      return [{ code: 'person-cohort-unknown', severity: 'error', place: placeAt(places, `${at}/${index}`), args }];
    }),
  );
}

interface DocumentScope extends Pick<NamedPeople, 'people' | 'names'> {
  readonly document: TestDocument;
  /** Pointer of the expectation in the document. */
  readonly at: string;
  readonly known: KnownNames;
}

function checkExpectation(
  written: WrittenExpectation,
  { document, at, names, known }: DocumentScope,
): ExpectationDiagnostic[] {
  const place = (...segments: readonly string[]): Place => placeAt(document.places, at + toPointer(segments));
  const unknown = namesIn(written).flatMap(({ name, segments }): ExpectationDiagnostic[] => {
    if (!known.arePeopleComplete || names.has(name)) return [];
    const args = { person: name, ...defined({ suggestion: known.suggest(name, names) }) };
    return [{ code: 'person-unknown', severity: 'error', place: place(...segments), args }];
  });
  const projects = (written.projects ?? []).flatMap((project, index): ExpectationDiagnostic[] => {
    if (known.allProjects.includes(project)) return [];
    const args = { project, ...defined({ suggestion: known.suggest(project, known.allProjects) }) };
    return [{ code: 'project-unknown', severity: 'error', place: place('projects', String(index)), args }];
  });
  const { at: time } = written;
  const isTime = time === undefined || parseInstant(time) !== undefined;
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

function toExpectations(written: WrittenExpectation, { document, at, people }: DocumentScope): Expectation[] {
  const { person, name, projects, at: time } = written;
  const meant = isWritten(person)
    ? [toPerson(person.id, person)]
    : namesIn(written).flatMap((named) => people.get(named.name) ?? []);
  return Object.entries(written.flags).map(([flag, answer]) => ({
    ...defined({ name, projects, at: time === undefined ? undefined : parseInstant(time) }),
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
