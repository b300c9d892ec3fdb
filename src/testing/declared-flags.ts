/** The flags that manifests declare for one project, and what they answer people. */

import { parseJson, stringifyJson } from '../base/json-text.ts';
import { nearest } from '../base/text.ts';
import { didYouMean, quoted } from '../base/wording.ts';
import type { NamedPerson } from '../expectations/expectation.ts';
import type { AskFlags, PersonAnswers } from '../expectations/answers.ts';
import type { ExpectedAnswer, Undecided } from '../expectations/verdict.ts';
import type { DesiredFlag } from '../posthog/desired.ts';
import { attemptText, undecidedRemedy, undecidedText } from '../report/words/answers.ts';
import { requireDecided, usageError } from './errors.ts';
import type { Answer, Answers, Bootstrap, DeclaredFlags, TestPerson, UndecidedAnswer } from './api.ts';
import { readPerson, type KnownToPeople } from './person.ts';
import { connectPostHog, type AllAnswers } from './posthog.ts';

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
  const evaluate: DeclaredFlags['evaluate'] = (person, { at = now() } = {}) =>
    createPersonAnswers(person, at, current(at));
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
    evaluate,
    posthog: (PostHog, options = {}) =>
      connectPostHog({ PostHog, options, answerAll, checkKey: (key) => void flagOf(key, current()) }),
    bootstrap: (person) => toBootstrap(person, answerAll(person)),
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
  const flag = flagOf(key, loaded);
  return 'code' in found ? toUndecided(found, flag) : toAnswer(found, flag);
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

function toAnswer({ value, payload, reason, condition }: ExpectedAnswer, { places }: DesiredFlag): Answer {
  const place = condition?.place ?? places.place;
  // A test may change what it gets; the manifests are read once for all tests of a process.
  return payload === undefined
    ? { value, reason, place }
    : { value, reason, place, payload: parseJson(stringifyJson(payload)) };
}

function toUndecided(why: Undecided, { places }: DesiredFlag): UndecidedAnswer {
  const place = why.code === 'filter_unknown' ? why.condition.place : places.place;
  return { undecided: undecidedText(why), remedy: undecidedRemedy(why), place };
}

function toBootstrap({ id }: TestPerson, answers: AllAnswers): Bootstrap {
  return {
    distinctID: id,
    isIdentifiedID: true,
    featureFlags: mapDecided(answers, ({ value }) => value),
    featureFlagPayloads: mapDecided(answers, ({ payload }) => payload),
  };
}

function mapDecided<Value>(answers: AllAnswers, valueOf: (answer: Answer) => Value | undefined): Record<string, Value> {
  return Object.fromEntries(
    [...answers].flatMap(([key, answer]): [string, Value][] => {
      const value = 'undecided' in answer ? undefined : valueOf(answer);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}
