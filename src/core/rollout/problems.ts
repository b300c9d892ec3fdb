/** The problems of rollouts in manifests, and their words. */

import type { NoArgs, OfProjects } from '../../base/diagnostic.ts';
import { stringifyJson } from '../../base/json-text.ts';
import type { JsonValue } from '../../base/json.ts';
import { didYouMean, ERROR, exactDuration, projectsText, quoted, WARNING, type WordsFor } from '../../base/wording.ts';

export interface RolloutProblems {
  /** A day that no calendar has. */
  'step-time-invalid': { readonly time: string };
  'steps-out-of-order': { readonly same: boolean };
  /** Closer than rollouts are looked at; both in seconds. */
  'steps-too-close': { readonly seconds: number; readonly every: number };
  /** No step of the rollout was applied to the project. */
  'steps-passed': OfProjects;
  /** Nobody can have made a step whose time is still to come. */
  'step-done-ahead': { readonly time: string };
  'step-changes-nothing': { readonly value: JsonValue };
  /** A review looks at every jump that a late run may make. */
  'jumps-too-many': { readonly jumps: number; readonly limit: number };
  /** The configuration declares no guard of the name. */
  'guard-unknown': { readonly name: string; readonly suggestion?: string };
  /** A late run would jump over steps that a guard looks at. */
  'guard-skips-steps': NoArgs;
  /** The manifests are resolved without a time. */
  'rollout-time-unknown': NoArgs;
}

export const ROLLOUT_WORDS: WordsFor<RolloutProblems> = {
  'step-time-invalid': {
    title: 'The time of a step does not exist',
    severities: ERROR,
    hint: 'Write a date, a time and a UTC offset: 2026-12-01T09:00+01:00.',
    message: ({ time }) => `${quoted(time)} is not a time.`,
  },
  'steps-out-of-order': {
    title: 'The steps of a rollout are not in time order',
    severities: ERROR,
    hint: 'Sort the steps by time; UTC offsets count.',
    message: ({ same }) =>
      same ? 'This step has the same time as the one before it.' : 'This step is earlier than the one before it.',
  },
  'steps-too-close': {
    title: 'Two steps are closer together than `rollouts.every` allows',
    severities: ERROR,
    hint: 'Leave more time between them, or run `apply --due` more often and say so in `rollouts: every:` of flagwright.yaml.',
    message: ({ seconds, every }) =>
      `This step comes ${exactDuration(seconds * 1000)} after the one before it, but rollouts are checked every ${exactDuration(every * 1000)}.`,
  },
  'steps-passed': {
    title: 'All steps of a new rollout are in the past',
    severities: WARNING,
    hint: 'Write future times, or a value instead of the steps.',
    message: (at) =>
      `All steps are in the past, and the last apply to ${projectsText(at)} had no such rollout: the next apply makes the last step at once.`,
  },
  'step-done-ahead': {
    title: 'A step marked as done is in the future',
    severities: ERROR,
    hint: 'Remove `done`: `apply --due` makes the step when it is due. If somebody made it by hand, write when.',
    message: ({ time }) => `\`done\` says that somebody made this step, but ${time} is still to come.`,
  },
  'step-changes-nothing': {
    title: 'A step repeats the value before it',
    severities: WARNING,
    hint: 'Remove the step, or correct its value.',
    message: ({ value }) => `The value is already ${stringifyJson(value)} before this step.`,
  },
  'jumps-too-many': {
    title: 'A late run could make too many different jumps',
    severities: ERROR,
    hint: 'Write fewer steps, or leave out `catch_up: latest`: then a late run makes one step after the other.',
    message: ({ jumps, limit }) =>
      `With \`catch_up: latest\`, a late run could make ${jumps} different jumps over these steps. A review looks at each, and at most ${limit} are allowed.`,
  },
  'guard-unknown': {
    title: 'A rollout names a guard that is not declared',
    severities: ERROR,
    hint: 'Declare the guard under `guards` of flagwright.yaml, or correct the name.',
    message: ({ name }) => `No guard ${quoted(name)} is declared in flagwright.yaml.`,
    remedy: ({ suggestion }) => didYouMean(suggestion, 'Declare it under `guards`, or correct the name.'),
  },
  'guard-skips-steps': {
    title: 'A guarded rollout would skip steps',
    severities: ERROR,
    hint: 'Remove `catch_up`: a guard looks at what each step did before the next one.',
    message: () => 'With `catch_up: latest`, a late run would jump over steps that the guard has to look at.',
  },
  'rollout-time-unknown': {
    title: 'A value changes over time, but the manifests are resolved without a time',
    severities: ERROR,
    hint: 'Give the project a `moment` when you call the library; the command does so by itself.',
    message: () => 'This value changes over time, but no time is given.',
  },
};
