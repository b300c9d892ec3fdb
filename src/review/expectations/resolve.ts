/** Unites test files to one suite, people by name and one expectation for each flag, and checks the names that they use. */

import { hasErrors, sortDiagnostics, distinct } from '../../base/diagnostic.ts';
import { toPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { placeAt, type Place } from '../../base/place.ts';
import type { Suggest } from '../../base/text.ts';
import { parseInstant } from '../../base/times.ts';
import type {
  Expectation,
  Expected,
  Suite,
  TestDocument,
  WrittenAnswer,
  WrittenExpectation,
  NamedPerson,
  WrittenPerson,
} from './expectation.ts';
import type { ExpectationDiagnostic } from './problems.ts';
import { variantsOf } from '../../evaluation/parts.ts';
import type { DesiredFlag, DesiredState } from '../../posthog/desired.ts';
import { type Filters, viewFilters } from '../../posthog/flag/model/flag.ts';

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

interface NamedPeople {
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
    groups: Object.fromEntries(
      Object.entries(groups ?? {}).map(([index, group]) => {
        const { key, properties: own } = typeof group === 'object' ? group : { key: group };
        return [index, { key, properties: own ?? {} }];
      }),
    ),
    cohorts: cohorts ?? [],
    ...defined({ deviceId, anonymousId }),
  };
}

/** Whether the expectation has the person itself, and not names. */
function isWritten(person: WrittenExpectation['person']): person is Exclude<typeof person, string | readonly string[]> {
  return typeof person === 'object' && !Array.isArray(person);
}

/** Checks that expectations name flags and variants that the manifests declare. `projects`: all that are judged, by name. Sorted, each problem once. */
export function checkFlags(
  expectations: readonly Expectation[],
  projects: ReadonlyMap<string, DesiredState>,
  suggest: Suggest,
): ExpectationDiagnostic[] {
  const declared = new Map(
    [...projects].map(([name, { flags }]) => [name, new Map(flags.map((flag) => [flag.key, flag]))]),
  );
  // Includes the keys that manifests declare only for other projects.
  const keys = new Set(
    [...projects.values()].flatMap(({ flags, namedElsewhere }) => [
      ...flags.map(({ key }) => key),
      ...(namedElsewhere?.flags ?? []),
    ]),
  );
  const found = expectations.flatMap((expectation) => [
    ...checkKey(expectation, declared, { keys, suggest }),
    ...checkVariant(expectation, declared),
  ]);
  return sortDiagnostics(distinct(found));
}

type FlagsByProject = ReadonlyMap<string, ReadonlyMap<string, DesiredFlag>>;

function checkKey(
  { flag, projects, place }: Expectation,
  declared: FlagsByProject,
  { keys, suggest }: { readonly keys: ReadonlySet<string>; readonly suggest: Suggest },
): ExpectationDiagnostic[] {
  if (!keys.has(flag)) {
    const suggestion = suggest(flag, keys);
    return [{ code: 'expected-flag-unknown', severity: 'error', place, args: { flag, ...defined({ suggestion }) } }];
  }
  const lacking = (projects ?? []).filter((project) => declared.get(project)?.has(flag) === false);
  return lacking.map((project) => ({
    code: 'expected-flag-unknown',
    severity: 'error',
    place,
    args: { flag, project },
  }));
}

/** A variant that no evaluation can give; `holdout-7` is one of a holdout. Said once where no project has it. */
function checkVariant(
  { flag: key, expected: { value }, projects, place }: Expectation,
  declared: FlagsByProject,
): ExpectationDiagnostic[] {
  if (typeof value !== 'string' || value.startsWith('holdout-')) return [];
  const known = [...declared].flatMap(([project, flags]) => {
    const variants = projects?.includes(project) === false ? undefined : knownVariants(flags.get(key));
    return variants === undefined ? [] : [{ project, variants }];
  });
  const lacking = known.filter(({ variants }) => !variants.includes(value));
  const isEverywhere =
    lacking.length === known.length && new Set(lacking.map(({ variants }) => variants.join())).size === 1;
  return (isEverywhere ? lacking.slice(0, 1) : lacking).map(({ project, variants }) => ({
    code: 'expected-variant-unknown',
    severity: 'error',
    place,
    args: { flag: key, variant: value, variants, ...(isEverywhere ? {} : { project }) },
  }));
}

/** `undefined` if no manifest declares them. */
function knownVariants(flag: DesiredFlag | undefined): readonly string[] | undefined {
  const filters = flag?.kind === 'declared' ? (flag.fields['filters'] as Filters | undefined) : undefined;
  return filters === undefined || viewFilters(filters).isOpaque
    ? undefined
    : variantsOf(filters).map((variant) => variant.key);
}
