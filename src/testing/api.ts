/** The types of `flagwright/testing`, which docs/testing-code.md describes. They import little, so that they can be published for both module systems. */

import type { JsonValue } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import type { FlagValue } from '../evaluation/input.ts';

export interface LoadFlagsOptions {
  /** A project of flagwright.yaml. Default: `FLAGWRIGHT_PROJECT`, or the default project. */
  readonly project?: string;
  /** The folder from which flagwright.yaml is searched, upwards: a path or a file URL. Default: the working directory. */
  readonly cwd?: string | URL;
  /** A configuration file, relative to `cwd`, instead of the one that would be found. */
  readonly config?: string;
  /** Default: that of the process. No API key is read. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The time of the flags and of evaluations. Default: the clock's. */
  readonly now?: () => Date;
  /** The same as a fixed time: a date, or a string with the offset of its time zone. */
  readonly at?: Date | string;
  /** The indices of group types by their names, such as `{ company: 0 }`: manifests have the index only. */
  readonly groupTypes?: Readonly<Record<string, number>>;
  /** People whom the service knows. What a call says of a person precedes it. */
  readonly people?: readonly TestPerson[];
  /**
   * Reads manifests again when they change, for a program that keeps running. While they have errors the flags stay as they are, and
   * `onError` is called for each error; default: a warning of the process.
   */
  readonly watch?: boolean | { readonly onError: (error: Error) => void };
}

/** The members are those of a person in a test file (docs/testing.md, "People"). */
export interface TestPerson {
  /** The distinct id, which rollouts hash. */
  readonly id: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  /** The groups by the index of their type, or by its name where `groupTypes` has it. */
  readonly groups?: Readonly<Record<string, TestGroup>>;
  /** Aliases or ids of cohorts that the person is in. */
  readonly cohorts?: readonly (string | number)[];
  readonly device_id?: string;
  readonly anonymous_id?: string;
}

export type TestGroup =
  string | number | { readonly key: string | number; readonly properties?: Readonly<Record<string, unknown>> };

/** The answer of one flag to one person. */
export interface Answer {
  /** `false` is off, `true` is on without a variant, a string is the key of the variant. */
  readonly value: FlagValue;
  /** A JSON value; absent without a payload, and where payloads are encrypted. */
  readonly payload?: JsonValue;
  /** Why: the codes of docs/evaluation.md. */
  readonly reason: string;
  /** The place of the condition that decided, or of the flag. */
  readonly place: Place;
}

/** The manifests do not decide what the flag answers. */
export interface UndecidedAnswer {
  /** The end of a sentence: `no manifest declares its conditions, so the service decides`. */
  readonly undecided: string;
  readonly remedy: string;
  /** The place of the condition that only the service can decide, or of the flag. */
  readonly place: Place;
}

/** What the flags answer one person. Each method throws a `FlagwrightError` for a key that no manifest declares for the project. */
export interface Answers {
  /** @throws {FlagwrightError} also if the manifests do not decide the value. */
  readonly value: (key: string) => FlagValue;
  /** Whether the flag is on, with any variant or without one. Throws as `value` does. */
  readonly isOn: (key: string) => boolean;
  /** `undefined` without a payload. Throws as `value` does. */
  readonly payload: (key: string) => JsonValue | undefined;
  /** The answer with its reason. It does not throw if the manifests do not decide the value. */
  readonly answer: (key: string) => Answer | UndecidedAnswer;
  /** One line for each condition that was tried, up to the one that decided: for messages of failed tests. */
  readonly explain: (key: string) => readonly string[];
  /** The values of all flags that the manifests decide, by key. */
  readonly values: () => Readonly<Record<string, FlagValue>>;
}

export interface DeclaredFlags {
  /** The name of the project in flagwright.yaml. */
  readonly project: string;
  /** The keys of the declared flags, sorted, without those that the manifests delete. */
  readonly keys: readonly string[];
  /** Evaluates synchronously. `at`: the time of the flags and of the evaluation; default: that of `loadFlags`. */
  readonly evaluate: (person: TestPerson, options?: { readonly at?: Date }) => Answers;
  /**
   * An instance of the class `PostHog` of posthog-node whose flags are those of the manifests. It sends nothing. `options` are those of the
   * class.
   */
  readonly posthog: <Client extends object>(PostHog: PostHogClass<Client>, options?: object) => Client;
  /** The option `bootstrap` of posthog-js for a person. */
  readonly bootstrap: (person: TestPerson) => Bootstrap;
  /** Reads the configuration and the manifests again. If they have errors, it rejects and the flags stay as they are. */
  readonly reload: () => Promise<void>;
  /** Ends `watch`. */
  readonly close: () => void;
}

export interface Bootstrap {
  readonly distinctID: string;
  readonly isIdentifiedID: true;
  readonly featureFlags: Readonly<Record<string, FlagValue>>;
  readonly featureFlagPayloads: Readonly<Record<string, JsonValue>>;
}

/** The class `PostHog` of posthog-node. */
export type PostHogClass<Client> = new (apiKey: string, options: never) => Client;
