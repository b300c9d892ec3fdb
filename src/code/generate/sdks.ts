/** How code reads a flag with each SDK: the part of a generated module that all its accessors share. */

export interface SdkText {
  /** Types of the SDK, which are gone at run time. */
  readonly imports: string;
  readonly text: string;
}

/** The names at the top level of a generated module that a flag could have too. */
export const OWN_NAMES: readonly string[] = ['flag'];

export type Sdk = 'posthog-js' | 'posthog-node' | 'openfeature-server' | 'openfeature-web';

export const SDKS: Readonly<Record<Sdk, SdkText>> = {
  'posthog-js': postHog({
    about: 'The instance of posthog-js.',
    value: 'getFeatureFlag',
    payload: 'getFeatureFlagPayload',
  }),
  'posthog-node': postHog({
    about: "What posthog-node's `evaluateFlags` answers for a person.",
    value: 'getFlag',
    payload: 'getFlagPayload',
  }),
  'openfeature-server': openFeature({
    about: 'A client of @openfeature/server-sdk.',
    imports: "import type { EvaluationContext } from '@openfeature/server-sdk';\n\n",
    context: ', context?: EvaluationContext',
    pass: ', context',
    isAsync: true,
  }),
  'openfeature-web': openFeature({
    about: 'A client of @openfeature/web-sdk.',
    imports: '',
    context: '',
    pass: '',
    isAsync: false,
  }),
};

interface PostHogMethods {
  readonly about: string;
  readonly value: string;
  readonly payload: string;
}

function postHog({ about, value, payload }: PostHogMethods): SdkText {
  const text = `/** ${about} */
export interface FlagReader {
  ${value}(key: string): string | boolean | undefined;
  ${payload}(key: string): unknown;
}

export interface FlagAccessor<Key extends FlagKey> {
  readonly key: Key;
  /** The answer; an answer that the manifests do not name is false. */
  readonly value: (flags: FlagReader) => Flags[Key]['value'];
  /** Whether the flag is on, with any variant or without one. */
  readonly isOn: (flags: FlagReader) => boolean;
  /** Undefined where the flag is off or has no payload. */
  readonly payload: (flags: FlagReader) => Flags[Key]['payload'] | undefined;
}

function flag<Key extends FlagKey>(key: Key, answers?: readonly (string | boolean)[]): FlagAccessor<Key> {
  const value = (flags: FlagReader): Flags[Key]['value'] => {
    const answer = flags.${value}(key) ?? false;
    return (answers === undefined || answers.includes(answer) ? answer : false) as Flags[Key]['value'];
  };
  return {
    key,
    value,
    isOn: (flags) => value(flags) !== false,
    payload: (flags) =>
      (value(flags) === false ? undefined : (flags.${payload}(key) ?? undefined)) as Flags[Key]['payload'] | undefined,
  };
}
`;
  return { imports: '', text };
}

interface OpenFeatureParts {
  readonly about: string;
  readonly imports: string;
  /** The further parameter of a read, and how it is passed on. */
  readonly context: string;
  readonly pass: string;
  readonly isAsync: boolean;
}

/** PostHog's providers answer whether a flag is on as a boolean, the variant as a string, and the payload as an object. */
function openFeature({ about, imports, context, pass, isAsync }: OpenFeatureParts): SdkText {
  const result = (type: string): string => (isAsync ? `Promise<${type}>` : type);
  const [async, wait] = isAsync ? ['async ', 'await '] : ['', ''];
  const text = `/** ${about} */
export interface FlagReader {
  getBooleanValue(key: string, fallback: boolean${context}): ${result('boolean')};
  getStringValue(key: string, fallback: string${context}): ${result('string')};
  getObjectValue(key: string, fallback: null${context}): ${result('unknown')};
}

export interface FlagAccessor<Key extends FlagKey> {
  readonly key: Key;
  /** The answer; an answer that the manifests do not name is false. */
  readonly value: (client: FlagReader${context}) => ${result("Flags[Key]['value']")};
  /** Whether the flag is on, with any variant or without one. */
  readonly isOn: (client: FlagReader${context}) => ${result('boolean')};
  /** Undefined where the flag is off or has no payload. */
  readonly payload: (client: FlagReader${context}) => ${result("Flags[Key]['payload'] | undefined")};
}

function flag<Key extends FlagKey>(key: Key, answers?: readonly (string | boolean)[]): FlagAccessor<Key> {
  const isPlain = answers === undefined || answers.includes(true);
  const hasVariants = answers === undefined || answers.some((answer) => typeof answer === 'string');
  const value = ${async}(client: FlagReader${context}): ${result("Flags[Key]['value']")} => {
    const variant = hasVariants ? ${wait}client.getStringValue(key, ''${pass}) : '';
    const isKnown = variant !== '' && (answers === undefined || answers.includes(variant));
    const answer = isKnown ? variant : isPlain && ${isAsync ? '(' : ''}${wait}client.getBooleanValue(key, false${pass})${isAsync ? ')' : ''};
    return answer as Flags[Key]['value'];
  };
  return {
    key,
    value,
    isOn: ${async}(client${pass}) => ${isAsync ? '(' : ''}${wait}value(client${pass})${isAsync ? ')' : ''} !== false,
    payload: ${async}(client${pass}) =>
      (${isAsync ? '(' : ''}${wait}client.getObjectValue(key, null${pass})${isAsync ? ')' : ''} ?? undefined) as Flags[Key]['payload'] | undefined,
  };
}
`;
  return { imports, text };
}
