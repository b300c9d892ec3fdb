/** The words for problems of the configuration and of the environment. */

import type { GlobProblem } from '../key-glob-parse.ts';
import type { DiagnosticEntries } from './entry.ts';
import { ERROR, listed, quoted, shown, WARNING } from './entry.ts';

export const CONFIG_WORDS: DiagnosticEntries<
  | 'config-key-in-file'
  | 'config-host-invalid'
  | 'config-host-plain-http'
  | 'config-host-not-allowed'
  | 'config-project-missing'
  | 'config-key-missing'
  | 'config-variable-invalid'
  | 'config-several-documents'
  | 'config-two-files'
  | 'config-former-name'
  | 'config-environment-partial'
  | 'key-pattern-invalid'
  | 'key-pattern-spaces'
> = {
  'config-key-in-file': {
    title: 'The configuration holds an API key',
    severities: ERROR,
    hint: 'Remove it, revoke the key, put a new one in an environment variable and name that in `api_key_env`.',
    message: ({ property }) => `${quoted(property)} holds an API key; a key never stands in a file.`,
  },
  'config-host-invalid': {
    title: 'A host is not the address of a service',
    severities: ERROR,
    hint: 'Write an address such as `https://us.posthog.com`, without a user, a query or a fragment.',
    message: ({ host, unwanted }) =>
      unwanted === undefined
        ? `${quoted(host)} is not the address of a service.`
        : `This address of a service holds ${joined(unwanted)}, for which there is no place here.`,
    remedy: ({ host, unwanted }) =>
      unwanted === undefined
        ? 'Write an address such as `https://us.posthog.com`.'
        : `Write ${quoted(host)} alone; the API key comes from an environment variable.`,
  },
  'config-host-plain-http': {
    title: 'A host would get the API key unencrypted',
    severities: ERROR,
    hint: 'Use https; http is for this machine only (localhost).',
    message: ({ host }) => `${quoted(host)} would get the API key over an unencrypted connection.`,
  },
  'config-host-not-allowed': {
    title: 'A host is not among those that the environment allows',
    severities: ERROR,
    hint: 'Correct the host, or add it to `FLAGWRIGHT_HOSTS` once you are sure that it may have the API key.',
    message: ({ host }) =>
      `${quoted(host)} is not among the hosts of FLAGWRIGHT_HOSTS, so it does not get the API key.`,
  },
  'config-project-missing': {
    title: 'No project was chosen and there is no default',
    severities: ERROR,
    hint: 'Choose one with `--project`, or set `default_project` in flagwright.yaml.',
    message: () => 'The configuration has several projects and no default.',
    remedy: ({ available }) => `Choose ${listed(available)} with --project, or set \`default_project\`.`,
  },
  'config-key-missing': {
    title: 'The environment variable with the API key is not set',
    severities: ERROR,
    hint: 'Set it to a personal API key of the service.',
    message: ({ variable }) => `The environment variable ${shown(variable)} is not set.`,
    remedy: ({ variable }) => `Set ${shown(variable)} to a personal API key.`,
  },
  'config-variable-invalid': {
    title: '`api_key_env` does not hold the name of an environment variable',
    severities: ERROR,
    hint: 'Write the name of a variable, in capital letters, such as `POSTHOG_API_KEY`, not the key itself.',
    message: () => 'This is not the name of an environment variable.',
  },
  'config-several-documents': {
    title: 'The configuration has more than one YAML document',
    severities: ERROR,
    hint: 'Keep one document; remove `---`.',
    message: () => 'A configuration is one document, and this is another.',
  },
  'config-two-files': {
    title: 'One folder has two configurations',
    severities: ERROR,
    hint: 'Keep `flagwright.yaml` or `flagwright.yml`, or name one with `--config`.',
    message: ({ beside }) => `${shown(beside)} is in the same folder, so it is unclear which configuration applies.`,
    remedy: ({ beside }) => `Delete one of them, or name one with \`--config ${shown(beside)}\`.`,
  },
  'config-former-name': {
    title: 'The configuration has a former name of this tool',
    severities: ERROR,
    hint: 'Rename the file to `flagwright.yaml`.',
    message: ({ name }) => `flagwright reads ${shown(name)}; it does not read this file.`,
    remedy: ({ name }) => `Rename it to ${shown(name)}, and its folder \`.flaghoist\` to \`.flagwright\`.`,
  },
  'config-environment-partial': {
    title: 'Some but not all of the variables that make a project are set',
    severities: ERROR,
    hint: 'Set all three, or none to use the embedded service.',
    message: ({ present, missing }) =>
      `${joined(present)} ${present.length === 1 ? 'is' : 'are'} set, but ${joined(missing)} ${missing.length === 1 ? 'is' : 'are'} not.`,
    remedy: ({ present, missing }) =>
      `Set ${joined(missing)} too, or unset ${joined(present)} to use the embedded service.`,
  },
  'key-pattern-invalid': {
    title: 'A pattern cannot be used for keys of flags',
    severities: ERROR,
    hint: 'Use `*`, `?`, `[ab]` and `{a,b}`, or several patterns; `\\` before a character makes it stand for itself.',
    message: ({ pattern, problem }) => `The pattern ${quoted(pattern)} ${PATTERN_PROBLEMS[problem]}.`,
    remedy: ({ problem }) => PATTERN_REMEDIES[problem],
  },
  'key-pattern-spaces': {
    title: 'A pattern for keys begins or ends with a space',
    severities: WARNING,
    hint: 'Remove the space; no key has one there.',
    message: ({ pattern }) => `${quoted(pattern)} begins or ends with a space, and no key of a flag does.`,
  },
};

const PATTERN_PROBLEMS: Readonly<Record<GlobProblem, string>> = {
  negation: 'begins with "!", which does not negate a pattern for keys',
  extended: 'has a parenthesis after "*", "?", "+", "@" or "!", which means nothing in a pattern for keys',
  'too-large': 'is too long, or stands for too many patterns',
};

const PATTERN_REMEDIES: Readonly<Record<GlobProblem, string>> = {
  negation: 'Name the flags that are meant; for the character itself write `\\!`.',
  extended: 'Write choices as `{a,b}`; for the character itself put `\\` before it.',
  'too-large': 'Use several patterns.',
};

function joined(parts: readonly string[]): string {
  return parts.length <= 1 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}
