/** How code asks SDKs for flags: the names of the functions, and which argument is the key. */

export interface SdkCall {
  readonly name: string;
  /** The position of the key among the arguments; a named argument may be anywhere. `none`: the function gives all flags. */
  readonly argument: 0 | 1 | 'none';
  /** Other libraries have functions of this name: it counts only where the text before it or the file matches. */
  readonly near?: Nearness;
}

/** `receiver`: the object it is called on is named like flags. `file`: the file names OpenFeature. */
export type Nearness = 'receiver' | 'file';

const POSTHOG: readonly string[] = [
  // JavaScript, Swift, Kotlin, Java, Dart, PHP
  ...['isFeatureEnabled', 'getFeatureFlag', 'getFeatureFlagPayload', 'getFeatureFlagResult', 'isFeatureFlagEnabled'],
  ...['useFeatureFlagEnabled', 'useFeatureFlagVariantKey', 'useFeatureFlagPayload', 'useFeatureFlag'],
  ...['useFeatureFlagResult', 'useActiveFeatureFlag', 'overrideFeatureFlag'],
  // Python, Ruby, Rust, Elixir
  ...['feature_enabled', 'is_feature_enabled', 'get_feature_flag', 'get_feature_flag_payload'],
  ...['get_feature_flag_result', 'feature_flag_enabled'],
  // Go, C#
  ...['IsFeatureEnabled', 'GetFeatureFlag', 'GetFeatureFlagPayload', 'GetFeatureFlagResult'],
  ...['IsFeatureEnabledAsync', 'GetFeatureFlagAsync', 'GetFeatureFlagPayloadAsync', 'FeatureEnabled'],
];

/** What takes a flag out of all of them need not be a function that is known. */
const ALL: readonly string[] = [
  ...['getAllFlags', 'getAllFlagsAndPayloads', 'useActiveFeatureFlags', 'get_all_flags'],
  ...['get_all_flags_and_payloads', 'GetAllFlags', 'GetAllFeatureFlagsAsync'],
];

/** Of the flags that `evaluateFlags` of posthog-node and its like answer. */
const EVALUATED: readonly string[] = [
  'isEnabled',
  'getFlag',
  'getFlagPayload',
  'is_enabled',
  'get_flag',
  'get_flag_payload',
];

const TYPES = ['Boolean', 'String', 'Number', 'Object', 'Integer', 'Double', 'Float', 'Int'];

const OPENFEATURE: readonly SdkCall[] = [
  ...TYPES.flatMap((type): SdkCall[] => [
    ...[`get${type}Value`, `get${type}Details`, `use${type}FlagValue`, `use${type}FlagDetails`].map(ofOpenFeature),
    ...[`get${type}ValueAsync`, `Get${type}ValueAsync`, `Get${type}DetailsAsync`].map(ofOpenFeature),
    ...['value', 'details'].map((what) => ofOpenFeature(`get_${type.toLowerCase()}_${what}`)),
    ...['value', 'details'].map((what) => ofOpenFeature(`fetch_${type.toLowerCase()}_${what}`)),
    { name: `${type}Value`, argument: 1, near: 'file' },
    { name: `${type}ValueDetails`, argument: 1, near: 'file' },
  ]),
  ...['useFlag', 'useSuspenseFlag'].map(ofOpenFeature),
];

function ofOpenFeature(name: string): SdkCall {
  return { name, argument: 0, near: 'file' };
}

export const SDK_CALLS: readonly SdkCall[] = [
  ...POSTHOG.map((name): SdkCall => ({ name, argument: 0 })),
  ...ALL.map((name): SdkCall => ({ name, argument: 'none' })),
  ...EVALUATED.map((name): SdkCall => ({ name, argument: 0, near: 'receiver' })),
  ...OPENFEATURE,
];

/** Components whose attribute is the key, and the attribute: `<PostHogFeature flag="new-checkout">`. */
export const SDK_COMPONENTS: ReadonlyMap<string, string> = new Map([
  ['PostHogFeature', 'flag'],
  ['FeatureFlag', 'flagKey'],
]);

/** The name of an argument or a field that is the key. */
export const KEY_NAMES: RegExp = /(?:^|[{,(\s])(?:key|flag|[Ff]lag_?[Kk]ey|Key|feature_?[kK]ey)\s*[:=]\s*/;

/** A name of an object, a type or a module that has flags. */
export const FLAG_NAME: RegExp = /flag|feature|toggle|experiment|posthog/i;
