/** The flags that manifests declare for one project, and what they answer people. */

import { parseJson, stringifyJson } from '../base/json-text.ts';
import { nearest } from '../base/text.ts';
import { didYouMean, quoted, listed } from '../base/wording.ts';
import type { NamedPerson, ExpectedAnswer, Undecided } from '../review/expectations/expectation.ts';
import type { AskFlags, PersonAnswers } from '../review/expectations/answers.ts';
import type { DesiredFlag } from '../posthog/desired.ts';
import { attemptText, undecidedRemedy, undecidedText } from '../report/words/answers.ts';
import type {
  Answer,
  Answers,
  Bootstrap,
  DeclaredFlags,
  TestPerson,
  UndecidedAnswer,
  TestGroup,
  PostHogClass,
} from './api.ts';
import { memberOf, type JsonObject, objectOrEmpty, type JsonValue } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { toPerson } from '../review/expectations/resolve.ts';
import { FlagwrightError } from '../base/errors.ts';
import { describe } from '../report/words/diagnostics.ts';

/** What was loaded last for one project. */
export interface LoadedFlags {
  /** The flags by key, sorted. */
  readonly flags: ReadonlyMap<string, DesiredFlag>;
  readonly ask: AskFlags;
  readonly known: KnownToPeople;
}

export interface FlagSource {
  /** Default: the time of the clock. */
  readonly current: (at?: Date) => LoadedFlags;
  readonly now: () => Date;
  readonly reload: () => Promise<void>;
  readonly close: () => void;
}

export function createDeclaredFlags({ current, now, reload, close }: FlagSource): DeclaredFlags {
  const answerAll = (person: TestPerson): AllAnswers => {
    const at = now();
    const loaded = current(at);
    return answersOfAll(loaded, readPerson(person, loaded.known), at);
  };
  return {
    get project() {
      return current().known.project;
    },
    get keys() {
      return declaredKeys(current());
    },
    evaluate: (person, { at = now() } = {}) => createPersonAnswers(person, at, current(at)),
    posthog: (PostHog, options = {}) =>
      connectPostHog(PostHog, options, { answerAll, checkKey: (key) => void flagOf(key, current()) }),
    bootstrap: (person): Bootstrap => {
      const answers = answerAll(person);
      return {
        distinctID: person.id,
        isIdentifiedID: true,
        featureFlags: mapDecided(answers, ({ value }) => value),
        featureFlagPayloads: mapDecided(answers, ({ payload }) => payload),
      };
    },
    reload,
    close,
  };
}

function declaredKeys({ flags }: LoadedFlags): readonly string[] {
  return [...flags.values()].flatMap(({ key, kind }) => (kind === 'declared' ? [key] : []));
}

function createPersonAnswers(person: TestPerson, at: Date, loaded: LoadedFlags): Answers {
  const named = readPerson(person, loaded.known);
  const known = new Map<string, PersonAnswers>();
  const ask = (key: string): PersonAnswers => {
    const found = known.get(key) ?? loaded.ask(named, at.getTime(), new Set([key]));
    known.set(key, found);
    return found;
  };
  const answer: Answers['answer'] = (key) => {
    flagOf(key, loaded);
    return answerOf(key, ask(key), loaded);
  };
  return {
    value: (key) => requireDecided(key, answer(key)).value,
    isOn: (key) => requireDecided(key, answer(key)).value !== false,
    payload: (key) => requireDecided(key, answer(key)).payload,
    answer,
    explain: (key) => {
      flagOf(key, loaded);
      const attempts = ask(key).attempts(key);
      return attempts.map((attempt) => attemptText(attempt, undefined));
    },
    values: () => mapDecided(answersOfAll(loaded, named, at), ({ value }) => value),
  };
}

/** Evaluates all flags together: they share the person and each other's values. */
function answersOfAll(loaded: LoadedFlags, named: NamedPerson, at: Date): AllAnswers {
  const keys = declaredKeys(loaded);
  const answers = loaded.ask(named, at.getTime(), new Set(keys));
  return new Map(keys.map((key) => [key, answerOf(key, answers, loaded)]));
}

function answerOf(key: string, answers: PersonAnswers, loaded: LoadedFlags): Answer | UndecidedAnswer {
  const found = answers.of(key) as ExpectedAnswer | Undecided;
  const { place: own } = flagOf(key, loaded).places;
  if ('code' in found) {
    const place = found.code === 'filter_unknown' ? found.condition.place : own;
    return { undecided: undecidedText(found), remedy: undecidedRemedy(found), place };
  }
  const { value, payload, reason, condition } = found;
  const place = condition?.place ?? own;
  // A test may change what it gets; the manifests are read once for all tests of a process.
  const copy = payload === undefined ? {} : { payload: parseJson(stringifyJson(payload)) };
  return { value, reason, place, ...copy };
}

/** @throws {FlagwrightError} `usage` if no manifest declares the flag for the project. */
function flagOf(key: string, { flags, known: { project } }: LoadedFlags): DesiredFlag {
  const flag = flags.get(key);
  if (flag !== undefined) return flag;
  throw usageError(
    `No manifest declares a flag ${quoted(key)} for the project ${quoted(project)}.`,
    didYouMean(nearest(key, flags.keys()), 'Declare it, or correct the key.'),
  );
}

function mapDecided<Value>(answers: AllAnswers, valueOf: (answer: Answer) => Value | undefined): Record<string, Value> {
  return Object.fromEntries(
    [...answers].flatMap(([key, answer]): [string, Value][] => {
      const value = 'undecided' in answer ? undefined : valueOf(answer);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

/** The names that people may use, and the people whom the service knows. */
export interface KnownToPeople {
  readonly project: string;
  /** Aliases of the project's cohorts. */
  readonly cohorts: ReadonlySet<string>;
  /** The index of each group type by its name. */
  readonly groupTypes: Readonly<Record<string, number>>;
  /** Keys are distinct ids. What a person says precedes what is known of it. */
  readonly people: ReadonlyMap<string, TestPerson>;
}

/** @throws {FlagwrightError} `usage` for a member, a cohort or a type of groups that does not exist, or a value that is no JSON. */
export function readPerson(person: TestPerson, known: KnownToPeople): NamedPerson {
  checkMembers(person);
  const stored = known.people.get(person.id);
  const { id, properties, groups, cohorts, device_id, anonymous_id } = {
    ...stored,
    ...person,
    properties: { ...stored?.properties, ...person.properties },
    groups: { ...stored?.groups, ...person.groups },
  };
  for (const cohort of cohorts ?? []) checkCohort(person, cohort, known);
  return toPerson(id, {
    id,
    properties: toJson(properties, `the properties of ${quoted(id)}`),
    groups: Object.fromEntries(
      Object.entries(groups).map(([name, group]) => [groupIndex(name, known), toGroup(name, group)]),
    ),
    ...defined({ cohorts, device_id, anonymous_id }),
  });
}

const MEMBERS: { readonly [Member in keyof Required<TestPerson>]: true } = {
  id: true,
  properties: true,
  groups: true,
  cohorts: true,
  device_id: true,
  anonymous_id: true,
};

function checkMembers(person: TestPerson): void {
  const { id } = (person as TestPerson | null | undefined) ?? {};
  if (typeof id !== 'string' || id === '') {
    throw usageError('A person needs an id.', "Pass an object such as { id: 'ada-7', properties: { plan: 'pro' } }.");
  }
  const unknown = Object.keys(person).find((member) => !Object.hasOwn(MEMBERS, member));
  if (unknown === undefined) return;
  throw usageError(
    `A person has no member ${quoted(unknown)}.`,
    didYouMean(nearest(unknown, Object.keys(MEMBERS)), 'Properties of the person belong under `properties`.'),
  );
}

function checkCohort({ id }: TestPerson, cohort: string | number, { cohorts, project }: KnownToPeople): void {
  if (typeof cohort === 'number' || /^\d+$/.test(cohort) || cohorts.has(cohort)) return;
  throw usageError(
    `${quoted(id)} is in cohort ${quoted(cohort)}, which ${project} does not have.`,
    didYouMean(nearest(cohort, cohorts), 'Use an alias of flagwright.yaml or of the manifests, or an id.'),
  );
}

function groupIndex(name: string, { groupTypes }: KnownToPeople): string {
  const index = memberOf(groupTypes, name);
  if (index !== undefined) return String(index);
  if (/^\d+$/.test(name)) return name;
  const names = Object.keys(groupTypes);
  throw usageError(
    `The index of the group type ${quoted(name)} is unknown.`,
    names.length === 0
      ? `Pass it to loadFlags, as in { groupTypes: { ${name}: 0 } }.`
      : didYouMean(nearest(name, names), `Add it to groupTypes, which has ${listed(names, 'and')}.`),
  );
}

function toGroup(name: string, group: TestGroup): { readonly key: string | number; readonly properties: JsonObject } {
  if (typeof group !== 'object') return { key: group, properties: {} };
  return { key: group.key, properties: toJson(group.properties ?? {}, `the properties of group ${quoted(name)}`) };
}

/** Gives dates their JSON text, and drops what JSON cannot hold, as a library does that sends properties. */
function toJson(value: Readonly<Record<string, unknown>>, what: string): JsonObject {
  try {
    return parseJson(stringifyJson(value as JsonObject)) as JsonObject;
  } catch (cause) {
    throw usageError(`JSON cannot hold ${what}.`, 'Remove the circular references.', cause);
  }
}

export function usageError(problem: string, remedy: string, cause?: unknown): FlagwrightError {
  return new FlagwrightError('usage', `${problem} ${remedy}`, defined({ cause }));
}

/** @throws {FlagwrightError} `usage` if the manifests do not decide the value. */
function requireDecided(key: string, answer: Answer | UndecidedAnswer): Answer {
  if (!('undecided' in answer)) return answer;
  const { file, line, column } = answer.place;
  throw usageError(
    `${file}:${line}:${column}: the value of ${quoted(key)} is unknown here: ${answer.undecided}.`,
    answer.remedy,
  );
}

/** Adds a line for each problem of the configuration or the manifests. */
export function withPlaces(error: unknown): unknown {
  if (!(error instanceof FlagwrightError) || error.diagnostics.length === 0) return error;
  const { code, diagnostics } = error;
  const lines = diagnostics
    .filter(({ severity }) => severity === 'error')
    .map((diagnostic) => {
      const { message, remedy } = describe(diagnostic);
      const { place } = diagnostic;
      return `${place === undefined ? '' : `${place.file}:${place.line}:${place.column}: `}${message} ${remedy}`;
    });
  const message = lines.length === 1 ? lines[0] : [error.message, ...lines].join('\n  ');
  return new FlagwrightError(code, message ?? error.message, { diagnostics, cause: error });
}

/** The answers by key. */
type AllAnswers = ReadonlyMap<string, Answer | UndecidedAnswer>;

/**
 * Methods that ask for one flag fail where the manifests have no answer: for a key that none declares, and for a value that only the
 * service knows. posthog-node alone would give `undefined`, which code takes for off.
 */
function connectPostHog<Client extends object>(
  PostHog: PostHogClass<Client>,
  options: object,
  { answerAll, checkKey }: { readonly answerAll: (person: TestPerson) => AllAnswers; readonly checkKey: CheckKey },
): Client {
  const answered = new AnsweredPeople();
  const client = new PostHog('phc_flagwright_testing', {
    ...options,
    host: 'http://flagwright.invalid',
    fetch: async (url: string, { body }: { readonly body?: unknown } = {}) =>
      toResponse(
        /^\/(flags|decide)\/?$/.test(new URL(url).pathname) ? answered.answer(body, answerAll) : { status: 1 },
      ),
    // No timer waits for more events, so that none keeps the test's process alive.
    flushAt: 1,
    // A compressed body could not be read here.
    disableCompression: true,
    // It would ask the service for definitions, and evaluate them itself.
    enableLocalEvaluation: false,
  } as never);
  guardFlags(client, answered, checkKey);
  guardSets(client, answered);
  guardSnapshots(client, answered, checkKey);
  return client;
}

/** Throws for a flag that no manifest declares. */
type CheckKey = (key: string) => void;

/** The methods for one flag. */
function guardFlags(client: object, answered: AnsweredPeople, checkKey: CheckKey): void {
  for (const name of ['isFeatureEnabled', 'getFeatureFlag', 'getFeatureFlagPayload', 'getFeatureFlagResult']) {
    replaceMethod(client, name, (method) => async (key: string, ...rest: readonly unknown[]) => {
      checkKey(key);
      const value = await method(key, ...rest);
      if (value === undefined) requireAnswer(key, answered.outcomeOf(rest[0]));
      return value;
    });
  }
}

/** The methods for all flags: those without a decided value are missing, as they would be from the service. */
function guardSets(client: object, answered: AnsweredPeople): void {
  for (const name of ['getAllFlags', 'getAllFlagsAndPayloads']) {
    replaceMethod(client, name, (method) => async (...asked: readonly unknown[]) => {
      const values = await method(...asked);
      requireOutcome(answered.outcomeOf(asked[0]));
      return values;
    });
  }
}

function guardSnapshots(client: object, answered: AnsweredPeople, checkKey: CheckKey): void {
  replaceMethod(client, 'evaluateFlags', (method) => async (...asked: readonly unknown[]) => {
    const snapshot = (await method(...asked)) as { readonly keys: readonly string[] };
    const outcome = answered.outcomeOf(asked[0]);
    requireOutcome(outcome);
    for (const name of ['isEnabled', 'getFlag', 'getFlagPayload']) {
      replaceMethod(snapshot, name, (read) => (key: string, ...rest: readonly unknown[]) => {
        checkKey(key);
        if (!snapshot.keys.includes(key)) requireAnswer(key, outcome);
        return read(key, ...rest);
      });
    }
    return snapshot;
  });
}

type LibraryMethod = (...args: readonly unknown[]) => unknown;

/** Releases of posthog-node differ in their methods. */
function replaceMethod(target: object, name: string, replace: (method: LibraryMethod) => unknown): void {
  const method: unknown = Reflect.get(target, name);
  if (typeof method !== 'function') return;
  const value = replace((...args) => Reflect.apply(method, target, args) as unknown);
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
}

type AnswerAttempt = { readonly answers: AllAnswers } | { readonly error: unknown };

/** A wrong question is answered without flags, and its error is thrown where the library's caller gets the answer. */
class AnsweredPeople {
  readonly #outcomes = new Map<unknown, AnswerAttempt>();
  #last: AnswerAttempt = { answers: new Map() };

  answer(body: unknown, answerAll: (person: TestPerson) => AllAnswers): JsonValue {
    // The library's request: docs/service.md, "Answers of /flags".
    const asked = typeof body === 'string' ? objectOrEmpty(parseJson(body)) : {};
    const properties = objectOrEmpty(asked['group_properties']);
    const groups = Object.entries(objectOrEmpty(asked['groups'])).map(([type, key]) => [
      type,
      { key: key as string, properties: objectOrEmpty(memberOf(properties, type)) },
    ]);
    const { device_id, anon_distinct_id: anonymous_id } = asked as Readonly<Record<string, string | undefined>>;
    const person = {
      id: asked['distinct_id'] as string,
      properties: objectOrEmpty(asked['person_properties']),
      groups: Object.fromEntries(groups) as NonNullable<TestPerson['groups']>,
      ...defined({ device_id, anonymous_id }),
    };
    try {
      this.#last = { answers: answerAll(person) };
    } catch (error) {
      this.#last = { error };
    }
    this.#outcomes.set(person.id, this.#last);
    // The library would repeat a request that throws, after seconds.
    return toFlagsAnswer('error' in this.#last ? new Map() : this.#last.answers);
  }

  /** `id`: a distinct id; anything else stands for the person of the last request, whose id is in the library's context. */
  outcomeOf(id: unknown): AnswerAttempt {
    return this.#outcomes.get(id) ?? this.#last;
  }
}

function requireOutcome(outcome: AnswerAttempt): AllAnswers {
  if ('error' in outcome) throw outcome.error;
  return outcome.answers;
}

function requireAnswer(key: string, outcome: AnswerAttempt): void {
  const answer = requireOutcome(outcome).get(key);
  if (answer !== undefined) requireDecided(key, answer);
}

function toFlagsAnswer(answers: AllAnswers): JsonObject {
  const flags = [...answers].flatMap(([key, answer], index): [string, JsonObject][] => {
    if ('undecided' in answer) return [];
    const { value, payload, reason } = answer;
    const metadata = { id: index + 1, version: 1, payload: payload === undefined ? null : stringifyJson(payload) };
    const variant = typeof value === 'string' ? value : null;
    return [[key, { key, enabled: value !== false, variant, reason: { code: reason, description: reason }, metadata }]];
  });
  return { flags: Object.fromEntries(flags), errorsWhileComputingFlags: false, requestId: 'flagwright' };
}

/** The part of a response that the library reads. Test environments without `Response` have it too. */
function toResponse(value: JsonValue): object {
  const text = stringifyJson(value);
  return {
    status: 200,
    headers: { get: () => null },
    text: async () => text,
    json: async () => parseJson(text),
  };
}
