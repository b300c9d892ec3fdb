/** The problems of rollouts in manifests, and their words. */

import type { NoArgs } from '../../base/diagnostic.ts';
import { stringifyJson } from '../../base/json-text.ts';
import type { JsonValue } from '../../base/json.ts';
import { ERROR, quoted, WARNING, type WordsFor } from '../../base/wording.ts';

export interface RolloutProblems {
  /** A day that no calendar has. */
  'step-time-invalid': { readonly time: string };
  'steps-out-of-order': { readonly same: boolean };
  /** Closer than rollouts are looked at; both in seconds. */
  'steps-too-close': { readonly seconds: number; readonly every: number };
  /** No step of the rollout was applied to the project. */
  'steps-passed': { readonly project: string };
  /** Nobody can have made a step whose time is still to come. */
  'step-done-ahead': { readonly time: string };
  'step-changes-nothing': { readonly value: JsonValue };
  /** A review looks at every jump that a late run may make. */
  'jumps-too-many': { readonly jumps: number; readonly limit: number };
  /** The manifests are resolved without a time. */
  'rollout-time-unknown': NoArgs;
}

export const ROLLOUT_WORDS: WordsFor<RolloutProblems> = {
  'step-time-invalid': {
    title: 'The time of a step does not exist',
    severities: ERROR,
    hint: 'Write a day of the calendar, a time of day and the offset of its time zone: 2026-12-01T09:00+01:00.',
    message: ({ time }) => `${quoted(time)} is not a time.`,
  },
  'steps-out-of-order': {
    title: 'The steps of a rollout are not in order of time',
    severities: ERROR,
    hint: 'Sort the steps by their time; offsets of time zones count.',
    message: ({ same }) =>
      same ? 'This step has the time of the one before it.' : 'This step is earlier than the one before it.',
  },
  'steps-too-close': {
    title: 'Two steps are closer than rollouts are looked at',
    severities: ERROR,
    hint: 'Leave more time between them, or run `apply --due` more often and say so in `rollouts: every:` of flagwright.yaml.',
    message: ({ seconds, every }) =>
      `This step comes ${seconds} s after the one before it, but rollouts are looked at every ${every} s.`,
  },
  'steps-passed': {
    title: 'All steps of a new rollout lie in the past',
    severities: WARNING,
    hint: 'Write future times, or a value instead of the steps.',
    message: ({ project }) =>
      `All steps lie in the past, and what was applied to ${quoted(project)} last has no such rollout: an apply makes the last step at once.`,
  },
  'step-done-ahead': {
    title: 'A step that somebody made lies in the future',
    severities: ERROR,
    hint: 'Remove `done`: `apply --due` makes the step when it is due. For a step that somebody made, write when.',
    message: ({ time }) => `\`done\` says that somebody made this step, but ${time} is still to come.`,
  },
  'step-changes-nothing': {
    title: 'A step has the value that the one before it has',
    severities: WARNING,
    hint: 'Remove the step, or correct its value.',
    message: ({ value }) => `The value is ${stringifyJson(value)} already before this step.`,
  },
  'jumps-too-many': {
    title: 'A late run could make too many different jumps',
    severities: ERROR,
    hint: 'Write fewer steps, or leave out `catch_up: latest`: then a late run makes one step after the other.',
    message: ({ jumps, limit }) =>
      `With \`catch_up: latest\`, a late run could make ${jumps} different jumps over these steps. A review looks at each, and at most ${limit} are allowed.`,
  },
  'rollout-time-unknown': {
    title: 'A value changes over time, and the manifests are resolved without a time',
    severities: ERROR,
    hint: 'Give the project a `moment` when you call the library; the command does so by itself.',
    message: () => 'This value changes over time, and no time is given.',
  },
};
