/** Connects an instance of posthog-node with declared flags: it keeps its whole interface, and its requests are answered here. */

import { parseJson, stringifyJson } from '../base/json-text.ts';
import { memberOf, objectOrEmpty, type JsonObject, type JsonValue } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { requireDecided } from './errors.ts';
import type { Answer, TestPerson, PostHogClass, UndecidedAnswer } from './api.ts';

/** The answers by key. */
export type AllAnswers = ReadonlyMap<string, Answer | UndecidedAnswer>;

interface PostHogConnection<Client> {
  readonly PostHog: PostHogClass<Client>;
  readonly options: object;
  readonly answerAll: (person: TestPerson) => AllAnswers;
  /** Throws for a flag that no manifest declares. */
  readonly checkKey: CheckKey;
}

/**
 * Methods that ask for one flag fail where the manifests have no answer: for a key that none declares, and for a value that only the
 * service knows. posthog-node alone would give `undefined`, which code takes for off.
 */
export function connectPostHog<Client extends object>({
  PostHog,
  options,
  answerAll,
  checkKey,
}: PostHogConnection<Client>): Client {
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
    // The library's request: docs/service.md, "Evaluation".
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
    this.#last = attempt(() => answerAll(person));
    this.#outcomes.set(person.id, this.#last);
    // The library would repeat a request that throws, after seconds.
    return toFlagsAnswer('error' in this.#last ? new Map() : this.#last.answers);
  }

  /** `id`: a distinct id; anything else stands for the person of the last request, whose id is in the library's context. */
  outcomeOf(id: unknown): AnswerAttempt {
    return this.#outcomes.get(id) ?? this.#last;
  }
}

function attempt(answer: () => AllAnswers): AnswerAttempt {
  try {
    return { answers: answer() };
  } catch (error) {
    return { error };
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
