/** The problems of the configuration and of the environment variables that it uses, and their words. */

import type { DiagnosticOf, NoArgs } from '../base/diagnostic.ts';
import type { GlobProblem } from '../base/key-glob.ts';
import { type ShapeProblems, SHAPE_WORDS } from '../base/shape/problems.ts';
import {
  cycleText,
  didYouMean,
  ERROR,
  listed,
  quoted,
  shown,
  WARNING,
  type WordsFor,
  docsPage,
} from '../base/wording.ts';
import { type YamlProblems, YAML_WORDS } from '../base/yaml/problems.ts';
import { type ProjectProblems, PROJECT_WORDS } from '../core/engine/project.ts';
import type { FieldPathProblem } from '../core/engine/field-path.ts';
import { explainFieldPath } from '../posthog/names/field-path-words.ts';
import { readName } from '../posthog/names/resource-name.ts';
import { OWNERSHIP_WORDS } from '../posthog/flag/checks/words.ts';
import type { OwnershipProblems } from '../posthog/flag/checks/problems.ts';

export interface ConfigProblems {
  'config-key-in-file': { readonly property: string };
  /** `unwanted`: parts of the address that a host must not have; absent when it is not an address at all. */
  'config-host-invalid': { readonly host: string; readonly unwanted?: readonly string[] };
  'config-host-plain-http': { readonly host: string };
  'config-host-not-allowed': { readonly host: string };
  'config-project-missing': { readonly available: readonly string[]; readonly mayTakeAll?: true };
  'config-key-missing': { readonly variable: string };
  'config-key-of-project': { readonly variable: string };
  'config-variable-invalid': NoArgs;
  'config-several-documents': NoArgs;
  /** `cycle`: projects, each of which comes after the next; the last is the first. */
  'config-order-circular': { readonly cycle: readonly string[] };
  'guard-source': { readonly name: string };
  /** `beside`: the second file, in the same folder. */
  'config-two-files': { readonly beside: string };
  'config-file-missing': { readonly project: string };
  'config-environment-partial': { readonly present: readonly string[]; readonly missing: readonly string[] };
  'date-invalid': { readonly date: string };
  /** `form`: what the rule asks for. */
  'exception-form': { readonly rule: string; readonly form: 'most' | 'keys' | 'whole' };
  /** `instead`: the rule whose exception lifts this one too; absent if the service refuses the change anyway. */
  'exception-impossible': { readonly rule: string; readonly instead?: string };
  'exception-path-invalid': { readonly name: string; readonly path: string; readonly problem: FieldPathProblem };
  'exception-rule-unknown': { readonly rule: string; readonly suggestion?: string };
  'policy-zone-unknown': { readonly zone: string };
  'policy-window-empty': { readonly from: string; readonly to: string };
  /** `problem` and `remedy`: of the expression's language. */
  'policy-expression-invalid': { readonly name: string; readonly problem: string; readonly remedy?: string };
  /** A built-in rule has the name. */
  'policy-name-taken': { readonly name: string };
  'key-pattern-invalid': { readonly pattern: string; readonly problem: GlobProblem };
  'key-pattern-spaces': { readonly pattern: string };
}

/** Everything that reading a configuration may report. */
export type ConfigReadingProblems = YamlProblems & ShapeProblems & ProjectProblems & ConfigProblems & OwnershipProblems;

export type ConfigDiagnostic = DiagnosticOf<ConfigReadingProblems>;

export const CONFIG_WORDS: WordsFor<ConfigProblems> = {
  'config-key-in-file': {
    title: 'The configuration contains an API key',
    severities: ERROR,
    hint: 'Remove it, revoke the key, put a new one in an environment variable and name that in `api_key_env`.',
    message: ({ property }) => `${quoted(property)} contains an API key; keys must not be in files.`,
    hidesSource: true,
  },
  'config-host-invalid': {
    title: 'A host is not a valid address',
    severities: ERROR,
    hint: 'Write an address such as `https://us.posthog.com`, without a user, a query or a fragment.',
    message: ({ host, unwanted }) =>
      unwanted === undefined
        ? `${quoted(host)} is not a valid address.`
        : `The address of a host must not contain ${joined(unwanted)}.`,
    remedy: ({ host, unwanted }) =>
      unwanted === undefined
        ? 'Write an address such as `https://us.posthog.com`.'
        : `Write only ${quoted(host)}; the API key comes from an environment variable.`,
    hidesSource: true,
  },
  'config-host-plain-http': {
    title: 'A host would receive the API key unencrypted',
    severities: ERROR,
    hint: 'Use https; http is allowed on localhost only.',
    message: ({ host }) => `${quoted(host)} must start with https:// (the API key would be sent unencrypted).`,
  },
  'config-host-not-allowed': {
    title: 'A host is not in `FLAGWRIGHT_HOSTS`',
    severities: ERROR,
    hint: 'Correct the host, or add it to `FLAGWRIGHT_HOSTS` if it may receive the API key.',
    message: ({ host }) => `${quoted(host)} is not in FLAGWRIGHT_HOSTS, so the API key is not sent to it.`,
  },
  'config-project-missing': {
    title: 'No project is selected and there is no default',
    severities: ERROR,
    hint: 'Select one with `--project`, or set `default_project` in flagwright.yaml.',
    message: () => 'The configuration has several projects and no default.',
    remedy: ({ available, mayTakeAll }) =>
      `Select ${listed(available)} with --project${mayTakeAll === true ? ', take all with --all-projects' : ''}, or set \`default_project\`.`,
  },
  'config-key-missing': {
    title: 'The environment variable for the API key is not set',
    severities: ERROR,
    hint: 'Set it to a personal API key.',
    message: ({ variable }) => `The environment variable ${shown(variable)} is not set.`,
    remedy: ({ variable }) => `Set ${shown(variable)} to a personal API key.`,
  },
  'config-key-of-project': {
    title: 'The API key is a project token',
    severities: ERROR,
    hint: 'Use a personal API key (phx_…): a project token (phc_…) evaluates flags and cannot manage them.',
    message: ({ variable }) =>
      `${shown(variable)} holds a project token (phc_…), which evaluates flags and cannot manage them.`,
    remedy: ({ variable }) => `Set ${shown(variable)} to a personal API key (phx_…).`,
  },
  'config-variable-invalid': {
    title: '`api_key_env` is not the name of an environment variable',
    severities: ERROR,
    hint: 'Write the name of a variable in capital letters, such as `POSTHOG_API_KEY`, not the key itself.',
    message: () => 'This is not the name of an environment variable.',
    hidesSource: true,
  },
  'config-several-documents': {
    title: 'The configuration has more than one YAML document',
    severities: ERROR,
    hint: 'Keep one document; remove `---`.',
    message: () => 'A configuration must be one YAML document; this is a second one.',
  },
  'config-order-circular': {
    title: 'Projects wait for each other',
    severities: ERROR,
    hint: 'Remove one of the names from `after`.',
    message: ({ cycle }) => `These projects come after each other: ${cycleText(cycle)}.`,
  },
  'guard-source': {
    title: 'A guard has neither an alert nor a verdict, or both',
    severities: ERROR,
    hint: 'Write either `alert`, the name of an alert in PostHog, or `verdict`, a name in the file of `--verdicts`.',
    message: ({ name }) => `The guard ${quoted(name)} needs either \`alert\` or \`verdict\`.`,
  },
  'config-two-files': {
    title: 'A folder has two configuration files',
    severities: ERROR,
    hint: 'Keep `flagwright.yaml` or `flagwright.yml`, or name one with `--config`.',
    message: ({ beside }) => `${shown(beside)} is in the same folder, so it is unclear which configuration applies.`,
    remedy: ({ beside }) => `Delete one of them, or name one with \`--config ${shown(beside)}\`.`,
  },
  'config-environment-partial': {
    title: 'Only some of the variables that define a project are set',
    severities: ERROR,
    hint: 'Set all three, or none to use the embedded service.',
    message: ({ present, missing }) =>
      `There is no flagwright.yaml in this or a parent folder, and of the variables that define a project, ${joined(present)} ${present.length === 1 ? 'is' : 'are'} set, but ${joined(missing)} ${missing.length === 1 ? 'is' : 'are'} not.`,
    remedy: ({ present, missing }) =>
      `Change to the folder of flagwright.yaml. Without one, set ${joined(missing)} too, or unset ${joined(present)} to use the embedded service.`,
  },
  'config-file-missing': {
    title: 'A project is named, but there is no configuration',
    severities: ERROR,
    hint: 'Change to the folder of `flagwright.yaml`, or name it with `--config`.',
    message: ({ project }) =>
      `There is no flagwright.yaml in this or a parent folder, so project ${quoted(project)} is not known.`,
    remedy: () => 'Change to the folder of flagwright.yaml, or name the file with `--config`.',
  },
  'date-invalid': {
    title: 'A date of an exception or a policy is invalid',
    severities: ERROR,
    hint: 'Write a date such as `2026-12-31`.',
    message: ({ date }) => `${quoted(date)} is not a date.`,
  },
  'exception-form': {
    title: 'An exception has other members than its rule needs',
    severities: ERROR,
    hint: 'Use `most` (a number) for `deletes`, `updates` and `disables`, and `keys` for every other rule.',
    message: ({ rule, form }) =>
      `An exception from ${quoted(rule)} ${
        {
          most: 'needs `most` (a number) and takes no `keys`',
          keys: 'needs `keys` and takes no `most`',
          whole: 'takes no `path` and no `state`, which are for `drift`',
        }[form]
      }.`,
  },
  'exception-path-invalid': {
    title: 'The path of known drift names no part of the resource',
    severities: ERROR,
    hint: 'Write a path such as `active` or `conditions.2.rollout_percentage`, or a JSON pointer in the names of the API.',
    message: ({ name, path, problem }) => explainFieldPath(path, problem, readName(name).kind).message,
    remedy: ({ name, path, problem }) => explainFieldPath(path, problem, readName(name).kind).remedy,
  },
  'exception-impossible': {
    title: 'A rule allows no exception',
    severities: ERROR,
    hint: 'Remove the exception: the service refuses the change anyway.',
    message: ({ rule, instead }) =>
      instead === undefined
        ? `${quoted(rule)} allows no exception: the service refuses the change.`
        : `${quoted(rule)} has no exception of its own: one from ${quoted(instead)} covers it.`,
    remedy: ({ instead }) =>
      instead === undefined ? 'Remove it, and do what the refusal says.' : `Write ${quoted(instead)} with \`most\`.`,
  },
  'exception-rule-unknown': {
    title: 'An exception names an unknown rule',
    severities: ERROR,
    hint: 'Write the code of a safety rule, or the name of a rule in `policies`.',
    message: ({ rule }) => `No rule is named ${quoted(rule)}.`,
    remedy: ({ suggestion }) =>
      didYouMean(suggestion, 'Write the code of a safety rule, or the name of a rule in `policies`.'),
  },
  'policy-zone-unknown': {
    title: 'A policy names an unknown time zone',
    severities: ERROR,
    hint: 'Write an IANA name such as `Europe/Berlin` or `UTC`.',
    message: ({ zone }) => `${quoted(zone)} is not a time zone.`,
  },
  'policy-window-empty': {
    title: 'A time window of a policy ends before it begins',
    severities: ERROR,
    hint: 'Put `to` after `from`; `to` is the first day or minute after the window.',
    message: ({ from, to }) => `The window from ${quoted(from)} to ${quoted(to)} is empty.`,
  },
  'policy-expression-invalid': {
    title: 'The expression of a policy cannot be used',
    severities: ERROR,
    hint: `The page ${docsPage('own-rules')} has the types and functions.`,
    message: ({ name, problem }) => `${shown(problem)} (policy ${quoted(name)}).`,
    remedy: ({ remedy }) => remedy ?? `The page ${docsPage('own-rules')} has the types and functions.`,
  },
  'policy-name-taken': {
    title: 'A rule of your own has the name of a built-in rule',
    severities: ERROR,
    hint: 'Choose another name.',
    message: ({ name }) => `${quoted(name)} is the name of a built-in rule.`,
  },
  'key-pattern-invalid': {
    title: 'A pattern for flag keys is not supported',
    severities: ERROR,
    hint: 'Use `*`, `?`, `[ab]` and `{a,b}`, or several patterns; put `\\` before a character to match it literally.',
    message: ({ pattern, problem }) => `The pattern ${quoted(pattern)} ${PATTERN_PROBLEMS[problem]}.`,
    remedy: ({ problem }) => PATTERN_REMEDIES[problem],
  },
  'key-pattern-spaces': {
    title: 'A pattern for flag keys begins or ends with a space',
    severities: WARNING,
    hint: 'Remove the space; flag keys neither begin nor end with one.',
    message: ({ pattern }) => `${quoted(pattern)} begins or ends with a space, but no flag key does.`,
  },
};

const PATTERN_PROBLEMS: Readonly<Record<GlobProblem, string>> = {
  negation: 'begins with "!", which does not negate a pattern for flag keys',
  extended: 'has a parenthesis after "*", "?", "+", "@" or "!", which patterns for flag keys do not support',
  'too-large': 'is too long, or expands to too many patterns',
};

const PATTERN_REMEDIES: Readonly<Record<GlobProblem, string>> = {
  negation: 'List the flags to match; to match the character itself, write `\\!`.',
  extended: 'Write alternatives as `{a,b}`; to match the character itself, put `\\` before it.',
  'too-large': 'Use several patterns.',
};

function joined(parts: readonly string[]): string {
  return parts.length <= 1 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.slice(-1).join('')}`;
}

export const CONFIG_READING_WORDS: WordsFor<ConfigReadingProblems> = {
  ...YAML_WORDS,
  ...SHAPE_WORDS,
  ...PROJECT_WORDS,
  ...CONFIG_WORDS,
  ...OWNERSHIP_WORDS,
};
