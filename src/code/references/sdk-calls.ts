/** How code asks SDKs for flags: the names of the functions, and which argument is the key. */

export interface SdkCall {
  readonly name: string;
  /**
   * The position of the key among the arguments; a named argument may be anywhere. `none`: the function gives all flags; `callback`: to the function
   * that it gets.
   */
  readonly argument: 0 | 1 | 'none' | 'callback';
  /** Other libraries have functions of this name. */
  readonly of?: MethodOwner;
}

/**
 * `flags`: of an object that is named like flags. `evaluated`: of such an object, with flags that were evaluated. `openfeature`: in a file that names
 * OpenFeature. With the last two, any other object or file may be meant too if some code of the repository names the SDK.
 */
export type MethodOwner = 'flags' | 'evaluated' | 'openfeature';

const POSTHOG: readonly string[] = [
  // JavaScript, Swift, Kotlin, Java, Dart, PHP
  ...['isFeatureEnabled', 'getFeatureFlag', 'getFeatureFlagPayload', 'getFeatureFlagResult', 'isFeatureFlagEnabled'],
  ...['useFeatureFlagEnabled', 'useFeatureFlagVariantKey', 'useFeatureFlagPayload', 'useFeatureFlag'],
  ...['useFeatureFlagResult', 'useFeatureFlagWithPayload', 'useActiveFeatureFlag', 'overrideFeatureFlag'],
  ...['getFeatureFlagDetails', 'onFeatureFlag'],
  // Python, Ruby, Rust, Elixir
  ...['feature_enabled', 'is_feature_enabled', 'get_feature_flag', 'get_feature_flag_payload'],
  ...['get_feature_flag_result', 'feature_flag_enabled'],
  // Go, C#
  ...['IsFeatureEnabled', 'GetFeatureFlag', 'GetFeatureFlagPayload', 'GetFeatureFlagResult'],
  ...['IsFeatureEnabledAsync', 'GetFeatureFlagAsync', 'GetFeatureFlagPayloadAsync', 'FeatureEnabled'],
];

/** Functions whose key comes after the id of a person. */
const SECOND: readonly string[] = [
  ...['isFeatureEnabledStateless', 'getFeatureFlagStateless', 'getFeatureFlagPayloadStateless'],
  'getFeatureFlagResultStateless',
];

/** What takes a flag out of all of them need not be a function that is known. */
const ALL: readonly string[] = [
  ...['getAllFlags', 'getAllFlagsAndPayloads', 'getAllFeatureFlags', 'getFeatureFlags', 'getFeatureFlagsAndPayloads'],
  ...['getFeatureFlagPayloads', 'getFlagVariants', 'getFlagPayloads', 'getFlagsWithDetails'],
  ...['useActiveFeatureFlags', 'useFeatureFlags', 'fetchFeatureVariants'],
  ...['get_all_flags', 'get_all_flags_and_payloads', 'get_feature_flags', 'get_feature_flags_and_payloads'],
  ...['get_feature_variants', 'get_feature_payloads', 'get_flags_decision', 'flags_for', 'evaluate_all_flags'],
  ...['GetAllFlags', 'GetAllFeatureFlagsAsync', 'GetFeatureFlagsAsync'],
];

/** Methods of the flags that `evaluateFlags` of posthog-node and its like answer. */
const EVALUATED: readonly string[] = [
  'isEnabled',
  'getFlag',
  'getFlagPayload',
  'is_enabled',
  'get_flag',
  'get_flag_payload',
  'IsEnabled',
  'GetFlag',
  'GetFlagPayload',
  'enabled',
];

const TYPES = ['Boolean', 'String', 'Number', 'Object', 'Integer', 'Double', 'Float', 'Int'];

const OPENFEATURE: readonly SdkCall[] = [
  ...TYPES.flatMap((type): SdkCall[] => [
    ...[`get${type}Value`, `get${type}Details`, `use${type}FlagValue`, `use${type}FlagDetails`].map(ofOpenFeature),
    ...[`get${type}ValueAsync`, `Get${type}ValueAsync`, `Get${type}DetailsAsync`].map(ofOpenFeature),
    ...['value', 'details'].map((what) => ofOpenFeature(`get_${type.toLowerCase()}_${what}`)),
    ...['value', 'details'].map((what) => ofOpenFeature(`fetch_${type.toLowerCase()}_${what}`)),
    { name: `${type}Value`, argument: 1, of: 'openfeature' },
    { name: `${type}ValueDetails`, argument: 1, of: 'openfeature' },
  ]),
  ...['useFlag', 'useSuspenseFlag'].map(ofOpenFeature),
];

function ofOpenFeature(name: string): SdkCall {
  return { name, argument: 0, of: 'openfeature' };
}

export const SDK_CALLS: readonly SdkCall[] = [
  ...POSTHOG.map((name): SdkCall => ({ name, argument: 0 })),
  ...SECOND.map((name): SdkCall => ({ name, argument: 1 })),
  ...ALL.map((name): SdkCall => ({ name, argument: 'none' })),
  { name: 'onFeatureFlags', argument: 'callback' },
  { name: 'check', argument: 0, of: 'flags' },
  { name: 'getFlags', argument: 'none', of: 'evaluated' },
  { name: 'get_flags', argument: 'none', of: 'evaluated' },
  ...EVALUATED.map((name): SdkCall => ({ name, argument: 0, of: 'evaluated' })),
  ...OPENFEATURE,
];

/** What names an SDK in code and in lists of packages. */
export const SDK_NAMES: readonly (readonly [name: string, sdk: Exclude<MethodOwner, 'flags'>])[] = [
  ...['evaluateFlags', 'evaluate_flags', 'EvaluateFlags', 'EvaluateFlagsAsync', 'EvaluateFlagsWithContext'].map(
    (name) => [name, 'evaluated'] as const,
  ),
  ...['openfeature', 'OpenFeature', 'open-feature', 'open_feature'].map((name) => [name, 'openfeature'] as const),
];

/** What the addresses have at which a program gets flags without an SDK. */
export const ROUTE_WORDS: readonly string[] = ['flags', 'decide', 'ofrep'];

export const ROUTE: RegExp = /^(?:(?:flags|decide)\/?\?v=|ofrep\/v\d+\/evaluate\/flags)/;

/** Components whose attribute is the key, and the attribute: `<PostHogFeature flag="new-checkout">`. */
export const SDK_COMPONENTS: ReadonlyMap<string, string> = new Map([
  ['PostHogFeature', 'flag'],
  ['FeatureFlag', 'flagKey'],
]);

/** The name of an argument or a field that is the key. */
export const KEY_NAMES: RegExp = /(?:^|[{,(\s])(?:key|flag|[Ff]lag_?[Kk]ey|Key|feature_?[kK]ey)\s*[:=]\s*/;

/** A name of an object, a type or a module that has flags. */
export const FLAG_NAME: RegExp = /flag|feature|toggle|experiment|posthog/i;
